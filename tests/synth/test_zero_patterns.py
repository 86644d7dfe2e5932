"""Records form groups with those that have the same zeros."""

from __future__ import annotations

import numpy as np

from microveil.core.edits import parse_edits
from microveil.data.table import Table, Values
from microveil.synth.zero_patterns import zero_patterns

RULES = parse_edits(["a >= 0", "b >= 0", "c >= 0"])


def table_of(rows):
    columns = np.array(rows, dtype=float).T
    return Table({name: Values("continuous", x) for name, x in zip("abc", columns, strict=True)}, len(rows))


FULL, NO_B, NO_C, NO_BC, NONE = (1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 0, 0)


def test_patterns_are_classes_and_rare_ones_join_one_whose_zeros_they_have():
    classes = zero_patterns(table_of([FULL] * 4 + [NO_B] * 5 + [NO_BC] * 2 + [NO_C]), RULES, 4)
    of_full, of_no_b = classes.labels[0], classes.labels[4]
    assert of_full != of_no_b
    assert (classes.labels[:4] == of_full).all()
    # without b and c: with those without b, fewer zeros of theirs move; without c alone: not with those without b
    assert (classes.labels[9:11] == of_no_b).all()
    assert classes.labels[11] == of_full
    assert set(classes.labels) == {0, 1}
    same, moved = classes.notes
    assert same == "2 patterns of zeros: records were grouped with those that have the same, which stay"
    assert moved.startswith("3 records have zeros that fewer than 4 share: they were grouped with the nearest pattern")


def test_one_rare_record_is_told_as_one():
    notes = zero_patterns(table_of([FULL] * 4 + [NO_B]), RULES, 4).notes
    assert notes[1].startswith("1 record has zeros that fewer than 4 share: it was grouped")
    assert notes[1].endswith("and its zeros were drawn like any amount")


def test_an_amount_beside_zeros_only_is_the_worst():
    # the rare record has c; those without c could not give it company
    labels = zero_patterns(table_of([NO_C] * 9 + [FULL] * 4 + [NO_B]), RULES, 4).labels
    assert labels[-1] == labels[9]


def test_no_zeros_and_no_frequent_pattern():
    assert zero_patterns(table_of([FULL] * 5), RULES, 3) is None
    found = zero_patterns(table_of([NO_B, NO_C, NO_BC, NONE]), RULES, 2)
    assert (found.labels == 0).all()
    assert found.notes == ("no pattern of zeros is shared by 2 records, so that zeros were drawn like any amount",)


def test_only_columns_that_may_not_be_negative_have_patterns():
    assert zero_patterns(table_of([NO_B] * 3 + [FULL] * 3), parse_edits(["a >= 0", "b >= -1", "c >= b"]), 2) is None
