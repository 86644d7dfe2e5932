"""Tamper cases about raw records in place of what a plan gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import microveil as mv
from tests.frozen._tampers.cases import KEY, audit, beside, case, command, each, made_by_plan

# -- firms whose amounts are replaced by means of five -----------------------------------------------------

AMOUNTS = ["employees", "total_sales", "total_revenue"]
FIRMS = """
version: 2
dataset: {path: firms.csv}
columns:
  enterprise_id: {role: identifier, kind: nominal}
plan:
  steps:
  - method: {microaggregation: {partition: {mdav: {k: 5}}}}
    columns: [%s]
"""


def _firms(folder: Path, columns: list[str] = AMOUNTS) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The original in another order without numbers, and what the plan makes of it; both are in the folder too."""
    rng = np.random.default_rng(3)
    size = rng.lognormal(3.0, 1.0, 120)
    firms = pd.DataFrame(
        {
            "enterprise_id": [f"E{1000 + place * 7}" for place in range(120)],
            "employees": np.round(size).astype(int) + 1,
            "total_sales": np.round(size * rng.lognormal(4.0, 0.5, 120)).astype(int),
            "total_revenue": np.round(size * rng.lognormal(4.3, 0.5, 120)).astype(int),
        }
    )
    firms.to_csv(folder / "firms.csv", index=False)
    raw = firms.iloc[np.random.default_rng(1).permutation(120)].drop(columns="enterprise_id")
    raw.to_csv(folder / "raw.csv", index=False)
    (folder / "project.yaml").write_text(FIRMS % ", ".join(columns))
    return raw, pd.read_csv(made_by_plan(folder))


@each(
    "firms",
    [
        "raw, project",
        "raw, project and original",
        "raw, original",
        "raw, nothing known",
        "made, project and original",
        "made, project",
        "raw, command",
    ],
)
def _(folder: Path, what: str) -> Any:
    _firms(folder)
    file = folder / ("made.csv" if what.startswith("made") else "raw.csv")
    if what.endswith("command"):
        return command("audit", file, "--project", folder / "project.yaml")
    known = {
        name: folder / path for name, path in (("project", "project.yaml"), ("original", "firms.csv")) if name in what
    }
    return audit(file, **known)


@each("firms, share of raw records", [("all", 1.0), ("a third", 0.3), ("a tenth", 0.1), ("three", 0.025)])
def _(folder: Path, share: float) -> Any:
    made = _firms(folder)[1]
    few = round(share * len(made))
    original = pd.read_csv(folder / "firms.csv")[AMOUNTS].astype(float)
    mixed = pd.concat([original.head(few), made[AMOUNTS].astype(float).iloc[few:]])
    mixed.sample(frac=1, random_state=1).to_csv(folder / "mixed.csv", index=False)
    return beside(folder, "mixed.csv")


_LITTLE: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "by a hair": lambda raw: (raw * 1.0001).round(3),
    "one column": lambda raw: raw.assign(employees=raw["employees"] + 0.5),
    "one column in cents": lambda raw: raw.assign(total_sales=100.0 * raw["total_sales"]),
}


