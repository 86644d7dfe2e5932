"""Tamper cases about limits, rules and models that a project states, and what proves nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

import microveil as mv
from tests.frozen._tampers.cases import audit, each, frame

# -- grounds: what a project says of a file proves nothing about it ------------------------------------------

COUNTED = """
version: 2
dataset: {path: firms.csv}
columns:
  region: {role: key, kind: nominal}
scenarios:
- {name: neighbour, keys: [%s], thresholds: {risk: 0.2, share: 0}}
"""
GONE = """
plan:
  steps:
  - method: {k-anonymise: {k: 2, model: {anonymity: {k: 2, sensitive: [ill], l: 1}}}}
    columns: [region, sex]
"""


@each(
    "limits that are counted",
    [
        ("sound", "region", "region", ""),
        ("under another name", "region, sex", "region,Sex", ""),
        ("one column more", "region, sex", "region,sex,nom", ""),
        ("one column less", "region, sex", "region", ""),
        ("keys of the plan are gone", "region", "region", GONE),
        ("perturbed keys", "region", "region", "plan:\n  steps:\n  - {method: pram, columns: [region]}\n"),
        (
            "coarser amounts",
            "region",
            "region,pay",
            "plan:\n  steps:\n  - {method: {round: {base: 100}}, columns: [pay]}\n",
        ),
        ("a name that nobody stated", "region", "region,name", ""),
    ],
)
def _(folder: Path, keys: str, head: str, plan: str) -> Any:
    (folder / "project.yaml").write_text(COUNTED % keys + plan)
    filler: dict[str, Callable[[int], str]] = {
        "name": lambda place: f"Anna Zyx{chr(97 + place % 26)}{chr(107 - place % 7)} Quor",
        "pay": lambda place: str(37 * place % 1009),
    }
    columns = head.split(",")
    rows = [",".join(filler.get(name, lambda _: "n")(place) for name in columns) for place in range(30)]
    (folder / "data.csv").write_text("\n".join([head, *rows]) + "\n")
    return audit(folder / "data.csv", project=folder / "project.yaml")


@each("keys that no step changes", [("meant", True), ("not meant", False)])
def _(folder: Path, meant: bool) -> Any:
    rows = [f"{place * 7 % 60},{'fm'[place % 2]},{place * 37 % 101}" for place in range(60)]
    (folder / "data.csv").write_text("\n".join(["age,sex,pay", *rows]) + "\n")
    (folder / "project.yaml").write_text(
        "version: 2\ndataset: {path: raw.csv}\n"
        "columns: {age: {role: key}, sex: {role: key}, pay: {role: confidential}}\n"
        "scenarios:\n- {name: sex, keys: [sex], thresholds: {risk: 0.5}}\n" + "release: {as_they_are: [age]}\n" * meant
    )
    return audit(folder / "data.csv", project=folder / "project.yaml")


NEIGHBOUR = """
version: 2
dataset: {path: x.csv}
columns: {sex: {role: key%s}, pay: {role: confidential}}
scenarios: [{name: neighbour, keys: [sex], thresholds: {risk: 0.2}}]
constraints: [pay >= 0]
%s"""
MODEL = """
plan:
  steps:
  - method: {k-anonymise: {model: {anonymity: {k: 2, sensitive: [pay], l: %s, t: %s}}}}
    columns: [sex]
