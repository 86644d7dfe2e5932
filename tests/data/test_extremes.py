"""Exact values of single records in a release."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.data.extremes import extremes_of_one, tell_drawn_extremes, tell_published_ends, values_of_one
from microveil.data.table import Table, Values


def values_of(*numbers):
    return Values("continuous", np.array(numbers, dtype=np.float64))


def test_values_and_extremes_that_one_record_has():
    x = values_of(1, 1, 2, 5, np.nan, 3, 3)
    assert values_of_one(x).tolist() == [2, 5]
    assert extremes_of_one(x) == {"largest": 5.0}
    assert extremes_of_one(values_of(np.nan)) == {}
    assert extremes_of_one(values_of(4)) == {"largest": 4.0, "smallest": 4.0}


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        ([1.0, 3.0], ()),
        ([1.0, 2.0], ("1 of 6 records have a value that nobody shares and that is published",)),
        ([2.0, 5.0, 99.0], ("2 of 6 records", "and that is published, the largest value among them")),
    ],
)
def test_published_ends_are_counted(ends, told):
    notes = tell_published_ends("pay", values_of(1, 1, 2, 5, 3, 3), np.array(ends))
    assert len(notes) == bool(told)
    for text in told:
        assert text in notes[0]
        assert notes[0].startswith("ends of intervals of pay are exact original values: ")


def test_drawn_extremes_are_named_as_they_will_be_released():
    before = Table({"pay": values_of(10, 20, 20, 31), "tax": values_of(0.5, 0.25, 0.5, 0.5)}, 4)
    after = {"pay": values_of(30.6, 15, 12), "tax": values_of(0.3, 0.25, 0.4)}
    (note,) = tell_drawn_extremes(before, after)
    assert note == (
        "synthetic records hold exact values that one original record alone has: the largest value of pay, the "
        "smallest value of tax"
    )
    assert tell_drawn_extremes(before, {"pay": values_of(30.4, 20, 11), "tax": values_of(0.24, 0.3)}) == ()
