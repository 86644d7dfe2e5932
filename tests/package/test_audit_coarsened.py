"""Audits of plans that only coarsen: raw data in the place of what they give are found, and honest files are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as text_files
import pytest

import microveil as mv
from microveil.package import Audit, audit
from microveil.plan.project import Project

PROJECT = """
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
}


def people(n: int = 60) -> pa.Table:
    """People of areas with codes that look like numbers, one of which nobody else lives in; some cells are missing."""
    rng = np.random.default_rng(4)
    income = [None if i % 17 == 0 else amount for i, amount in enumerate(np.round(rng.lognormal(8, 0.6, n), 2))]
    area = ["07", *rng.choice(["01", "02", "10", "99"], n - 1)]
    return pa.table({"age": rng.integers(20, 80, n), "area": area, "sex": rng.choice(["f", "m"], n), "income": income})


def made_by(folder: Path, steps: str, ending: str = "csv") -> Path:
    """A file that a plan gives, beside project and original."""
    text_files.write_csv(people(), folder / "people.csv")
    (folder / "project.yaml").write_text(PROJECT + steps)
    project = Project.load(folder / "project.yaml")
    release = project.plan.run(mv.read(folder / "people.csv", **project.facts))
    mv.write(release, folder / f"made.{ending}")
    return folder / f"made.{ending}"


def beside(file: Path) -> Audit:
    return audit(file, project=file.parent / "project.yaml", original=file.parent / "people.csv")


@pytest.mark.parametrize(
    ("steps", "ending"),
    [
        *((PLANS["recoded"], ending) for ending in ("xlsx", "sav", "dta", "parquet")),
        *((one, "csv") for one in PLANS.values()),
    ],
)
def test_what_a_plan_gives_is_found_to_be_so(tmp_path: Path, steps: str, ending: str):
    found = beside(made_by(tmp_path, steps, ending))
    assert not found.broken, str(found)
    assert "every record is one that the plan gives of the original" in str(found)


@pytest.mark.parametrize("few", [1, 60], ids=["one record", "all records"])
@pytest.mark.parametrize("steps", PLANS.values(), ids=PLANS)
def test_raw_records_in_the_place_of_coarsened_ones_are_found(tmp_path: Path, steps: str, few: int):
    made_by(tmp_path, steps)
    raw, made = (text_files.read_csv(tmp_path / name, convert_options=AS_TEXT) for name in ("people.csv", "made.csv"))
    largest = raw.sort_by([("income", "descending"), ("area", "descending")])
    lone = pa.concat_tables([raw.slice(0, 1), largest])
    mixed = pa.concat_tables([lone.slice(0, few).select(made.column_names), made.slice(few)])
    text_files.write_csv(mixed.take(np.random.default_rng(2).permutation(len(mixed))), tmp_path / "mixed.csv")
    told = [one.text for one in beside(tmp_path / "mixed.csv").broken if one.check == "copies"]
    assert ["so that this file was not made by it" in text for text in told] == [True]


AS_TEXT = text_files.ConvertOptions(column_types=dict.fromkeys(["age", "area", "sex", "income"], pa.string()))


def test_the_k_of_suppressed_cells_is_counted_with_the_project_alone(tmp_path: Path):
    made = made_by(tmp_path, SUPPRESSED)
    assert "classes of area, sex: k is" in str(audit(made, project=tmp_path / "project.yaml"))
    assert audit(made, project=tmp_path / "project.yaml").ok
    text_files.write_csv(people().take(np.random.default_rng(1).permutation(60)), tmp_path / "raw.csv")
    found = audit(tmp_path / "raw.csv", project=tmp_path / "project.yaml")
    assert any("classes of area, sex: k is 1, 3 is asked for" in one.text for one in found.broken), str(found)


def test_records_of_a_plan_that_draws_are_said_not_to_be_compared(tmp_path: Path):
    found = beside(made_by(tmp_path, "  - {method: {sample: {fraction: 0.8}}}\n" + RECODED))
    assert not found.broken, str(found)
    assert "the plan draws at random, so that records were not compared" in str(found)
