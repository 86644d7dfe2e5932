"""Released classes, and the original values they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.data.table import Values
from microveil.measure.classes import read_classes

NOBODY = np.empty(0, dtype=np.int64)
AMOUNTS = Values("continuous", np.array([1.0, 4.0, 5.0, 6.0, 7.0, 15.0, 29.5, 30.0, np.nan]))
CODES = Values("ordinal", np.arange(4), (1, 2, 3, 9))
SCHOOL = Values("ordinal", np.arange(4), ("none", "primary", "secondary", "tertiary"))
TREE = {"north": ("vertical", "all"), "south": ("vertical", "all"), "east": ("flat", "all"), "west": ("flat", "all")}
PLACE = Values("nominal", np.arange(4), ("north", "south", "east", "west"), TREE)


def members(before: Values, *levels: object) -> list[list[object]]:
    """The original values of each released level."""
    after = Values("nominal", np.arange(len(levels)), levels)
    classes = read_classes(before, after, NOBODY, NOBODY)
    rows = np.flatnonzero(classes.code >= 0)
    values = before.data.tolist() if before.levels is None else [before.levels[code] for code in before.data]
    found = []
    for level in range(len(levels)):
        inside = classes.contains(rows, np.full(len(rows), level))
        found.append([values[row] for row in rows[inside]])
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[5, 7]", [5.0, 6.0, 7.0]),
        ("[15, 30)", [15.0, 29.5]),
        ("(15, 30]", [29.5, 30.0]),
        ("<5", [1.0, 4.0]),
        ("<=5", [1.0, 4.0, 5.0]),
        (">=29.5", [29.5, 30.0]),
        (">29.5", [30.0]),
        ("4..6", [4.0, 5.0, 6.0]),
        ("4-6", [4.0, 5.0, 6.0]),
        ("15+", [15.0, 29.5, 30.0]),
        ("5", [5.0]),
        ("[4, 5] or missing", [4.0, 5.0]),
        ("any", [1.0, 4.0, 5.0, 6.0, 7.0, 15.0, 29.5, 30.0]),
        ("[2, 3]", []),
    ],
)
def test_every_notation_of_a_range_is_read(text, expected):
    assert members(AMOUNTS, text) == [expected]


def test_codes_that_came_back_as_text_are_still_codes():
    assert members(CODES, "1..3", "2", "9") == [[1, 2, 3], [2], [9]]
    assert members(SCHOOL, "none..secondary", "tertiary") == [["none", "primary", "secondary"], ["tertiary"]]


def test_nodes_of_a_hierarchy_stand_for_what_lies_below_them():
    assert members(PLACE, "vertical", "flat", "all") == [
        ["north", "south"],
        ["east", "west"],
        ["north", "south", "east", "west"],
    ]


def test_sets_that_overlap_stay_sets():
    found = members(PLACE, "{north, east}", "{east, west}", "{west, north}", "*")
    assert [sorted(map(str, one)) for one in found] == [
        ["east", "north"],
        ["east", "west"],
        ["north", "west"],
        ["east", "north", "south", "west"],
    ]


def test_nested_sets_become_ranges_in_another_order():
    after = Values("nominal", np.arange(3), ("{north, east}", "{north, east, west}", "south"))
    assert read_classes(PLACE, after, NOBODY, NOBODY).holds is None


def test_a_name_that_says_nothing_stands_for_the_values_that_show_it():
    after = Values("nominal", np.array([0, 0, 1, 1]), ("one half", "other half"))
    rows = np.arange(4)
    classes = read_classes(PLACE, after, rows, rows)
    assert classes.contains(rows, rows).all()
    assert not classes.contains(rows, rows[::-1]).any()


def test_a_wide_class_holds_a_larger_share():
    after = Values("nominal", np.arange(3), ("vertical", "all", "west"))
    assert read_classes(PLACE, after, NOBODY, NOBODY).shares().tolist() == [0.5, 1.0, 0.25]
