"""Rules: read as written, refused clearly."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core import BadInput
from microveil.data.table import Values
from microveil.synth.rules import parse_rule

COLUMNS = {
    "sex": Values("nominal", np.array([0, 1, 1, -1]), ("f", "m")),
    "school": Values("ordinal", np.array([0, 1, 2, 2]), ("none", "some", "all")),
}


def test_rules_name_a_column_and_a_value():
    rule = parse_rule("if age < 12 and sex == 'f': `net pay` = 0")
    assert (rule.column, rule.value, rule.condition.columns) == ("net pay", 0, ("age", "sex"))
    assert parse_rule("if age < 12: school = 'none'").code(COLUMNS["school"]) == 0
    assert parse_rule("if age < 12: school = None").code(COLUMNS["school"]) == -1


def test_wrong_values_and_other_texts_are_refused():
    with pytest.raises(BadInput, match="'x' is not among its values"):
        parse_rule("if age < 12: sex = 'x'").code(COLUMNS["sex"])
    with pytest.raises(BadInput, match="is not of the form: if age < 12"):
        parse_rule("age < 12")
