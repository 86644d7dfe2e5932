"""Audits of what the model of a plan asks for: every part is counted on the file, or said not to be."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import microveil as mv
from microveil.core.open_types import Json
from microveil.package import audit, write_package
from microveil.plan import Plan, Project

GRADES = ["mild", "moderate", "severe"]
FACTS: Json = {
    "roles": {"area": "key", "sex": "key", "weight": "weight", "illness": "confidential", "grade": "confidential"},
    "kinds": {"grade": "ordinal"},
    "levels": {"grade": GRADES},
}


def raw() -> pd.DataFrame:
    """Sixteen areas with two people each, whom the areas tell apart by their illness."""
    rows = range(32)
    return pd.DataFrame(
        {
            "area": [f"area {7 * i % 16:02d}" for i in rows],
            "sex": [("f", "m")[i // 16] for i in rows],
            "weight": [10.0 + 3 * i % 7 for i in rows],
            "illness": [("flu", "gout", "none", "none")[i * i % 11 % 4] for i in rows],
            "grade": [GRADES[(i * 5) % 7 % 3] for i in rows],
        }
    )


def project_with(folder: Path, model: mv.Anonymity, facts: Json | None = None) -> Path:
    """A project whose plan asks for a model, and nothing else."""
    columns = {name: {"role": role} for name, role in FACTS["roles"].items()}
    columns["grade"] |= {"kind": "ordinal", "levels": GRADES}
    for name, fact in (facts or {}).items():
        columns[name] |= fact
    plan = Plan([mv.plan.Step(mv.mask.Lattice(model=model), ("area", "sex"))])
    path = folder / "project.yaml"
    Project("raw.csv", columns=columns, plan=plan).save(path)
    return path


@pytest.mark.parametrize(
    ("asks", "told"),
    [
        ({"sensitive": ("illness",), "beta": 0.5}, "times as frequent"),
        ({"average_risk": 0.1}, "the mean risk is 1, 0.1 is allowed"),
        ({"highest_risk": 0.1}, "k is 1, 10 is asked for"),
        ({"population": 500.0}, "stands for 10 people, 500 are asked for"),
        ({"share_at_risk": 0.1}, "100 % of the records have a risk above 0.2, 10 % are allowed"),
        ({"uniqueness": 0.1}, "100 % of the records are alone, 10 % are allowed"),
        ({"key_sets": (("sex",), ("area",)), "highest_risk": 0.1}, "classes of area: k is 2, 10 is asked for"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_raw_data_break_whatever_a_model_asks_for(tmp_path: Path, asks: Json, told: str):
    raw().to_csv(tmp_path / "raw.csv", index=False)
    found = audit(tmp_path / "raw.csv", project=project_with(tmp_path, mv.Anonymity(k=1, **asks)))
    assert told in "\n".join(map(str, found.broken)), str(found)


def test_distances_along_a_hierarchy_are_measured(tmp_path: Path):
    raw().to_csv(tmp_path / "raw.csv", index=False)
    tree = {"flu": ["ill"], "gout": ["ill"], "none": ["well"]}
    model = mv.Anonymity(k=1, sensitive=("illness",), t=0.1, distance="hierarchy")
    found = audit(tmp_path / "raw.csv", project=project_with(tmp_path, model, {"illness": {"hierarchy": tree}}))
    assert "of illness is" in "\n".join(map(str, found.broken)), str(found)


@pytest.mark.parametrize(
    ("asks", "told"),
    [
        ({"register": 5}, "register is not counted on a file"),
        ({"population": 500.0, "population_size": 3200}, "how many people a record stands for is not told"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_cannot_be_counted_is_said_and_is_no_ground(tmp_path: Path, asks: Json, told: str):
    raw().to_csv(tmp_path / "raw.csv", index=False)
    found = audit(tmp_path / "raw.csv", project=project_with(tmp_path, mv.Anonymity(k=1, **asks)))
    assert not found.ok
    assert told in str(found)
    assert found.undecided


def test_people_are_counted_by_the_size_of_the_population_beside_the_original(tmp_path: Path):
    raw().to_csv(tmp_path / "raw.csv", index=False)
    project = project_with(tmp_path, mv.Anonymity(k=1, population=500.0, population_size=3200))
    found = audit(tmp_path / "raw.csv", project=project, original=tmp_path / "raw.csv")
    # 100 people for each of 32 records: five records are 500 people
    assert "k is 1, 5 is asked for" in "\n".join(map(str, found.broken))


def test_sets_of_keys_are_counted_each_by_itself(tmp_path: Path):
    raw().to_csv(tmp_path / "raw.csv", index=False)
    model = mv.Anonymity(k=2, key_sets=(("sex",), ("area",)))
    found = audit(tmp_path / "raw.csv", project=project_with(tmp_path, model))
    assert not found.broken, str(found)
    assert "classes of sex: k is 16, 2 is asked for" in str(found)


@pytest.mark.parametrize("distance", [None, "ordered"])
def test_the_order_of_levels_is_that_of_the_project(tmp_path: Path, distance: str | None):
    frame = pd.concat([raw()] * 3, ignore_index=True)
    frame.to_csv(tmp_path / "raw.csv", index=False)
    data = mv.read(tmp_path / "raw.csv", **FACTS)
    model = mv.Anonymity(k=4, sensitive=("grade",), t=0.12, distance=distance)
    release = mv.mask.KAnonymise(model=model).apply(data, columns=["area", "sex"])
    made = write_package(release, tmp_path / "0001", ["csv", "xlsx"])
    told = str(audit(made.public, log=made.internal / "log.json", original=tmp_path / "raw.csv"))
    assert "of grade is" in told
    assert "BROKEN" not in told


def test_weights_with_gaps_do_not_end_an_audit_and_limits_are_judged_by_records(tmp_path: Path):
    raw().assign(weight=[None, *range(1, 32)]).to_csv(tmp_path / "raw.csv", index=False)
    found = audit(tmp_path / "raw.csv", project=project_with(tmp_path, mv.Anonymity(k=3)))
    assert "k is 1, 3 is asked for" in "\n".join(map(str, found.broken)), str(found)


BY_ITS_OWN_STEP = """
version: 1
dataset: {path: raw.csv}
columns:
  area: {role: key}
  sex: {role: key}
  illness: {role: confidential}
  grade: {role: confidential}