"""


@each(
    "a stated project",
    [
        "sound",
        "over its limit",
        "perturbed",
        "broken rules",
        "k, l and t broken",
        "k, l and t kept",
        "order of the original",
        "identifier is there",
    ],
)
def _(folder: Path, what: str) -> Any:
    data, plan, kind = frame(), "", ""
    if what == "over its limit":
        data = data.assign(sex=[1, 1, 3, *[2] * 37])
    elif what == "perturbed":
        plan, kind = "plan:\n  steps:\n  - {method: pram, columns: [sex]}\n", ", kind: nominal"
    elif what == "broken rules":
        data = data.assign(pay=-1.5).head(3)
    elif what.startswith("k, l"):
        data = pd.DataFrame({"sex": [1, 2, 1, 2], "pay": ["a", "a", "a", "b"]})
        text = NEIGHBOUR % (kind, MODEL % ((2, 0.2) if "broken" in what else (1, 0.25)))
        text = text.replace(
            "scenarios: [{name: neighbour, keys: [sex], thresholds: {risk: 0.2}}]\nconstraints: [pay >= 0]\n", ""
        )
        (folder / "project.yaml").write_text(text)
    elif what == "identifier is there":
        text = (
            "version: 2\ndataset: {path: x.csv}\ncolumns: {sex: {role: key}, pay: {role: identifier, kind: nominal}}\n"
        )
        (folder / "project.yaml").write_text(text)
    elif what == "order of the original":
        data = frame(200).assign(pay=[((7919 * place) % 2003) / 2 for place in range(200)])
        data.to_csv(folder / "original.csv", index=False)
        data.to_csv(folder / "data.csv", index=False)
        return audit(folder / "data.csv", original=folder / "original.csv")
    data.to_csv(folder / "data.csv", index=False)
    if not (folder / "project.yaml").exists():
        (folder / "project.yaml").write_text(NEIGHBOUR % (kind, plan))
    return audit(folder / "data.csv", project=folder / "project.yaml")


@each("rules of days", [("kept", "2025-01-06"), ("broken", "2025-01-12"), ("no day", "2025")])
def _(folder: Path, day: str) -> Any:
    lines = f"admission,discharge,los\n2025-01-01,2025-01-03,2\n{day},2025-01-09,3\n"
    (folder / "data.csv").write_text(lines)
    rules = "constraints: [admission <= discharge, discharge == admission + los]\n"
    (folder / "project.yaml").write_text("version: 2\ndataset: {path: x.csv}\ncolumns: {los: {role: other}}\n" + rules)
    return audit(folder / "data.csv", project=folder / "project.yaml")


# -- the model of a plan -----------------------------------------------------------------------------------

GRADES = ["mild", "moderate", "severe"]


def _areas() -> pd.DataFrame:
    """Sixteen areas with two people each, whom the areas tell apart by their illness."""
    rows = range(32)
    return pd.DataFrame(
        {
            "area": [f"area {7 * place % 16:02d}" for place in rows],
            "sex": [("f", "m")[place // 16] for place in rows],
            "weight": [10.0 + 3 * place % 7 for place in rows],
            "illness": [("flu", "gout", "none", "none")[place * place % 11 % 4] for place in rows],
            "grade": [GRADES[(place * 5) % 7 % 3] for place in rows],
        }
    )


def _model_of(folder: Path, facts: dict[str, Any] | None = None, **asks: Any) -> Path:
    columns: dict[str, Any] = {
        "area": {"role": "key"},
        "sex": {"role": "key"},
        "weight": {"role": "weight"},
        "illness": {"role": "confidential"},
        "grade": {"role": "confidential", "kind": "ordinal", "levels": GRADES},
    }
    for name, fact in (facts or {}).items():
        columns[name] |= fact
    plan = mv.Plan([mv.plan.Step(mv.mask.Lattice(model=mv.Anonymity(**asks)), ("area", "sex"))])
    mv.plan.Project("raw.csv", columns=columns, plan=plan).save(folder / "project.yaml")
    return folder / "project.yaml"


_ASKS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "beta": {"sensitive": ("illness",), "beta": 0.5},
    "l": {"sensitive": ("illness",), "l": 2},
    "entropy l": {"sensitive": ("illness",), "l": 2, "diversity": "entropy"},
    "average risk": {"average_risk": 0.1},
    "highest risk": {"highest_risk": 0.1},
    "population": {"population": 500.0},
    "share at risk": {"share_at_risk": 0.1},
    "uniqueness": {"uniqueness": 0.1},
    "sets of keys and risk": {"key_sets": (("sex",), ("area",)), "highest_risk": 0.1},
    "sets of keys": {"k": 2, "key_sets": (("sex",), ("area",))},
    "register": {"register": 5},
    "size of the population": {"population": 500.0, "population_size": 3200},
    "k": {"k": 3},
}


@each(
    "model, raw data",
    [
        (f"{name}{', original' * beside}", asks, beside)
        for name, asks in _ASKS.items()
        for beside in (False, True)
        if not beside or "population" in name
    ],
)
def _(folder: Path, asks: dict[str, Any], beside: bool) -> Any:
    _areas().to_csv(folder / "raw.csv", index=False)
    known = {"original": folder / "raw.csv"} if beside else {}
    return audit(folder / "raw.csv", project=_model_of(folder, **{"k": 1, **asks}), **known)


@each("model", ["hierarchy", "weights with gaps", "order of levels", "order of levels, stated"])
def _(folder: Path, what: str) -> Any:
    data = _areas()
    if what == "hierarchy":
        tree = {"flu": ["ill"], "gout": ["ill"], "none": ["well"]}
        project = _model_of(
            folder, {"illness": {"hierarchy": tree}}, k=1, sensitive=("illness",), t=0.1, distance="hierarchy"
        )
    elif what == "weights with gaps":
        data = data.assign(weight=[None, *range(1, 32)])
        project = _model_of(folder, k=3)
    else:
        distance = "ordered" if "stated" in what else None
        project = _model_of(folder, k=4, sensitive=("grade",), t=0.12, distance=distance)
    data.to_csv(folder / "raw.csv", index=False)
    return audit(folder / "raw.csv", project=project)


BY_ITS_OWN_STEP = """
version: 2
dataset: {path: raw.csv}
columns: {area: {role: key}, sex: {role: key}, illness: {role: confidential}, grade: {role: confidential}}
scenarios:
- {name: neighbour, keys: [area, sex], thresholds: {risk: 0.5}}
plan:
  steps:
