"""Rank and standard-deviation interval disclosure."""

import itertools

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from tests.reference import masked_pair

MEASURES = [mv.risk.RankInterval, mv.risk.SDInterval]


def frame(n=200, seed=0):
    return pd.DataFrame(np.random.default_rng(seed).standard_normal((n, 3)), columns=["a", "b", "c"])


def test_microaggregated_eia(eia):
    # 93.0 in print: tied values at their lowest rank give 92.98, any order of the ties 92.94 (record 060)
    assert mv.risk.RankInterval(widths=range(1, 11))(*eia).value == pytest.approx(92.941, abs=0.001)
    assert round(mv.risk.SDInterval(widths=range(1, 11))(*eia).value, 1) == 84.5
    assert round(mv.risk.SDInterval(sd="original")(*eia).value, 1) == 84.6


@pytest.mark.parametrize("name", ["noise20", "mdav5"])
def test_records_with_all_values_close_as_in_sdcmicro(name):
    original, masked, figures = masked_pair(name)
    for k in (0.01, 0.05, 0.1, 0.2):
        found = mv.risk.SDInterval(widths=(100 * k,), sd="masked", rule="all")(original, masked)
        assert found.value / 100 == pytest.approx(figures[f"dRisk_k{k}"], rel=1e-9)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("rule", ["cells", "any", "all"])
def test_identity_discloses_everything(measure, rule):
    assert measure(rule=rule)(frame(), frame()).value == 100.0


@pytest.mark.parametrize("measure", MEASURES)
def test_wider_intervals_disclose_no_less(measure):
    data, noisy = frame(), frame() + 0.2 * frame(seed=1)
    values = [measure(widths=(p,))(data, noisy).value for p in (1, 2, 5, 10, 30)]
    assert values == sorted(values)
    assert values[0] < values[-1]


def test_a_shift_of_more_than_the_widest_interval_discloses_nothing():
    data = frame()
    assert mv.risk.SDInterval()(data, data + 0.2 * data.std()).value == 0.0


def test_rank_interval_by_hand():
    # half-width 20 % of 5 records is one rank: each interval runs from the neighbour below to the one above
    original = pd.DataFrame({"x": [1.0, 25.0, 30.0, 21.0, 50.0]})
    masked = pd.DataFrame({"x": [10.0, 20.0, 30.0, 40.0, 50.0]})
    assert mv.risk.RankInterval(widths=(20,))(original, masked).value == pytest.approx(100 * 3 / 5)


def test_each_choice_that_the_definition_leaves_is_told_by_hand():
    # 30 % of 5 records are 1.5 ranks, rounded down to 1; protected values in order: 10, 20, 20, 40, 50
    original = pd.DataFrame({"x": [12.0, 30.0, 9.0, 20.0, 55.0]})
    masked = pd.DataFrame({"x": [10.0, 20.0, 20.0, 40.0, 50.0]})
    found = mv.risk.RankInterval(widths=(30,))(original, masked)
    # 12 lies in 10 to 20; 30 in 20 to 40 if its 20 is the second of the two, not in 10 to 20 if it is the first;
    # 9 is below all that is released; 20 is the end of 20 to 50; 55 is above all that is released
    assert found.value == pytest.approx(100 * (1 + 0.5 + 0 + 1 + 0) / 5)
    # other readings of the same words: 60 rounded up to 2 ranks, 60 by the difference of a value's ranks in both
    # files, 60 where a tie reaches as far as all of it, 80 where the first and the last interval are open


def test_missing_protected_cells_are_never_disclosed():
    data = frame(100)
    masked = data.copy()
    masked["a"] = np.nan
    for measure in MEASURES:
        found = measure()(data, masked)
        assert found.value == pytest.approx(100 * 2 / 3)
        assert found.parts["a"] == 0.0
        assert measure(rule="all")(data, masked).value == 0.0
        assert "100 protected cells are missing and count as not disclosed" in found.notes


def test_missing_original_cells_have_nothing_to_disclose():
    data = frame(10)
    data.loc[0, "a"] = np.nan
    for measure in MEASURES:
        assert measure()(data, data).value == 100.0


def test_constant_attributes_are_told():
    data = frame(10).assign(a=3.0)
    assert mv.risk.RankInterval()(data, data).notes == ("attributes with one value only are always disclosed: a",)


def tied(seed, n=7, columns=2):
    generator = np.random.default_rng(seed)
    names = list("abc")[:columns]
    original = pd.DataFrame(generator.integers(0, 5, (n, columns)).astype(float), columns=names)
    return original, pd.DataFrame(generator.integers(0, 3, (n, columns)).astype(float), columns=names)


