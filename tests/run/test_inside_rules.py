"""Whole amounts: sums stay, totals add up, and what held before rounding holds after it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.edits import parse_edits
from microveil.run.inside_rules import RoundedInside, following_columns
from tests.firms import AMOUNTS, RULES, firms
from tests.streams import streams_of


def rounded(columns, rules, units=None, groups=10, apart=()):
    exact = {name: np.asarray(x, dtype=np.float64) for name, x in columns.items()}
    rows = len(next(iter(exact.values())))
    within = (np.arange(rows) % groups, np.zeros(rows, dtype=np.int64)) if groups else ()
    rounding = RoundedInside(exact, dict.fromkeys(exact, 0) if units is None else units, rules, within, apart)
    rounding.run()
    return rounding


def on_the_edge(rows=400):
    """Amounts that are feasible and often lie on a rule, with whole sums in every group."""
    u = streams_of(1).uniforms(0, rows, 6)
    home, abroad = 20 * u[:, 0], np.where(u[:, 1] < 0.5, 0.0, 9 * u[:, 1])
    costs = (home + abroad) * np.where(u[:, 2] < 0.5, 1.0, u[:, 2])
    rent = 0.9 * costs * np.where(u[:, 3] < 0.5, 1.0, u[:, 3])
    return {"total": home + abroad, "home": home, "abroad": abroad, "costs": costs, "rent": rent}


RULES_OF_FIVE = parse_edits([rule for rule in RULES if "staff" not in rule])


def test_records_on_the_edge_of_rules_keep_them_and_sums_stay_in_every_group():
    columns = on_the_edge()
    found = rounded(columns, RULES_OF_FIVE)
    plain = {name: np.rint(x) for name, x in columns.items()}
    assert sum(int(edit.broken(plain).sum()) for edit in RULES_OF_FIVE) > 50
    assert not any(edit.broken(found.now).any() for edit in RULES_OF_FIVE)
    for name in columns:
        assert (found.now[name] == np.rint(found.now[name])).all()
        assert abs(found.now[name].sum() - columns[name].sum()) <= (1 if name == "total" else 0.5) + 1e-9
    moved = max(np.abs(found.now[name] - columns[name]).max() for name in columns if name != "total")
    assert moved < 3


def test_sums_of_groups_that_are_whole_stay_exactly():
    frame = firms()
    exact = {}
    labels = np.arange(len(frame)) % 10
    for name in ("home", "abroad"):
        noise = streams_of(2).at(name).normals(0, len(frame))[:, 0] * 0.4 * (frame[name] > 0)
        size = np.bincount(labels, weights=frame[name] > 0)
        noise -= (np.bincount(labels, weights=noise) / size)[labels] * (frame[name] > 0)
        exact[name] = (frame[name] + noise).to_numpy()
    rules = parse_edits(["home >= 0", "abroad >= 0"])
    found = rounded(exact, rules)
    assert found.sums_moved == 0
    for name in exact:
        np.testing.assert_array_equal(
            np.bincount(labels, weights=found.now[name]), np.bincount(labels, weights=frame[name])
        )


def test_values_step_down_where_a_rule_bounds_them_from_above():
    columns = {"a": [4.6, 1.4, 2.0], "b": [5.4, 1.6, 3.0]}
    rules = parse_edits(["a + b <= 10", "a <= 4.7", "b <= 5.6"])
    found = rounded(columns, rules, groups=1)
    assert not any(edit.broken(found.now).any() for edit in rules)
    assert {name: x.tolist() for name, x in found.now.items()} == {"a": [4, 2, 2], "b": [5, 2, 3]}
    assert found.sums_moved == 0


def test_a_sum_that_no_record_can_make_up_for_is_counted():
    found = rounded({"a": [4.6, 4.4]}, parse_edits(["a <= 4.7"]), groups=1)
    assert found.now["a"].tolist() == [4, 4]
    assert found.sums_moved == 1


def test_a_rule_that_was_broken_before_is_not_mended():
    columns = {"a": [1.4, -3.2, 2.2], "b": [5.0, 5.0, 5.0]}
    found = rounded(columns, parse_edits(["a >= 0", "b >= 0"]), groups=1)
    assert found.now["a"].min() == -3
    assert [str(edit) for edit in found.rules] == ["b >= 0"]


def test_a_part_follows_where_the_total_is_kept():
    total = np.array([10.0, 7.0, 3.0, 5.0])
    home = np.array([2.5, 3.5, 1.5, 2.5])
    rules = parse_edits(["total == home + abroad", "home >= 0", "abroad >= 0"])
    found = rounded({"total": total, "home": home, "abroad": total - home}, rules, {"home": 0, "abroad": 0}, groups=1)
    assert (found.now["home"] + found.now["abroad"] == total).all()
    assert (found.now["total"] == total).all()


def test_totals_of_totals_add_up_and_no_rule_goes_round_in_a_circle():
    rules = parse_edits(["all == a + b", "a == c + d", "all == e + f", "b == all - a"])
    follows = following_columns(rules, dict.fromkeys(["all", "a", "b", "c", "d", "e", "f"], 0))
    assert list(follows) == ["all", "a", "e"]
    parts = {name: 9 * streams_of(3).at(name).uniforms(0, 50)[:, 0] for name in "bcdf"}
    columns = {**parts, "a": parts["c"] + parts["d"]}
    columns["all"] = columns["a"] + columns["b"]
    columns["e"] = columns["all"] - columns["f"]
    found = rounded(columns, rules, groups=1)
    assert not any(edit.broken(found.now).any() for edit in rules)


def test_a_total_in_coarser_digits_than_its_parts_does_not_follow():
    (rule,) = parse_edits(["total == a + b"])
    assert following_columns([rule], {"total": 3, "a": 0, "b": 0}) == {"a": rule}
    assert following_columns([rule], {"total": 3}) == {"total": rule}


def test_gaps_stay_and_a_total_beside_a_gap_is_rounded_by_itself():
    columns = {name: x.copy() for name, x in on_the_edge().items()}
    columns["abroad"][::7] = np.nan
    columns["costs"][::5] = np.nan
    found = rounded(columns, RULES_OF_FIVE)
    for name in columns:
        assert (np.isnan(found.now[name]) == np.isnan(columns[name])).all()
        observed = found.now[name][~np.isnan(columns[name])]
        assert (observed == np.rint(observed)).all()
    assert not any(edit.broken(found.now).any() for edit in RULES_OF_FIVE)


@pytest.mark.parametrize("unit", [-2, 3])
def test_cents_and_thousands(unit):
    columns = {name: x * 10.0**unit for name, x in on_the_edge(120).items()}
    found = rounded(columns, RULES_OF_FIVE, dict.fromkeys(columns, unit))
    assert not any(edit.broken(found.now).any() for edit in RULES_OF_FIVE)
    for x in found.now.values():
        np.testing.assert_allclose(x / 10.0**unit, np.rint(x / 10.0**unit), atol=1e-9)


def test_without_groups_equal_rows_are_rounded_alike():
    columns = {name: np.repeat(x[:40], 5) for name, x in on_the_edge().items()}
    found = rounded(columns, RULES_OF_FIVE, groups=0)
    for x in found.now.values():
        assert (x.reshape(40, 5) == x.reshape(40, 5)[:, :1]).all()
    assert not any(edit.broken(found.now).any() for edit in RULES_OF_FIVE)


def test_rules_kept_apart_move_nothing():
    columns = on_the_edge(100)
    found = rounded(columns, RULES_OF_FIVE, groups=0, apart=RULES_OF_FIVE)
    for name, x in columns.items():
        assert (found.now[name] == np.rint(x)).all()


def test_every_amount_of_the_firms_is_in_a_rule():
    assert {name for edit in parse_edits(RULES) for name in edit.columns} == set(AMOUNTS)


@pytest.mark.parametrize(
    "method", [mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=6)), mv.mask.Repair()], ids=lambda one: one.name
)
def test_a_gap_in_a_total_stays_a_gap(method):
    draw = np.random.default_rng(0)
    frame = pd.DataFrame({"x": np.ceil(draw.lognormal(5, 0.8, 300)), "y": np.ceil(draw.lognormal(4.5, 0.8, 300))})
    frame["t"] = (frame["x"] + frame["y"]).mask(draw.random(300) < 0.1)
    if method.name == "repair":
        frame.loc[:40, "x"] *= -1
    data = mv.Microdata(frame, edits=["non_negative(x, y)", "t == x + y"])
    release = method.apply(data, columns=["x", "y", "t"], missing="mask", seed=1)
    assert release.frame["t"].isna().tolist() == frame["t"].isna().tolist()
    whole = release.frame.dropna()
    assert (whole["t"] == whole["x"] + whole["y"]).all()
    if method.name == "micro-hybrid":
        assert not release.lost