@each("firms, raw and changed a little", _LITTLE.items())
def _(folder: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Any:
    raw, _ = _firms(folder, AMOUNTS[:2])
    change(raw).assign(total_revenue=raw["total_revenue"]).to_csv(folder / "data.csv", index=False)
    return beside(folder, "data.csv")


@each("firms, values hidden in a column that stays", [("none", 0.0), ("hidden", 1e-9)])
def _(folder: Path, factor: float) -> Any:
    _, made = _firms(folder, AMOUNTS[:2])
    sales = pd.read_csv(folder / "firms.csv")["total_sales"]
    made.assign(total_revenue=made["total_revenue"] + factor * sales.to_numpy()).to_csv(
        folder / "data.csv", index=False
    )
    return beside(folder, "data.csv")


@case("people, one column left raw")
def _(folder: Path) -> Any:
    rng = np.random.default_rng(5)
    income = rng.gamma(2, 900, 200).round(2)
    raw = pd.DataFrame({"age": rng.integers(18, 90, 200), "size": rng.integers(1, 400, 200), "income": income})
    raw.to_csv(folder / "people.csv", index=False)
    step = "{method: {correlated-noise: {p: 0.5}}, columns: [size, income]}"
    (folder / "project.yaml").write_text(f"version: 2\ndataset: {{path: people.csv}}\nplan:\n  steps:\n  - {step}\n")
    raw["size"] = raw["size"] + rng.integers(1, 50, 200)
    raw.sample(frac=1, random_state=2).to_csv(folder / "half.csv", index=False)
    return beside(folder, "half.csv", "people.csv")


# -- people of whom amounts are masked ---------------------------------------------------------------------

NOISE = """
version: 2
dataset: {path: people.csv}
columns:
  age: {role: key, kind: continuous}
plan:
  steps:
  - method: {%s}
    columns: [age, income, wealth]
"""
MASKS = {
    "noise": "correlated-noise: {p: 0.3}",
    "swapping": "rank-swap: {p: 10}",
    "means": "microaggregation: {partition: {mdav: {k: 4}}}",
    "synthetic": "ipso: {}",
}


@each(
    "people, share of raw records",
    [(f"{name}, {share:g}", method, share) for name, method in MASKS.items() for share in (0.0, 0.2, 1.0)],
)
def _(folder: Path, method: str, share: float) -> Any:
    rng = np.random.default_rng(1)
    income = np.round(rng.lognormal(7, 0.6, 150), 2)
    wealth = np.round(income * rng.lognormal(1, 0.5, 150))
    raw = pd.DataFrame({"age": rng.integers(18, 90, 150), "income": income, "wealth": wealth})
    raw.to_csv(folder / "people.csv", index=False)
    (folder / "project.yaml").write_text(NOISE % method)
    made = pd.read_csv(made_by_plan(folder))
    few = round(share * 150)
    mixed = pd.concat([raw.head(few), made.iloc[few:]])
    mixed.sample(frac=1, random_state=2).to_csv(folder / "mixed.csv", index=False)
    return beside(folder, "mixed.csv", "people.csv")


COARSENED = """
version: 2
dataset: {path: people.csv}
columns:
  age: {role: key, kind: ordinal, hierarchy: {intervals: {widths: [10, 20, 40]}}}
  sex: {role: key, kind: nominal}
  income: {role: confidential, kind: continuous}
scenarios:
- {name: keys, keys: [age, sex], thresholds: {risk: 0.34, share: 0}}
plan:
  steps:
  - method: {microaggregation: {partition: {mdav: {k: 5}}}}
    columns: [income]
  - method: {k-anonymise: {k: 3}}
    columns: [age, sex]
"""


@each(
    "raw amounts beside coarsened keys",
    [("made by the plan", None), ("raw", 0.0), ("by a hair", 0.01), ("by little", 3.0)],
)
def _(folder: Path, added: float | None) -> Any:
    rng = np.random.default_rng(5)
    income = np.round(rng.lognormal(10, 0.6, 150), 2)
    people = pd.DataFrame({"age": rng.integers(20, 80, 150), "sex": rng.choice(["f", "m"], 150), "income": income})
    people.to_csv(folder / "people.csv", index=False)
    (folder / "project.yaml").write_text(COARSENED)
    made_by_plan(folder)
    if added is not None:
        hidden = people.assign(age="*", income=np.round(income + added, 2))
        hidden.iloc[rng.permutation(150)].to_csv(folder / "made.csv", index=False)
    return beside(folder, "made.csv", "people.csv")


SWAPPED = """
version: 2
dataset: {path: people.csv}
columns:
  age: {role: key, kind: ordinal}
  sex: {role: key, kind: nominal}
  income: {role: confidential, kind: continuous}
plan:
  steps:
  - {method: {global-recode: {cuts: {age: [40, 60]}}}, columns: [age]}
  - {method: {rank-swap: {p: 30}}, columns: [income]}
"""


@each(
    "raw amounts among records alike",
    [
        ("made by the plan", 70, None),
        ("by one", 70, 1),
        ("by little", 70, 15),
        ("where nothing tells", 1, None),
        ("by one, where nothing tells", 1, 1),
    ],
)
def _(folder: Path, ages: int, added: int | None) -> Any:
    rng = np.random.default_rng(7)
    rows = 400 if ages > 1 else 40
    people = pd.DataFrame(
        {
            "age": 20 + rng.integers(0, ages, rows),
            "sex": rng.choice(["f", "m"], rows) if ages > 1 else ["f"] * rows,
            "income": rng.permutation(np.arange(rows) * 200 + 1000),
        }
    )
    people.to_csv(folder / "people.csv", index=False)
    (folder / "project.yaml").write_text(SWAPPED)
    project = mv.plan.Project.load(folder / "project.yaml")
    made = project.plan.run(project.read(folder), seed=KEY).frame.to_pandas()
    if added is not None:
        made["income"] = people["income"] + added
    made.iloc[rng.permutation(rows)].to_csv(folder / "shown.csv", index=False)
    return beside(folder, "shown.csv", "people.csv")


@each("files rounded as the source was", [1, 2, 3])
def _(folder: Path, number: int) -> Any:
    rng = np.random.default_rng(number)
    sales = np.round(rng.lognormal(7, 0.6, 150), -2).astype(int)
    pd.DataFrame({"employees": rng.integers(0, 60, 150), "total_sales": sales}).to_csv(
        folder / "firms.csv", index=False
    )
    stated = (FIRMS % "total_sales").replace(
        "enterprise_id: {role: identifier, kind: nominal}", "employees: {role: key}"
    )
    (folder / "project.yaml").write_text(stated.replace("k: 5", "k: 3"))
    made_by_plan(folder)
    return beside(folder, "made.csv")


SURVEY = """
version: 2
dataset: {path: people.csv}
columns: {region: {role: key}, age: {role: key}, sex: {role: key}, spent: {role: other}}
plan:
  steps:
  - {method: {record-swap: {rate: 0.02, households: false}}, columns: [region], missing: mask}
"""


@each("a plan that swaps few records", ["with the log", "with the project"])
def _(folder: Path, what: str) -> Any:
    rng = np.random.default_rng(3)
    people = pd.DataFrame({"region": rng.choice(list("nesw"), 150), "age": rng.integers(18, 90, 150)})
    people = people.assign(sex=rng.choice(["f", "m"], 150), spent=rng.gamma(2, 300, 150).round(1))
    people.to_csv(folder / "people.csv", index=False)
    (folder / "project.yaml").write_text(SURVEY)
    project = mv.plan.Project.load(folder / "project.yaml")
    release = project.plan.run(project.read(folder), seed=KEY)
    mv.write(release, folder / "released.csv", reproducible=True)
    mv.plan.save_log(release, folder / "log.json")
    if what == "with the log":
        return audit(folder / "released.csv", log=folder / "log.json", original=folder / "people.csv")
    return beside(folder, "released.csv", "people.csv")


# -- plans that only coarsen -------------------------------------------------------------------------------

PEOPLE = """
version: 2
dataset: {path: people.csv}
columns:
  age: {role: key, kind: ordinal, hierarchy: {intervals: {widths: [10, 20, 40]}}}
  area: {role: key, kind: nominal, missing: ["99"]}
  sex: {role: key, kind: nominal}
  income: {role: confidential, kind: continuous}
scenarios:
- {name: keys, keys: [age, area, sex], thresholds: {risk: 0.5, share: 90}}
plan:
  steps:
"""
SUPPRESSED = "  - {method: {local-suppression: {k: 3}}, columns: [area, sex], missing: mask}\n"
CODED = "  - {method: {top-bottom-code: {replacement: mean}}, columns: [income], missing: mask}\n"
RECODED = "  - {method: global-recode, columns: [age]}\n"
PLANS = {
    "suppressed": SUPPRESSED,
    "recoded": RECODED + CODED + SUPPRESSED,
    "rounded": "  - {method: {round: {base: 500}}, columns: [income], missing: mask}\n",
    "ranges": "  - {method: {k-anonymise: {k: 3}}, columns: [age, sex]}\n",
    "sampled": "  - {method: {sample: {fraction: 0.8}}}\n" + RECODED,
}


def _people(folder: Path, steps: str) -> pd.DataFrame:
    """People of areas with codes that look like numbers, one of which has one person; some cells are missing."""
    rng = np.random.default_rng(4)
    income = [None if place % 17 == 0 else one for place, one in enumerate(np.round(rng.lognormal(8, 0.6, 60), 2))]
    area = ["07", *rng.choice(["01", "02", "10", "99"], 59)]
    sex = rng.choice(["f", "m"], 60)
    raw = pd.DataFrame({"age": rng.integers(20, 80, 60), "area": area, "sex": sex, "income": income})
    raw.to_csv(folder / "people.csv", index=False)
    (folder / "project.yaml").write_text(PEOPLE + steps)
    return raw


@each(
    "coarsened, as made",
    [
        (f"{name}, {ending}", steps, ending)
        for name, steps in PLANS.items()
        for ending in (("csv", "xlsx", "sav", "dta", "parquet") if name == "recoded" else ("csv",))
    ],
)
def _(folder: Path, steps: str, ending: str) -> Any:
    _people(folder, steps)
    made_by_plan(folder, ending)
    return beside(folder, f"made.{ending}", "people.csv")


@each(
    "coarsened, raw records",
    [
        (f"{name}, {few}", PLANS[name], few)
        for name in ("suppressed", "recoded", "rounded", "ranges")
        for few in (1, 60)
    ],
)
def _(folder: Path, steps: str, few: int) -> Any:
    _people(folder, steps)
    made_by_plan(folder)
    raw, made = (pd.read_csv(folder / name, dtype=str, keep_default_na=False) for name in ("people.csv", "made.csv"))
    amounts = pd.to_numeric(raw["income"]).fillna(-1.0)
    lone = pd.concat([raw.head(1), raw.iloc[amounts.sort_values(ascending=False, kind="stable").index]])
    mixed = pd.concat([lone.head(few)[made.columns], made.iloc[few:]])
    mixed.iloc[np.random.default_rng(2).permutation(len(mixed))].to_csv(folder / "mixed.csv", index=False)
    return beside(folder, "mixed.csv", "people.csv")


@each("coarsened, project alone", ["made", "raw"])
def _(folder: Path, what: str) -> Any:
    raw = _people(folder, SUPPRESSED)
    made_by_plan(folder)
    raw.iloc[np.random.default_rng(1).permutation(60)].to_csv(folder / "raw.csv", index=False)
    return audit(folder / f"{what}.csv", project=folder / "project.yaml")


STAYS = """
version: 2
dataset: {path: stays.csv}
columns:
  area: {role: key, kind: nominal}
  admitted: {role: confidential, hierarchy: {dates: {}}}
  ill: {role: confidential, kind: nominal}
  income: {role: confidential, kind: continuous}
  hours: {role: confidential, kind: continuous}
scenarios:
- {name: keys, keys: [area], thresholds: {risk: 0.5, share: 90}}
plan:
  steps:
"""
YEARS = "  - {method: {global-recode: {level: 2}}, columns: [admitted]}\n"
TRUTHS = "  - {method: {global-recode: {merges: {ill: {unknown: ['True', 'False']}}}}, columns: [ill]}\n"
TOP = "  - {method: {top-bottom-code: {top: 5000}}, columns: [income]}\n"
HOURS = "  - {method: {rank-swap: {p: 30}}, columns: [hours]}\n"
SAMPLED = "  - {method: {sample: {fraction: 0.9}}}\n"
DRAWN_FIRST = "  - {method: {sample: {fraction: 0.5}}}\n  - {method: {k-anonymise: {k: 5}}, columns: [income]}\n"


def _stays(folder: Path, steps: str, ending: str = "csv") -> pd.DataFrame:
    """Stays in a hospital, what a plan gives of them, and the same stays with the hours of the plan."""
    rng = np.random.default_rng(3)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, 80), unit="D")
    raw = pd.DataFrame(
        {
            "area": rng.choice(["n", "s"], 80),
            "admitted": days.strftime("%Y-%m-%d"),
            "ill": np.where(rng.random(80) < 0.3, "true", "false"),
            "income": np.round(rng.lognormal(8.3, 0.6, 80)).astype(int),
            "hours": np.round(rng.normal(400, 90, 80), 2),
        }
    )
    raw.to_csv(folder / "stays.csv", index=False)
    (folder / "project.yaml").write_text(STAYS + steps)
    project = mv.plan.Project.load(folder / "project.yaml")
    release = project.plan.run(project.read(folder), seed=KEY)
    mv.write(release, folder / f"made.{ending}", reproducible=True)
    if len(release) == len(raw):
        raw["hours"] = np.round(np.array(release.frame["hours"].to_pylist()), 2)
    raw.iloc[np.random.default_rng(1).permutation(80)].to_csv(folder / "raw.csv", index=False)
    return raw


