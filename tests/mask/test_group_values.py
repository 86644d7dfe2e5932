"""What stands for a group, in columns of every kind."""

from __future__ import annotations

import numpy as np

from microveil.data.table import Table, Values
from microveil.mask.group_values import group_averages, group_ranges, tell_range_ends

LABELS = np.array([0, 0, 0, 1, 1])
TABLE = Table(
    {
        "age": Values("continuous", np.array([10.0, 20.0, 60.0, 7.0, np.nan])),
        "school": Values("ordinal", np.array([0, 1, 2, 1, 1]), ("none", "some", "all")),
        "town": Values("nominal", np.array([0, 0, 1, 2, -1]), ("a", "b", "c")),
    },
    5,
)


def texts(values: Values) -> list[object]:
    return [None if code < 0 else (values.levels or ())[code] for code in values.data]


def test_averages_are_mean_lower_median_and_mode():
    found = group_averages(TABLE, LABELS)
    assert found["age"].data[:4].tolist() == [30, 30, 30, 7]
    assert np.isnan(found["age"].data[4])  # a gap stays
    assert texts(found["school"]) == ["some"] * 5
    assert texts(found["town"])[:3] == ["a", "a", "a"]


def test_ranges_say_what_a_group_spans():
    found = group_ranges(TABLE, LABELS)
    assert texts(found["school"]) == ["none..all"] * 3 + ["some"] * 2
    assert texts(found["town"]) == ["{a, b}"] * 3 + ["c or missing"] * 2
    assert texts(found["age"])[3] == "7 or missing"
    assert tell_range_ends(TABLE, LABELS)[0].count("age") == 1


def test_a_hierarchy_of_numbers_and_of_ordered_levels_decides():
    tens = {21.0: ("[20, 30)", "*"), 22.0: ("[20, 30)", "*"), 25.5: ("[20, 30)", "*"), 31.0: ("[30, 40)", "*")}
    numbers = Values("continuous", np.array([21, 22, 25.5, 25.5, 31, 22, np.nan, 31, np.nan, np.nan]), None, tens)
    labels = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    found = group_ranges(Table({"age": numbers}, 10), labels)["age"]
    assert texts(found)[::2] == ["[20, 30)", "25.5", "*", "31 or missing", None]
    assert not tell_range_ends(Table({"age": numbers}, 10), labels)
    sizes = {"small": ("no",), "middle": ("no",), "large": ("yes",)}
    ordered = Values("ordinal", np.array([0, 1, 1, 2]), ("small", "middle", "large"), sizes)
    spans = group_ranges(Table({"size": ordered}, 4), np.array([0, 0, 1, 1]))["size"]
    assert texts(spans)[::2] == ["no", "*"]