def share_by_orders(x, y, reach):
    """Plain recount: how often each cell is disclosed over all orders of the rows that sort y."""
    n = len(y)
    orders = [order for order in itertools.permutations(range(n)) if all(np.diff(y[list(order)]) >= 0)]
    hits = np.zeros(n)
    for order in orders:
        for rank, row in enumerate(order):
            low, high = y[order[max(rank - reach, 0)]], y[order[min(rank + reach, n - 1)]]
            hits[row] += low <= x[row] <= high
    return hits / len(orders)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("reach", [0, 1, 2])
def test_ties_are_broken_by_expectation(seed, reach):
    original, masked = tied(seed)
    cells = np.column_stack([share_by_orders(original[c].to_numpy(), masked[c].to_numpy(), reach) for c in "ab"])
    expected = {
        "cells": cells.mean(),
        "any": (1 - (1 - cells).prod(axis=1)).mean(),
        "all": cells.prod(axis=1).mean(),
    }
    for rule, share in expected.items():
        found = mv.risk.RankInterval(widths=(100 * (reach + 0.5) / 7,), rule=rule)(original, masked)
        assert found.value == pytest.approx(100 * share), rule


def mostly_zero(n=400, share=0.6):
    generator = np.random.default_rng(4)
    x = np.where(generator.random((n, 2)) < share, 0.0, generator.gamma(2.0, size=(n, 2))).round(1)
    noise = np.where(x == 0, generator.random((n, 2)) < 0.2, generator.standard_normal((n, 2)))
    names = ["a", "b"]
    return pd.DataFrame(x, columns=names), pd.DataFrame((x + 0.4 * noise).round(1), columns=names)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("rule", ["cells", "any", "all"])
def test_the_sign_of_the_data_does_not_matter(measure, rule):
    original, masked = mostly_zero()
    found = measure(rule=rule)
    assert found(-original, -masked).value == pytest.approx(found(original, masked).value, abs=1e-9)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_order_of_rows_with_many_ties_does_not_matter(measure):
    original, masked = mostly_zero()
    order = np.random.default_rng(1).permutation(len(original))
    shuffled = measure()(original.iloc[order], masked.iloc[order]).value
    assert shuffled == pytest.approx(measure()(original, masked).value, abs=1e-9)


def test_a_value_at_the_end_of_its_interval_is_inside_whatever_the_last_digits():
    masked = pd.DataFrame({"x": [0.1, 0.3, 0.7, 1.1, 1.3]})
    original = masked + 0.1 * masked.std()
    for scale in (1.0, 3.0, 1 / 3, -7.0):
        assert mv.risk.SDInterval(widths=(10,))(scale * original, scale * masked).value == 100.0


@pytest.mark.parametrize("measure", MEASURES)
def test_attributes_without_any_value_are_left_out_and_told(measure):
    data = frame(50).assign(b=np.nan)
    masked = data + 0.1
    found = measure()(mv.Microdata(data, kinds={"b": "continuous"}), mv.Microdata(masked, kinds={"b": "continuous"}))
    assert set(found.parts) == {"a", "c"}
    assert found.value == pytest.approx(measure()(data[["a", "c"]], masked[["a", "c"]]).value)
    assert "attributes without any original value are left out: b" in found.notes


@pytest.mark.parametrize("measure", MEASURES)
def test_amounts_in_classes_are_disclosed_where_half_the_class_is_narrow(measure):
    x = np.arange(100.0)
    data = pd.DataFrame({"a": x, "b": x})
    # classes of 5, 11 and 84 values; the last cell is hidden, and one class does not hold its value
    text = ["[0, 4]"] * 5 + ["[5, 15]"] * 11 + [">=16"] * 82 + ["[5, 15]", None]
    released = data.assign(a=text)
    scale = 1.0 if measure is mv.risk.RankInterval else x.std() / 100
    for width, disclosed in ((1, 0), (2, 5), (5, 16)):
        found = measure(widths=(width / scale,))(data, released)
        assert found.parts == pytest.approx({"a": disclosed, "b": 100.0})
        assert found.value == pytest.approx((disclosed + 100) / 2)
    assert found.notes == ("released as classes, close where half the class is no wider than that: a",)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_class_of_one_value_is_the_value(measure):
    data = pd.DataFrame({"a": [1.0, 1.0, 1.0, 2.0, 3.0, 9.0]})
    released = pd.DataFrame({"a": ["1", "1", "1", "[2, 9]", "[2, 9]", "[2, 9]"]})
    assert measure()(data, released).value == 50.0
