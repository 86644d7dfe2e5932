"""Forming groups for a synthesiser."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.data.table import Table
from microveil.hybrid.groups import Grouping
from microveil.partition import MDAV, Refined
from microveil.run.job import Job
from microveil.synth import Cart, CholeskySynthesis, Ipso
from microveil.synth.in_groups import InGroups

X = np.random.default_rng(2).normal(size=(40, 4))
TABLE, GIVEN = Table.of_matrix(X[:, :2], ["a", "b"]), Table.of_matrix(X[:, 2:], ["s", "t"])
STREAMS = Streams(Key.of(1))
JOB = Job(STREAMS, GIVEN, TABLE)


def test_k_is_raised_only_where_it_is_asked_for_and_needed() -> None:
    nothing = TABLE.only([])
    raised, notes = Grouping(MDAV(k=3), Ipso(), InGroups("raise_k")).large_enough(TABLE, GIVEN)
    assert raised == MDAV(k=5)
    assert notes == ("k was raised from 3 to 5: 1 + 2 for the columns kept + 2 free dimensions",)
    on_top = Grouping(Refined(base=MDAV(k=3)), Ipso(), InGroups("raise_k")).large_enough(TABLE, GIVEN)[0]
    assert on_top == Refined(base=MDAV(k=5))
    for grouping, drawn in (
        (Grouping(MDAV(k=5), Ipso(), InGroups("raise_k")), TABLE),
        (Grouping(MDAV(k=3), Ipso(), InGroups("raise_k")), nothing),
        (Grouping(MDAV(k=3), Ipso(), InGroups()), TABLE),
        (Grouping(MDAV(k=3), Cart(), InGroups()), TABLE),
    ):
        assert grouping.large_enough(drawn, GIVEN) == (grouping.partition, ())


def test_groups_that_a_synthesiser_refuses_are_not_formed() -> None:
    with pytest.raises(BadInput, match="k=3 with 2 kept columns"):
        Grouping(MDAV(k=3), Ipso(), InGroups()).groups(TABLE, TABLE, JOB, TABLE)
    for synthesiser, how, drawn in (
        (Ipso(), InGroups("drop_kept"), TABLE),
        (Ipso(), InGroups(), TABLE.only([])),
        (Cart(), InGroups(), TABLE),
    ):
        labels, notes = Grouping(MDAV(k=3), synthesiser, how).groups(TABLE, drawn, JOB, TABLE)
        assert np.bincount(labels).min() >= 3
        assert notes == ()


def test_numbers_that_kept_columns_determine_count_for_those_who_return_them() -> None:
    # in the first of two groups the number follows the kept column
    x, s = np.r_[np.arange(10.0), 100 + np.arange(10.0)], np.r_[np.arange(10.0), np.zeros(10)]
    table, given = Table.of_matrix(x[:, None], ["x"]), Table.of_matrix(s[:, None], ["s"])
    grouped = {
        type(synthesiser): Grouping(MDAV(k=10), synthesiser, InGroups(), merge=True).groups(
            table, table, Job(STREAMS, given, table), table
        )
        for synthesiser in (Ipso(), CholeskySynthesis())
    }
    assert grouped[Ipso][0].max() == 0
    assert grouped[Ipso][1][0].startswith("1 group in which nothing would have changed was merged")
    assert grouped[CholeskySynthesis][0].max() == 1
