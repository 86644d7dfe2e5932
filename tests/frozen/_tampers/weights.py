"""Tamper cases about weights, strata and households that tell what was hidden."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tests.frozen._tampers.cases import audit, beside, each, made_by_plan

# -- weights, strata and households ------------------------------------------------------------------------

ROLES = {"region": "key", "sex": "key", "w": "weight", "zone": "stratum", "home": "household"}
PLACES = np.arange(240)
REGIONS = np.array(["north", "south", "east", "west"])[PLACES % 4]
BY_REGION = np.array([2.5, 4.0, 1.25, 8.0])[PLACES % 4]
BY_CHANCE = np.array([2.5, 4.0, 1.25, 8.0])[(PLACES * 7 // 5) % 4]
NEAR = 1 + (PLACES * 37 % 240) / 2400


def _source(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"region": REGIONS, "sex": (PLACES // 7) % 2, **columns})


def _gappy(source: pd.DataFrame, every: int = 10, gap: str | None = None) -> pd.DataFrame:
    return source.assign(region=source["region"].where(PLACES % every > 0, gap))


def _recoded(source: pd.DataFrame) -> pd.DataFrame:
    return source.assign(region=["N-S" if name in ("north", "south") else "E-W" for name in source["region"]])


def _sizes(recoded: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    sizes = np.repeat([1, 2, 3, 4], [10, 20, 30, 40])
    homes = [f"h{size}-{place // size}" for place, size in enumerate(sizes)]
    source = pd.DataFrame({"region": sizes, "sex": (np.arange(100) // 7) % 2, "home": homes})
    return source.assign(region=recoded(sizes)), source


def _both(
    source: pd.DataFrame, change: Callable[[pd.DataFrame], pd.DataFrame] = _gappy
) -> tuple[pd.DataFrame, pd.DataFrame]:
    return change(source), source


_HOMES = np.repeat([1, 2, 3, 4], 60)
_WEIGHTS: dict[str, tuple[pd.DataFrame, pd.DataFrame]] = {
    "of regions": _both(_source(w=BY_REGION)),
    "of regions, star": _both(_source(w=BY_REGION), lambda source: _gappy(source, gap="*")),
    "calibrated": _both(_source(w=(BY_REGION * NEAR).round(4))),
    "calibrated, by chance": _both(_source(w=(BY_CHANCE * NEAR).round(4))),
    "by chance": _both(_source(w=BY_CHANCE)),
    "nothing hidden": _both(_source(w=BY_REGION), lambda source: source),
    "recoded": _both(_source(w=BY_REGION), _recoded),
    "recoded, joined": _both(
        _source(w=BY_REGION), lambda source: _recoded(source).assign(w=np.where(BY_REGION > 3, 6.0, 2.0))
    ),
    "strata": _both(_source(zone=PLACES % 4 + 11)),
    "sizes of households": _both(
        _source(home=[f"h{place // count}-{count}" for place, count in enumerate(_HOMES)]).assign(
            region=np.repeat(REGIONS[:4], 60)
        ),
        lambda source: _gappy(source, 12),
    ),
    "two columns together": _both(_source(w=np.where(PLACES % 4 < 2, 1.5, 3.0), zone=PLACES % 2)),
    "members of households": _both(
        _source(w=PLACES // 4 + 0.5, home=PLACES // 4).assign(region=np.array(["a", "b", "c"])[PLACES // 4 % 3]),
        lambda source: source.assign(region=np.where(PLACES // 4 % 3 == 0, "a", "b-c")),
    ),
    "nearly all alike": _both(_source(w=BY_CHANCE).assign(region=np.where(PLACES == 5, "south", "north"))),
    "sizes recoded": _sizes(lambda sizes: [f"{size}" if place % 3 else "1..4" for place, size in enumerate(sizes)]),
    "sizes recoded for all": _sizes(lambda sizes: ["1..4"] * len(sizes)),
    "few records": tuple(one.head(60) for one in _both(_source(w=BY_REGION))),  # type: ignore[dict-item]
}


@each(
    "weights",
    [
        (f"{name}{', original' * beside}", *files, beside)
        for name, files in _WEIGHTS.items()
        for beside in (False, True)
    ],
)
def _(folder: Path, released: pd.DataFrame, source: pd.DataFrame, beside: bool) -> Any:
    order = np.random.default_rng(6).permutation(len(released))
    released.to_csv(folder / "data.csv", index=False)
    source.to_csv(folder / "original.csv", index=False)
    stated = ", ".join(f"{name}: {{role: {ROLES[name]}}}" for name in released.columns)
    text = f"version: 2\ndataset: {{path: original.csv}}\ncolumns: {{{stated}}}\n"
    (folder / "project.yaml").write_text(text)
    if beside:
        return audit(folder / "data.csv", project=folder / "project.yaml", original=folder / "original.csv")
    released.iloc[order].to_csv(folder / "data.csv", index=False)
    return audit(folder / "data.csv", project=folder / "project.yaml")


HOUSED = """
version: 2
dataset: {path: people.csv}
columns:
  area: {role: key, kind: nominal}
  age: {role: key, kind: continuous}
  income: {role: confidential, kind: continuous}
  home: {role: household}
  w: {role: weight}
