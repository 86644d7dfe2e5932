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


def residents(n: int = 60) -> pa.Table:
    """People of areas with codes that look like numbers, one of which nobody else lives in; some cells are missing."""
    rng = np.random.default_rng(4)
    income = [None if i % 17 == 0 else amount for i, amount in enumerate(np.round(rng.lognormal(8, 0.6, n), 2))]
    area = ["07", *rng.choice(["01", "02", "10", "99"], n - 1)]
    return pa.table({"age": rng.integers(20, 80, n), "area": area, "sex": rng.choice(["f", "m"], n), "income": income})


def made_by(folder: Path, steps: str, ending: str = "csv") -> Path:
    """A file that a plan gives, beside project and original."""
    text_files.write_csv(residents(), folder / "people.csv")
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
        *((PLANS["recoded"], ending) for ending in ("xlsx", "dta")),
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
    text_files.write_csv(residents().take(np.random.default_rng(1).permutation(60)), tmp_path / "raw.csv")
    found = audit(tmp_path / "raw.csv", project=tmp_path / "project.yaml")
    assert any("classes of area, sex: k is 1, 3 is asked for" in one.text for one in found.broken), str(found)


def test_the_records_of_a_sample_are_compared_with_all_that_its_plan_could_give(tmp_path: Path):
    found = beside(made_by(tmp_path, "  - {method: {sample: {fraction: 0.8}}}\n" + RECODED))
    assert "every record is one that the plan gives of the original" in str(found)


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
TRUTHS = "  - {method: {global-recode: {merges: {ill: {unknown: [%s]}}}}, columns: [ill]}\n"
TOP = "  - {method: {top-bottom-code: {top: 5000}}, columns: [income]}\n"
SWAPPED = "  - {method: {rank-swap: {p: 30}}, columns: [hours]}\n"
SAMPLED = "  - {method: {sample: {fraction: 0.9}}}\n"
DRAWN_FIRST = "  - {method: {sample: {fraction: 0.5}}}\n  - {method: {k-anonymise: {k: 5}}, columns: [income]}\n"


def stays(n: int = 80) -> pa.Table:
    rng = np.random.default_rng(3)
    return pa.table(
        {
            "area": rng.choice(["n", "s"], n),
            "admitted": np.datetime64("2020-01-01") + rng.integers(0, 1500, n),
            "ill": rng.random(n) < 0.3,
            "income": np.round(rng.lognormal(8.3, 0.6, n)).astype(int),
            "hours": np.round(rng.normal(400, 90, n), 2),
        }
    )


def of_stays(folder: Path, steps: str, ending: str = "csv") -> tuple[Path, pa.Table]:
    """A file that a plan gives of stays in a hospital, and the same stays with the amounts of the plan at hand."""
    raw = stays()
    text_files.write_csv(raw, folder / "stays.csv")
    (folder / "project.yaml").write_text(STAYS + steps)
    project = Project.load(folder / "project.yaml")
    release = project.plan.run(mv.read(folder / "stays.csv", **project.facts))
    mv.write(release, folder / f"made.{ending}")
    if len(release) == len(raw):
        hours = pa.array(np.round(release.narwhal.get_column("hours").to_numpy(), 2))
        raw = raw.set_column(raw.column_names.index("hours"), "hours", hours)
    order = np.random.default_rng(1).permutation(len(raw))
    text_files.write_csv(raw.take(order), folder / "raw.csv")
    return folder / f"made.{ending}", raw


def beside_stays(file: Path) -> Audit:
    return audit(file, project=file.parent / "project.yaml", original=file.parent / "stays.csv")


def seen_in(found: Audit) -> list[tuple[str, str]]:
    return [(one.state, one.text) for one in found.findings if one.check == "copies"]


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (YEARS, "none that the plan gives"),
        (TRUTHS % "'True', 'False'", "none that the plan gives"),
        (TOP + SWAPPED, "none that the plan gives"),
        (YEARS + SWAPPED, "none that the plan gives"),
        (TOP + SAMPLED, "it has 80 records, and the plan gives 72"),
    ],
    ids=["dates", "truth values", "beside perturbed ones", "dates beside perturbed ones", "sampled"],
)
def test_raw_columns_of_every_type_in_the_place_of_coarsened_ones_are_found(tmp_path: Path, steps: str, told: str):
    made, _ = of_stays(tmp_path, steps)
    honest = seen_in(beside_stays(made))
    assert all(state in ("holds", "note") for state, _ in honest), honest
    raw = seen_in(beside_stays(tmp_path / "raw.csv"))
    assert any(state == "broken" and told in text for state, text in raw), raw


def test_raw_records_in_a_sample_of_the_right_size_are_found(tmp_path: Path):
    _, raw = of_stays(tmp_path, TOP + SAMPLED)
    text_files.write_csv(raw.sort_by([("hours", "ascending")]).slice(0, 72), tmp_path / "raw.csv")
    found = seen_in(beside_stays(tmp_path / "raw.csv"))
    assert any(state == "broken" and "none that the plan gives" in text for state, text in found), found


@pytest.mark.parametrize(
    "ending", ["csv", "dta", *(pytest.param(one, marks=pytest.mark.full) for one in ("parquet", "xlsx", "sav"))]
)
def test_dates_and_truth_values_are_the_same_in_every_format(tmp_path: Path, ending: str):
    found = seen_in(beside_stays(of_stays(tmp_path, TOP, ending)[0]))
    assert ("holds", f"made.{ending}: every record is one that the plan gives of the original.") in found, found


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (TOP.replace("[income]", "[income, nocolumn]"), "could not be laid beside what the plan gives"),
        (DRAWN_FIRST, "more than 50 % cannot be left open"),
    ],
    ids=["plan that cannot be run", "classes that are drawn"],
)
def test_what_cannot_be_compared_is_undecided_beside_the_original(tmp_path: Path, steps: str, told: str):
    of_stays(tmp_path, DRAWN_FIRST)
    (tmp_path / "project.yaml").write_text(STAYS + steps)
    found = beside_stays(tmp_path / "made.csv")
    assert not found.broken, str(found)
    assert any(told in one.text for one in found.undecided), str(found)


def test_dates_in_another_form_than_the_plan_gives_are_undecided(tmp_path: Path):
    made, _ = of_stays(tmp_path, TOP)
    lines = [line.split(",") for line in made.read_text().splitlines()]
    place = lines[0].index("admitted")
    for line in lines[1:]:
        line[place] = ".".join(reversed(line[place].strip('"').split("-")))
    made.write_text("\n".join(map(",".join, lines)) + "\n")
    found = beside_stays(made)
    assert any("admitted could not be laid beside" in one.text for one in found.undecided), str(found)
