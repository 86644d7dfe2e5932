"""Weights and numbers of households in files that a plan is said to have made."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.package import Audit, audit
from microveil.plan.project import Project

PROJECT = """
version: 1
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
SAMPLE = "  - {method: {sample: {fraction: 0.7}}}\n"
BY_AREA = "  - {method: {sample: {size: 30}}, by: [area]}\n"


def made_by(folder: Path, steps: str, homes: str = "Baker Street {}") -> tuple[pd.DataFrame, pd.DataFrame]:
    """The original and what a plan gives of it."""
    rng, n = np.random.default_rng(5), 100
    raw = pd.DataFrame(
        {
            "area": rng.choice(["n", "s"], n, p=[0.6, 0.4]),
            "age": rng.integers(18, 90, n),
            "income": np.round(rng.lognormal(8, 0.5, n)),
            "home": [homes.format(1 + i // 3) for i in range(n)],
            "w": np.round(rng.uniform(1, 9, n), 3),
        }
    )
    raw.to_csv(folder / "people.csv", index=False)
    (folder / "project.yaml").write_text(PROJECT + steps)
    project = Project.load(folder / "project.yaml")
    release = project.plan.run(mv.read(folder / "people.csv", **project.facts))
    mv.write(release, folder / "made.csv")
    return raw, pd.read_csv(folder / "made.csv")


def beside(folder: Path, data: pd.DataFrame) -> Audit:
    data.to_csv(folder / "shown.csv", index=False)
    return audit(folder / "shown.csv", project=folder / "project.yaml", original=folder / "people.csv")


def test_weights_of_a_sample_are_the_true_ones_times_one_factor(tmp_path: Path):
    _, made = made_by(tmp_path, SAMPLE)
    honest = beside(tmp_path, made)
    assert honest.ok, str(honest)
    for others in (np.arange(len(made)) + 1001.0, made["w"] * 0.7, made["w"].where(made.index > 0, 5.55555)):
        found = beside(tmp_path, made.assign(w=others))
        assert any("are not the true ones times a common factor" in one.text for one in found.broken), str(found)


@pytest.mark.parametrize(("steps", "weights"), [(BY_AREA, "numbers"), (SAMPLE, "texts")])
def test_weights_that_cannot_be_compared_are_left_open(tmp_path: Path, steps: str, weights: str):
    _, made = made_by(tmp_path, steps)
    found = beside(tmp_path, made if weights == "numbers" else made.assign(w="w" + made["w"].astype(str)))
    assert not found.broken, str(found)
    assert any("the weights in 'w' could not be laid beside the true ones" in one.text for one in found.undecided)


@pytest.mark.parametrize("homes", ["Baker Street {}", "70{}", "1{}.0"], ids=["texts", "numbers", "with a point"])
def test_households_of_the_original_are_found(tmp_path: Path, homes: str):
    raw, made = made_by(tmp_path, "", homes)
    honest = beside(tmp_path, made)
    assert honest.ok, str(honest)
    assert "the values of home are not those of the original" in str(honest)
    by_income = raw.drop_duplicates("income").set_index("income")["home"]
    found = beside(tmp_path, made.assign(home=made["income"].map(by_income)))
    assert any("in the column 'home' still have the value of the original" in one.text for one in found.broken)


def test_numbers_from_one_on_say_nothing_of_the_original(tmp_path: Path):
    _, made = made_by(tmp_path, "", "{}")
    assert beside(tmp_path, made).ok