@each(
    "stays",
    [
        (f"{name}, {file}", steps, file)
        for name, steps in {
            "dates": YEARS,
            "truth values": TRUTHS,
            "beside perturbed ones": TOP + HOURS,
            "dates beside perturbed ones": YEARS + HOURS,
            "sampled": TOP + SAMPLED,
        }.items()
        for file in ("made", "raw")
    ],
)
def _(folder: Path, steps: str, file: str) -> Any:
    _stays(folder, steps)
    return beside(folder, f"{file}.csv", "stays.csv")


@each("stays, format", ["csv", "parquet", "xlsx", "sav", "dta"])
def _(folder: Path, ending: str) -> Any:
    _stays(folder, TOP, ending)
    return beside(folder, f"made.{ending}", "stays.csv")


@each(
    "stays, odd",
    ["raw sample of the right size", "plan that cannot be run", "classes that are drawn", "dates in another form"],
)
def _(folder: Path, what: str) -> Any:
    steps = {"raw sample of the right size": TOP + SAMPLED, "dates in another form": TOP}.get(what, DRAWN_FIRST)
    raw = _stays(folder, steps)
    if what == "raw sample of the right size":
        raw.sort_values("hours").head(72).to_csv(folder / "made.csv", index=False)
    elif what == "plan that cannot be run":
        (folder / "project.yaml").write_text(STAYS + TOP.replace("[income]", "[income, nocolumn]"))
    elif what == "dates in another form":
        made = pd.read_csv(folder / "made.csv", dtype=str)
        made["admitted"] = [".".join(reversed(day.split("-"))) for day in made["admitted"]]
        made.to_csv(folder / "made.csv", index=False)
    return beside(folder, "made.csv", "stays.csv")


AMOUNT = """
version: 2
dataset: {path: one.csv}
columns: {x: {role: confidential, kind: continuous}, area: {role: key, kind: nominal}}
plan:
  steps:
  - {method: {round: {base: 0.01}}, columns: [x]}
"""


@each(
    "amounts of a plan, another by little",
    [("the same", 0.0), ("a cent", 0.01), ("the last digit", 1e-7), ("much", 41.0)],
)
def _(folder: Path, added: float) -> Any:
    x = np.round(np.random.default_rng(8).lognormal(20, 0.7, 60), 2)
    raw = pd.DataFrame({"x": x, "area": ["n", "s"] * 30})
    raw.to_csv(folder / "one.csv", index=False)
    (folder / "project.yaml").write_text(AMOUNT)
    shown = raw.assign(
        x=[
            f"{one + (added if place == 7 else 0.0):.9g}"
            if added == 41.0
            else f"{one + (added if place == 7 else 0.0):.7f}"
            for place, one in enumerate(x)
        ]
    )
    shown.iloc[np.random.default_rng(2).permutation(60)].to_csv(folder / "shown.csv", index=False)
    return beside(folder, "shown.csv", "one.csv")
