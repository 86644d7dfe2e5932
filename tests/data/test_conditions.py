"""Conditions: read as written, refused clearly."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core import BadInput
from microveil.data.conditions import Condition
from microveil.data.table import Values

COLUMNS = {
    "age": Values("continuous", np.array([5.0, 30.0, np.nan, 70.0])),
    "net pay": Values("continuous", np.array([0.0, 10.0, 20.0, 90.0])),
    "sex": Values("nominal", np.array([0, 1, 1, -1]), ("f", "m")),
    "school": Values("ordinal", np.array([0, 1, 2, 2]), ("none", "some", "all")),
    "code": Values("ordinal", np.array([0, 1, 2, 1]), (1, 2, 9)),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age < 40", [True, True, False, False]),
        ("10 <= age < 80", [False, True, False, True]),
        ("not age < 40", [False, False, True, True]),
        ("`net pay` > age", [False, False, False, True]),
        ("sex == 'm' and age > 1", [False, True, False, False]),
        ("sex != 'm'", [True, False, False, False]),
        ("school >= 'some'", [False, True, True, True]),
        ("school in ['none', 'all'] or sex == 'm'", [True, True, True, True]),
        ("code not in (9, 1)", [False, True, False, True]),
        ("code > 1", [False, True, True, True]),
        ("code < age", [True, True, False, True]),
    ],
)
def test_conditions_hold_where_they_should(text, expected):
    assert Condition(text).holds(COLUMNS).tolist() == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("age <", "cannot be read"),
        ("age + 1", "only comparisons of columns"),
        ("__import__('os') == 1", "neither a column nor a plain value|needs a column"),
        ("1 < 2", "needs a column on one side"),
    ],
)
def test_what_is_no_condition_is_refused(text, message):
    with pytest.raises(BadInput, match=message):
        Condition(text)


def test_wrong_values_and_unknown_columns_are_refused():
    with pytest.raises(BadInput, match="uses 'height', which is not known at that point"):
        Condition("height > 1").holds(COLUMNS)
    with pytest.raises(BadInput, match="'tall' is no number and the column is continuous"):
        Condition("age > 'tall'").holds(COLUMNS)
    with pytest.raises(BadInput, match="sex == 1' compares text with numbers"):
        Condition("sex == 1").holds(COLUMNS)
    with pytest.raises(BadInput, match="text has no order"):
        Condition("sex < 'm'").holds(COLUMNS)