scenarios:
- {name: s, keys: [area], thresholds: {risk: 0.5}}
plan:
  steps:
  - {method: {global-recode: {bins: 3}}, columns: [age]}
"""
DRAWN = "  - {method: {sample: {fraction: 0.7}}}\n"
BY_AREA = "  - {method: {sample: {size: 30}}, by: [area]}\n"


def _housed(folder: Path, steps: str, homes: str = "Baker Street {}") -> pd.DataFrame:
    rng = np.random.default_rng(5)
    raw = pd.DataFrame(
        {
            "area": rng.choice(["n", "s"], 100, p=[0.6, 0.4]),
            "age": rng.integers(18, 90, 100),
            "income": np.round(rng.lognormal(8, 0.5, 100)),
            "home": [homes.format(1 + place // 3) for place in range(100)],
            "w": np.round(rng.uniform(1, 9, 100), 3),
        }
    )
    raw.to_csv(folder / "people.csv", index=False)
    (folder / "project.yaml").write_text(HOUSED + steps)
    made_by_plan(folder)
    return raw


@each(
    "weights of a sample",
    [
        ("true ones", DRAWN, lambda made: made["w"]),
        ("counted", DRAWN, lambda made: np.arange(len(made)) + 1001.0),
        ("times another factor", DRAWN, lambda made: made["w"] * 0.7),
        ("one another", DRAWN, lambda made: made["w"].where(made.index > 0, 5.55555)),
        ("as texts", DRAWN, lambda made: "w" + made["w"].astype(str)),
        ("by areas", BY_AREA, lambda made: made["w"]),
    ],
)
def _(folder: Path, steps: str, weights: Callable[[pd.DataFrame], Any]) -> Any:
    _housed(folder, steps)
    made = pd.read_csv(folder / "made.csv")
    made.assign(w=weights(made)).to_csv(folder / "shown.csv", index=False)
    return beside(folder, "shown.csv", "people.csv")


@each(
    "households of the original",
    [
        (f"{homes.format('n')}, {what}", homes, what)
        for homes in ("Baker Street {}", "70{}", "1{}.0", "{}")
        for what in ("made", "kept")
    ],
)
def _(folder: Path, homes: str, what: str) -> Any:
    raw = _housed(folder, "", homes)
    made = pd.read_csv(folder / "made.csv")
    if what == "kept":
        made["home"] = made["income"].map(raw.drop_duplicates("income").set_index("income")["home"])
    made.to_csv(folder / "shown.csv", index=False)
    return beside(folder, "shown.csv", "people.csv")
