"""Files of hybrids with rules, written, read back by other programs and counted by other means."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from benchmarks import rule_files
from benchmarks.edits import broken_records, measured, moved_moments

from tests.marks import ANY_FILE
from tests.reference import shared_file

MAKES = {
    "census": rule_files.census,
    "eia": rule_files.eia_corrected,
    "thyroid": rule_files.thyroid,
    "enterprises": lambda: rule_files.enterprises(1_500),
    "survey": lambda: rule_files.survey(1_500),
}


@pytest.fixture(params=MAKES)
def file(request):
    if request.param in ("census", "eia", "thyroid"):
        shared_file("data", f"{request.param}.csv")
    return MAKES[request.param]()


@ANY_FILE
def test_exact_files_keep_every_rule_and_all_moments(file):
    found = measured(file, file.by, "keep exact")
    assert found["broken"] == 0
    assert found["least group"] >= 10
    errors = [found[head] for head in found if head.startswith(("means", "covariances"))]
    assert len(errors) == 6
    assert max(errors) < 1e-9


@ANY_FILE
def test_rounded_files_keep_every_rule_and_sums_of_groups(file):
    found = measured(file, None, "round")
    assert found["broken"] == 0
    assert found["least group"] >= 10
    # some values of Thyroid are finer than most of their column, and sums of groups with them
    assert found["means, groups"] < (0.1 if file.name == "Thyroid" else 1e-9)
    assert found["means, file"] < (1e-4 if file.name == "Thyroid" else 1e-9)


def test_the_count_finds_what_is_broken():
    frame = pd.DataFrame({"a": [1.0, -1e-9, np.nan, 3.0], "b": [1.0, 2.0, 3.0, 2.0]})
    assert broken_records(frame, ["a >= 0"], exactly=False) == 1
    assert broken_records(frame, ["a <= b"], exactly=False) == 1
    frame["t"] = frame["a"] + frame["b"] + [0.0, 0.0, 0.0, 1e-9]
    assert broken_records(frame, ["t == a + b"], exactly=False) == 1
    frame.loc[0, "t"] *= 1 + 1e-15
    assert broken_records(frame, ["t == a + b"], exactly=False) == 1
    assert broken_records(frame, ["t == a + b"], exactly=True) == 2
    assert broken_records(frame, ["a >= 0", "t == a + b"], exactly=True) == 3


def test_the_measure_finds_moments_that_moved():
    before = pd.DataFrame({"a": [1.0, 2.0, 3.0, 10.0, 20.0, 30.0], "b": [3.0, 1.0, 2.0, 1.0, 2.0, 3.0]})
    labels = np.array([0, 0, 0, 1, 1, 1])
    changed_places = before.iloc[[1, 2, 0, 3, 4, 5]].reset_index(drop=True)
    assert max(moved_moments(before, changed_places, labels)) < 1e-12
    across = before.iloc[[3, 1, 2, 0, 4, 5]].reset_index(drop=True)
    assert moved_moments(before, across, labels)[0] > 1
    assert max(moved_moments(before, across, np.zeros(6, np.int64))) < 1e-12
    apart = before.assign(b=before["b"].to_numpy()[[1, 0, 2, 3, 4, 5]])
    means, covariances = moved_moments(before, apart, labels)
    assert means < 1e-12
    assert covariances > 0.1
    gap = before.assign(a=[np.nan, 2.0, 3.0, 10.0, 20.0, 30.0])
    assert moved_moments(before, gap, labels) == (np.inf, np.inf)