%s  - {method: {local-suppression: {k: 3, missing: wildcard}}, columns: [%s]}
"""
FIRST_STEP = "  - {method: {k-anonymise: {k: 3}}, columns: [area, sex]}\n"


@each(
    "model, gaps of one step",
    [
        ("other columns", FIRST_STEP, "illness, grade"),
        ("one of its columns", FIRST_STEP, "sex, grade"),
        ("its own", "", "area, sex"),
    ],
)
def _(folder: Path, first: str, columns: str) -> Any:
    data = _areas().drop(columns="weight")
    blank = data.head(4).assign(area=None, sex=None)
    pd.concat([data, blank]).sample(frac=1, random_state=1).to_csv(folder / "raw.csv", index=False)
    (folder / "project.yaml").write_text(BY_ITS_OWN_STEP % (first, columns))
    return audit(folder / "raw.csv", project=folder / "project.yaml")


# -- published figures -------------------------------------------------------------------------------------

NORTH = {"region": "North"}
_FIGURES: dict[str, dict[str, Any]] = {
    "sum": {"statistic": "sum", "of": "pay", "where": NORTH, "plain": 30.0, "weighted": 40.0},
    "mean": {"statistic": "mean", "of": "pay", "where": NORTH, "plain": 15.0, "weighted": 40.0 / 3},
    "count": {"statistic": "count", "where": NORTH, "plain": 3.0, "weighted": 4.0},
    "count of a column": {"statistic": "count", "of": "pay", "where": NORTH, "plain": 2.0, "weighted": 3.0},
    "two conditions": {"statistic": "count", "where": {"code": 2, "region": "South"}, "plain": 1.0, "weighted": 5.0},
    "all": {"statistic": "sum", "of": "pay", "plain": 70.0, "weighted": 240.0},
    "no such column": {"statistic": "sum", "of": "tax", "plain": 1.0, "weighted": 1.0},
    "no such record": {"statistic": "sum", "of": "pay", "where": {"region": "East"}, "plain": 1.0, "weighted": 1.0},
    "no numbers": {"statistic": "sum", "of": "region", "plain": 1.0, "weighted": 1.0},
    "no such figure": {"statistic": "median", "of": "pay", "plain": 1.0, "weighted": 1.0},
    "zero": {"statistic": "sum", "of": "pay", "where": NORTH, "plain": 0.0, "weighted": 0.0},
}


@each(
    "published figure",
    [
        (f"{name}, {kind}{', 3 % off' * off}", said, kind, off)
        for name, said in _FIGURES.items()
        for kind in ("plain", "weighted")
        for off in (False, True)
    ],
)
def _(folder: Path, said: dict[str, Any], kind: str, off: bool) -> Any:
    (folder / "package").mkdir()
    columns = {"region": ["North", "North", "South", "North"], "code": [1, 1, 2, 1], "pay": [10.0, 20.0, 40.0, None]}
    pd.DataFrame({**columns, "w": [2.0, 1.0, 5.0, 1.0]}).to_csv(folder / "package" / "data.csv", index=False)
    roles: dict[str, Any] = {"region": {"role": "key"}, "code": {"role": "key"}, "pay": {}, "w": {"role": "weight"}}
    mv.plan.Project("x.csv", columns=roles).save(folder / "project.yaml")
    value = said[kind] * (1.03 if off else 1.0)
    stated = mv.plan.Published(said["statistic"], value, said.get("of"), said.get("where", {}), 0.02)
    project = {"project": folder / "project.yaml"} if kind == "weighted" else {}
    return audit(folder / "package", published=[stated], **project)