scenarios:
- {name: neighbour, keys: [area, sex], thresholds: {risk: 0.5}}
plan:
  steps:
  - {method: {k-anonymise: {k: 3}}, columns: [area, sex]}
  - {method: {local-suppression: {k: 3, missing: wildcard}}, columns: [%s]}
"""


@pytest.mark.parametrize("columns", ["illness, grade", "sex, grade"], ids=["other columns", "one of its columns"])
def test_the_gaps_of_one_step_do_not_agree_with_any_value_in_what_another_promises(tmp_path: Path, columns: str):
    frame = raw().drop(columns="weight")
    blank = frame.head(4).assign(area=None, sex=None)
    pd.concat([frame, blank]).sample(frac=1, random_state=1).to_csv(tmp_path / "raw.csv", index=False)
    (tmp_path / "project.yaml").write_text(BY_ITS_OWN_STEP % columns)
    told = "\n".join(map(str, audit(tmp_path / "raw.csv", project=tmp_path / "project.yaml").broken))
    assert "classes of area, sex: k is 1, 3 is asked for" in told
    assert "scenario 'neighbour': k is 1 with a missing value" in told
    suppressed = (BY_ITS_OWN_STEP % "area, sex").replace(
        "  - {method: {k-anonymise: {k: 3}}, columns: [area, sex]}\n", ""
    )
    (tmp_path / "project.yaml").write_text(suppressed)
    told = str(audit(tmp_path / "raw.csv", project=tmp_path / "project.yaml"))
    assert "classes of area, sex: k is 5, 3 is asked for" in told  # as this step promises
