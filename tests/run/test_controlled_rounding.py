"""Releases in the digits of the source, inside the rules of the data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from tests.firms import AMOUNTS, as_data, broken_rules, firms, released, with_gaps

HYBRID = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=8))
CORE = mv.hybrid.CholeskyHybrid(core="feasible", mask=mv.mask.RankSwap(p=10))


@pytest.mark.parametrize("method", [HYBRID, CORE], ids=lambda method: method.name)
def test_whole_amounts_keep_every_rule_and_every_sum(method):
    frame = firms()
    release = released(method, frame)
    assert broken_rules(release.frame) == {}
    assert (release.frame[AMOUNTS] == np.rint(release.frame[AMOUNTS])).all(axis=None)
    assert (release.frame[AMOUNTS].sum() == frame[AMOUNTS].sum()).all()


def test_sums_stay_in_every_group_and_subdomain():
    frame = firms()
    release = released(HYBRID, frame, by="region")
    for rows in frame.groupby("region").groups.values():
        assert (release.frame.loc[rows, AMOUNTS].sum() == frame.loc[rows, AMOUNTS].sum()).all()
    labels = np.asarray(next(iter(release._state.groupings.values())))
    for group in np.unique(labels):
        assert (release.frame[labels == group][AMOUNTS].sum() == frame[labels == group][AMOUNTS].sum()).all()
    assert any("so that sums of groups stay, and rules where they can" in note for note in release.notes)


def test_subdomains_keep_sums_where_groups_of_a_mask_do_not():
    frame = firms()
    method = mv.hybrid.CholeskyHybrid(core="feasible", mask=mv.mask.Microaggregation())
    release = released(method, frame, by="region")
    for rows in frame.groupby("region").groups.values():
        assert (release.frame.loc[rows, AMOUNTS].sum() == frame.loc[rows, AMOUNTS].sum()).all()
    assert broken_rules(release.frame) == {}


@pytest.mark.parametrize("integers", ["round", "keep exact"])
def test_a_written_file_read_again_breaks_no_rule(tmp_path, integers):
    data = as_data(firms(), integers=integers)
    release = mv.Plan([{"method": HYBRID, "columns": AMOUNTS}]).run(data, seed=7)
    path = mv.write(release, tmp_path / "firms.csv", reproducible=True)
    assert broken_rules(pd.read_csv(path if isinstance(path, str) else tmp_path / "firms.csv")) == {}


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.astype(dict.fromkeys(AMOUNTS, "int64")),
        lambda frame: frame.astype(dict.fromkeys(AMOUNTS, "float32")),
        lambda frame: frame.assign(**{name: frame[name] / 100 for name in AMOUNTS if name != "staff"}),
        lambda frame: frame.assign(**{name: frame[name] * 1000 for name in AMOUNTS if name != "staff"}),
    ],
    ids=["int", "float32", "cents", "thousands"],
)
def test_other_types_and_units(change):
    frame = change(firms())
    release = released(HYBRID, frame)
    assert broken_rules(release.frame) == {}
    assert (release.frame.dtypes[AMOUNTS] == frame.dtypes[AMOUNTS]).all()
    np.testing.assert_allclose(release.frame[AMOUNTS].sum(), frame[AMOUNTS].sum(), rtol=1e-6)


def test_gaps_and_codes_for_missing_values_stay():
    frame = with_gaps(firms())
    release = released(HYBRID, frame, missing="mask")
    assert broken_rules(release.frame) == {}
    assert (release.frame[AMOUNTS].isna().sum() == frame[AMOUNTS].isna().sum()).all()
    coded = frame.fillna({"costs": -9.0})
    data = as_data(coded, missing={"costs": [-9.0]})
    release = mv.Plan([{"method": HYBRID, "columns": AMOUNTS, "missing": "mask"}]).run(data, seed=7)
    assert (release.frame["costs"] == -9).sum() == (coded["costs"] == -9).sum()
    assert broken_rules(release.frame.replace({"costs": {-9.0: np.nan}})) == {}


def test_equal_records_stay_equal():
    release = released(mv.mask.Microaggregation(partition=mv.partition.MDAV(k=4)), firms())
    assert release.frame.groupby(AMOUNTS).size().min() >= 4
    assert broken_rules(release.frame) == {}


def test_equal_values_of_columns_masked_apart_stay_equal():
    release = released(mv.mask.IndividualRanking(k=4), firms())
    for name in AMOUNTS:
        assert release.frame[name].value_counts().min() >= 4


def test_rules_that_a_method_broke_are_told_and_not_mended():
    release = released(mv.mask.UncorrelatedNoise(p=0.5), firms())
    broken = broken_rules(release.frame)
    assert broken["home >= 0"] > 5
    for rule, number in broken.items():
        assert any(f"{number} records break the rule {rule!r}" in note for note in release.notes)


def test_another_promise_of_equal_rows_does_not_cost_sums():
    frame = firms()
    plan = mv.Plan([(mv.mask.KAnonymise(k=3), ["region"]), {"method": HYBRID, "columns": AMOUNTS, "given": []}])
    release = plan.run(as_data(frame), seed=7)
    assert (release.frame[AMOUNTS].sum() == frame[AMOUNTS].sum()).all()


def test_sums_that_a_rule_moves_are_told():
    frame = firms()
    frame["rent"] = 10.0 * (np.arange(240) % 7)
    frame.loc[:7, "rent"] = 64.3  # finer than the others, and 65 is too much
    moved = released(HYBRID, frame, ("rent <= 64.3",), columns=["rent"])
    assert (moved.frame.loc[:7, "rent"] <= 64.3).all()
    assert any("sums moved by a unit or more so that a rule holds" in note for note in moved.notes)
    stayed = released(HYBRID, frame, ("rent <= 99",), columns=["rent"])
    assert not any("so that a rule holds" in note for note in stayed.notes)
