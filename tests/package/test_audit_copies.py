"""Audit beside the original: a file that is the original in another order is not what its project says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.csv import write_csv

import microveil as mv
from microveil.package import audit
from microveil.plan.project import Project
from tests.package.firms_audited import AMOUNTS, PROJECT


def copies(file: Path, folder: Path, original: str = "firms.csv") -> list[tuple[str, str]]:
    found = audit(file, project=folder / "project.yaml", original=folder / original)
    return [(one.state, one.text) for one in found.findings if one.check == "copies"]


def test_the_original_in_another_order_breaks_the_audit(place: Path):
    ((state, text),) = copies(place / "raw.csv", place)
    assert state == "broken"
    assert "although columns are said to be perturbed" in text


def test_groups_of_five_hold_no_copies(place: Path, tmp_path: Path):
    data = mv.read(place / "firms.csv", roles={"enterprise_id": "identifier"})
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(data, columns=AMOUNTS)
    mv.write(release, tmp_path / "released.csv")
    (state, _), (said, told) = copies(tmp_path / "released.csv", place)
    assert (state, said) == ("holds", "note")
    assert "of its 120 records up to 0 (0 %) could be the original's as they are" in told  # means draw nothing


def test_a_plan_that_swaps_few_records_is_no_fault(tmp_path: Path):
    people = mv.datasets.make_survey(150, seed=3).select(["region", "age", "sex", "education", "expenditure"])
    write_csv(people, tmp_path / "people.csv")
    (tmp_path / "project.yaml").write_text(
        """
version: 1
dataset: {path: people.csv}
columns: {region: {role: key}, age: {role: key}, sex: {role: key}, education: {role: other}, expenditure: {role: other}}
plan:
  steps:
  - {method: {record-swap: {rate: 0.01}}, columns: [region], missing: mask}
"""
    )
    project = Project.load(tmp_path / "project.yaml")
    # a key under which some households change places: by chance none may
    key = "98010bd9270f9b100b6214a21754fd33bdc8d41b2bc9f9dd16ff54d3c34ffd71"
    release = project.plan.run(mv.read(tmp_path / "people.csv", **project.facts), seed=key)
    mv.write(release, tmp_path / "released.csv")
    mv.plan.save_log(release, tmp_path / "log.json")
    beside = audit(tmp_path / "released.csv", log=tmp_path / "log.json", original=tmp_path / "people.csv")
    assert not beside.broken
    states = [state for state, _ in copies(tmp_path / "released.csv", tmp_path, "people.csv")]
    assert "broken" not in states


COARSENED = """
version: 1
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


@pytest.mark.parametrize("added", [None, 0.0, 0.01, 3.0], ids=["made by the plan", "raw", "by a hair", "by little"])
def test_raw_amounts_beside_coarsened_keys_break_the_audit(tmp_path: Path, added: float | None):
    rng = np.random.default_rng(5)
    people = pa.table(
        {
            "age": rng.integers(20, 80, 150),
            "sex": rng.choice(["f", "m"], 150),
            "income": np.round(rng.lognormal(10, 0.6, 150), 2),
        }
    )
    write_csv(people, tmp_path / "people.csv")
    (tmp_path / "project.yaml").write_text(COARSENED)
    project = Project.load(tmp_path / "project.yaml")
    release = project.plan.run(mv.read(tmp_path / "people.csv", **project.facts))
    mv.write(release, tmp_path / "made.csv")
    if added is not None:
        near = np.round(people["income"].to_numpy() + added, 2)
        hidden = pa.table({"age": ["*"] * 150, "sex": people["sex"], "income": near}).take(rng.permutation(150))
        write_csv(hidden, tmp_path / "raw.csv")
    name = "made.csv" if added is None else "raw.csv"
    found = audit(tmp_path / name, project=tmp_path / "project.yaml", original=tmp_path / "people.csv")
    told = [one.text for one in found.broken if one.check == "copies"]
    assert bool(told) == (added is not None), str(found)
    assert all("so that this file was not made by it" in text for text in told)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_files_that_are_rounded_as_the_source_was_are_those_of_the_plan(tmp_path: Path, seed: int):
    rng = np.random.default_rng(seed)
    sales = np.round(rng.lognormal(7, 0.6, 150), -2).astype(int)
    write_csv(pa.table({"employees": rng.integers(0, 60, 150), "total_sales": sales}), tmp_path / "firms.csv")
    stated = PROJECT.replace("enterprise_id: {role: identifier, kind: nominal}", "employees: {role: key}")
    (tmp_path / "project.yaml").write_text(stated.replace(", total_revenue", "").replace("k: 5", "k: 3"))
    project = Project.load(tmp_path / "project.yaml")
    mv.write(project.plan.run(mv.read(tmp_path / "firms.csv", **project.facts)), tmp_path / "made.csv")
    assert all(state != "broken" for state, _ in copies(tmp_path / "made.csv", tmp_path))


