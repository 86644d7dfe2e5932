"""Hybrid methods around gaps: records with the same gaps are protected together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core import MissingValues
from microveil.hybrid import LocalSynthesis, MicroHybrid
from microveil.partition import MDAV

METHODS = [
    MicroHybrid(partition=MDAV(k=12)),
    LocalSynthesis(k=30, families=("VVV", "EEI"), max_groups=3),
]


@pytest.fixture
def file():
    """Three amounts; 60 records lack the first, 50 the second, 40 both, 3 all."""
    rng = np.random.default_rng(5)
    X = rng.gamma(2.0, 10.0, size=(400, 3)) @ np.array([[1, 0.5, 0.2], [0, 1, 0.4], [0, 0, 1]])
    X[:60, 0] = np.nan
    X[60:110, 1] = np.nan
    X[110:150, :2] = np.nan
    X[150:153] = np.nan
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["sex"] = np.tile(["f", "m"], 200)
    return frame.sample(frac=1.0, random_state=1).reset_index(drop=True)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_observed_values_keep_their_moments_and_gaps_stay(method, file):
    release = method.apply(file, columns=list("abc"), missing="mask", seed=1)
    before, after = file.loc[release.origin].reset_index(drop=True), release.frame.reset_index(drop=True)
    assert len(after) == 397  # three records without any value are too few to hide among each other
    assert any(
        "3 of 400 records were left out, because too few others miss the same values" in note for note in release.notes
    )
    assert after[list("abc")].isna().equals(before[list("abc")].isna())
    for columns in (["a"], ["b"], ["c"], ["a", "b"], ["b", "c"], ["a", "b", "c"]):
        seen = before[columns].notna().all(axis=1)
        assert np.allclose(after.loc[seen, columns].mean(), before.loc[seen, columns].mean(), rtol=1e-9)
        x, y = (frame.loc[seen, columns].cov() for frame in (before, after))
        assert np.allclose(y, x, rtol=1e-8)
    assert (before["a"] != after["a"])[before["a"].notna()].mean() > 0.99


def test_records_of_a_group_have_the_same_gaps_so_that_these_tell_nothing(file):
    release = METHODS[0].apply(file[list("abc")], missing="mask", seed=1)
    gaps = release.frame.isna()
    assert (gaps.groupby(release.groups).nunique() == 1).all().all()
    assert release.guarantee.k == 12


def test_what_is_true_of_all_patterns_is_told_once(file):
    method = MicroHybrid(partition=MDAV(k=12), categories="multinomial")
    notes = method.apply(file, columns=["a", "b", "c", "sex"], missing="mask", seed=1).notes
    assert [note for note in notes if "drawn from the categories" in note] == [
        "sex: drawn from the categories of the group, each column by itself"
    ]
    assert sum("values of a column were free to change" in note for note in notes) == 2


def test_a_kept_number_with_gaps_counts_as_well(file):
    release = METHODS[0].apply(file, columns=["b", "c"], given=["a"], missing="mask", seed=1)
    before, after = file.loc[release.origin].reset_index(drop=True), release.frame.reset_index(drop=True)
    complete = before[["a", "b", "c"]].notna().all(axis=1)
    x, y = (frame.loc[complete, ["a", "b", "c"]].cov() for frame in (before, after))
    assert np.allclose(y, x, rtol=1e-8)
    assert after["a"].equals(before["a"])


def test_subdomains_have_patterns_of_their_own(file):
    release = METHODS[0].apply(file, columns=list("abc"), by="sex", missing="mask", seed=1)
    for sex in "fm":
        rows = (release.frame["sex"] == sex).to_numpy()
        before = file.loc[release.origin].reset_index(drop=True)[rows]
        assert np.allclose(release.frame[rows]["c"].mean(), before["c"].mean(), rtol=1e-9)


def test_gaps_that_nobody_shares_are_refused(file):
    lonely = file.iloc[:20].copy()
    with pytest.raises(MissingValues, match="too few records have the same gaps for micro-hybrid; use missing='drop'"):
        METHODS[0].apply(lonely.assign(d=np.where(np.arange(20) % 2, np.nan, 1.0) * np.arange(20)), missing="mask")
