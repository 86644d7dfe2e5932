"""Tamper cases about what a project says: raw records in place of what its plan gives, keys, weights, rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import microveil as mv
from tests.frozen._tampering import KEY, audit, case, command, each, frame, made_by_plan

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


def _beside(folder: Path, name: str, original: str = "firms.csv") -> Any:
    return audit(folder / name, project=folder / "project.yaml", original=folder / original)


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
    return _beside(folder, "mixed.csv")


_LITTLE: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "by a hair": lambda raw: (raw * 1.0001).round(3),
    "one column": lambda raw: raw.assign(employees=raw["employees"] + 0.5),
    "one column in cents": lambda raw: raw.assign(total_sales=100.0 * raw["total_sales"]),
}


@each("firms, raw and changed a little", _LITTLE.items())
def _(folder: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Any:
    raw, _ = _firms(folder, AMOUNTS[:2])
    change(raw).assign(total_revenue=raw["total_revenue"]).to_csv(folder / "data.csv", index=False)
    return _beside(folder, "data.csv")


@each("firms, values hidden in a column that stays", [("none", 0.0), ("hidden", 1e-9)])
def _(folder: Path, factor: float) -> Any:
    _, made = _firms(folder, AMOUNTS[:2])
    sales = pd.read_csv(folder / "firms.csv")["total_sales"]
    made.assign(total_revenue=made["total_revenue"] + factor * sales.to_numpy()).to_csv(
        folder / "data.csv", index=False
    )
    return _beside(folder, "data.csv")


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
    return _beside(folder, "half.csv", "people.csv")


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
    return _beside(folder, "mixed.csv", "people.csv")


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
    return _beside(folder, "made.csv", "people.csv")


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
    return _beside(folder, "shown.csv", "people.csv")


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
    return _beside(folder, "made.csv")


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
    return _beside(folder, "released.csv", "people.csv")


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
    return _beside(folder, f"made.{ending}", "people.csv")


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
    return _beside(folder, "mixed.csv", "people.csv")


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
    return _beside(folder, f"{file}.csv", "stays.csv")


@each("stays, format", ["csv", "parquet", "xlsx", "sav", "dta"])
def _(folder: Path, ending: str) -> Any:
    _stays(folder, TOP, ending)
    return _beside(folder, f"made.{ending}", "stays.csv")


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
    return _beside(folder, "made.csv", "stays.csv")


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
    return _beside(folder, "shown.csv", "one.csv")


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
    return _beside(folder, "shown.csv", "people.csv")


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
    return _beside(folder, "shown.csv", "people.csv")


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