NOISE = """
version: 1
dataset: {path: people.csv}
columns:
  age: {role: key, kind: continuous}
plan:
  steps:
  - method: {%s}
    columns: [age, income, wealth]
"""


def people_in(folder: Path, method: str, n: int = 150, seed: int = 1) -> tuple[mv.Microdata, pa.Table]:
    """People of whom all amounts are masked; what the plan makes of them, as it would be written."""
    rng = np.random.default_rng(seed)
    income = np.round(rng.lognormal(7, 0.6, n), 2)
    raw = {"age": rng.integers(18, 90, n), "income": income, "wealth": np.round(income * rng.lognormal(1, 0.5, n))}
    write_csv(pa.table(raw), folder / "people.csv")
    (folder / "project.yaml").write_text(NOISE % method)
    project = Project.load(folder / "project.yaml")
    data = mv.read(folder / "people.csv", **project.facts)
    mv.write(project.plan.run(data), folder / "made.csv")
    return data, mv.read(folder / "made.csv").frame


def judged_copies(folder: Path, made: pa.Table, raw: pa.Table, share: float) -> list[tuple[str, str]]:
    """What is said of a file in which this share of the records is raw."""
    few = round(share * len(made))
    mixed = pa.concat_tables([raw.slice(0, few).cast(made.schema), made.slice(few)])
    write_csv(mixed.take(np.random.default_rng(2).permutation(len(mixed))), folder / "mixed.csv")
    found = audit(folder / "mixed.csv", project=folder / "project.yaml", original=folder / "people.csv")
    return [(one.state, str(one)) for one in found.findings if one.check == "copies"]


@pytest.mark.parametrize(
    "method",
    ["correlated-noise: {p: 0.3}", "rank-swap: {p: 10}", "microaggregation: {partition: {mdav: {k: 4}}}", "ipso: {}"],
    ids=["noise", "swapping", "means", "synthetic"],
)
def test_raw_records_among_150_are_found_down_to_the_share_that_is_told(tmp_path: Path, method: str):
    data, made = people_in(tmp_path, method)
    raw = data.frame.select(made.column_names)
    honest = judged_copies(tmp_path, made, raw, 0.0)
    assert all(state != "broken" for state, _ in honest), honest
    told = honest[-1][1]
    assert "Give log=..." in told
    unseen = int(re.search(r"of its 150 records up to (\d+) ", told)[1])
    assert unseen <= 6  # 4 per cent
    assert any(state == "broken" for state, _ in judged_copies(tmp_path, made, raw, (unseen + 2) / 150))


SWAPPED = """
version: 1
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


@pytest.mark.parametrize(
    ("ages", "added", "state"),
    [(70, None, "note"), (70, 1, "broken"), (70, 15, "broken"), (1, None, "undecided"), (1, 1, "undecided")],
    ids=["made by the plan", "by one", "by little", "in a file that tells nothing", "by one, where nothing tells"],
)
def test_raw_amounts_are_found_among_records_alike_or_left_open(
    tmp_path: Path, ages: int, added: int | None, state: str
):
    rng = np.random.default_rng(7)
    n = 400 if ages > 1 else 40
    people = pa.table(
        {
            "age": 20 + rng.integers(0, ages, n),
            "sex": rng.choice(["f", "m"], n) if ages > 1 else ["f"] * n,
            "income": rng.permutation(np.arange(n) * 200 + 1000),
        }
    )
    write_csv(people, tmp_path / "people.csv")
    (tmp_path / "project.yaml").write_text(SWAPPED)
    project = Project.load(tmp_path / "project.yaml")
    release = project.plan.run(mv.read(tmp_path / "people.csv", **project.facts))
    made = release.narwhal.to_arrow()
    if added is not None:
        place = made.column_names.index("income")
        made = made.set_column(place, "income", pa.array(people["income"].to_numpy() + added))
    write_csv(made.take(rng.permutation(n)), tmp_path / "made.csv")
    (*_, (said, told)) = copies(tmp_path / "made.csv", tmp_path, "people.csv")
    assert said == state, told
    assert ("more than 50 % cannot be left open" in told) == (state == "undecided")
