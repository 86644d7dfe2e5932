"""Edits: linear rules of a record, read from text."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core.edits import Edit, parse_edit, parse_edits
from microveil.core.errors import BadInput


@pytest.mark.parametrize(
    ("text", "columns", "coefficients", "constant", "equal"),
    [
        ("income >= 0", ("income",), (1.0,), 0.0, False),
        ("rent <= 0.9 * income", ("income", "rent"), (0.9, -1.0), 0.0, False),
        ("total == a + b + c", ("total", "a", "b", "c"), (1.0, -1.0, -1.0, -1.0), 0.0, True),
        ("total = a + b", ("total", "a", "b"), (1.0, -1.0, -1.0), 0.0, True),
        ("2 * (a - b) / 4 >= -(c + 1)", ("a", "c", "b"), (0.5, 1.0, -0.5), 1.0, False),
        ("`net income` <= 10", ("net income",), (-1.0,), 10.0, False),
        ("a + b >= a + 3", ("b",), (1.0,), -3.0, False),
    ],
)
def test_rules_are_read_as_linear_forms(text, columns, coefficients, constant, equal):
    assert parse_edit(text) == (Edit(columns, coefficients, constant, equal),)


def test_a_chain_is_as_many_rules_and_equal_rules_count_once():
    assert [str(edit) for edit in parse_edits(["0 <= share <= 100", "share >= 0"])] == ["share >= 0", "share <= 100"]


@pytest.mark.parametrize(
    "text",
    ["income >= 0", "rent <= 0.9 * income", "total == a + b", "a + 2 * `b c` <= total - 3", "x == -0.1", "x <= 1e+300"],
)
def test_a_rule_reads_as_it_is_written(text):
    (edit,) = parse_edit(text)
    assert parse_edit(str(edit)) == (edit,)
    assert str(edit) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x * y >= 0", "is not linear"),
        ("x / y <= 3", "x <= 3 \\* y"),
        ("x / 0 <= 3", "divides by a column or by 0"),
        ("x > 0", "forbids the bound itself, .* write 'x >= 0', or name the nearest amount"),
        ("0 < x <= 5", "write '0 <= x <= 5'"),
        ("x != 0", "other than >=, <= and =="),
        ("3 >= 2", "about no column"),
        ("x - x >= 2", "about no column"),
        ("x", "compares nothing"),
        ("x >= 'a'", "is not linear"),
        ("x >= True", "is not linear"),
        ("x >= ", "cannot be read"),
        ("x >= 1e400", "not finite"),
        ("__import__('os').system('true') >= 0", "is not linear"),
    ],
)
def test_what_is_no_linear_rule_is_refused(text, message):
    with pytest.raises(BadInput, match=message):
        parse_edit(text)


def test_one_text_instead_of_a_list_is_refused():
    with pytest.raises(BadInput, match="give a list of rules"):
        parse_edits("x >= 0")


def test_slack_says_how_far_a_record_is_inside_and_gaps_break_nothing():
    columns = {"rent": np.array([90.0, 91.0, np.nan]), "income": np.array([100.0, 100.0, 1.0])}
    (edit,) = parse_edit("rent <= 0.9 * income")
    np.testing.assert_allclose(edit.slack(columns), [0.0, -1.0, np.nan])
    assert edit.broken(columns).tolist() == [False, True, False]


def test_sums_of_doubles_are_not_broken_by_their_last_digit():
    (edit,) = parse_edit("total == a + b")
    columns = {"total": np.array([0.3, 0.3 + 1e-12]), "a": np.array([0.1, 0.1]), "b": np.array([0.2, 0.2])}
    assert 0.1 + 0.2 != 0.3
    assert edit.broken(columns).tolist() == [False, True]


def test_several_columns_that_are_not_negative():
    assert parse_edits(["non_negative(income, `net wealth`)"]) == parse_edits(["income >= 0", "`net wealth` >= 0"])


@pytest.mark.parametrize("text", ["non_negative()", "non_negative(3)", "non_negative(a, b + c)", "non_negative(a=1)"])
def test_only_columns_are_listed(text):
    with pytest.raises(BadInput, match="lists other than columns; write for instance non_negative"):
        parse_edits([text])


def test_rules_read_again_as_they_were_told():
    draws = np.random.default_rng(4)
    for _ in range(300):
        names = [f"`c {j}`" if j % 2 else f"c{j}" for j in draws.permutation(5)[: draws.integers(1, 6)]]
        terms = " ".join(f"{'+-'[draws.integers(2)]} {draws.integers(1, 4)} * {name}" for name in names)
        edit = parse_edit(f"0 {terms} {draws.choice(['>=', '<=', '=='])} {draws.integers(-3, 4)}")[0]
        assert parse_edit(str(edit)) == (edit,)


def test_a_rule_said_twice_in_other_words_is_one():
    assert len(parse_edits(["total == a + b", "b + a == total", "a >= 0", "0 <= a", "a >= 1"])) == 3


def test_columns_that_look_like_names_of_ours_and_names_that_python_spells_otherwise():
    edit = parse_edit("`net income` <= 2 * column0_ + 100")[0]
    assert dict(zip(edit.columns, edit.coefficients, strict=True)) == {"net income": -1.0, "column0_": 2.0}
    micro = "\u00b5g"
    assert parse_edit(f"{micro} >= 0")[0].columns == (micro,)
    assert parse_edit(f"`{micro}` >= 0")[0].columns == (micro,)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a >= " + "9" * 400, "has a number that is not finite"),
        ("a >= 0" + " + 0 * b" * 3000, "too many terms to be read|cannot be read"),
        ("a >= 0 +" + " b" * 3000, r"^the edit 'a >= 0 \+( b){36}\.\.\.' cannot be read"),
    ],
)
def test_long_rules_are_told_in_a_line(text, match):
    with pytest.raises(BadInput, match=match) as problem:
        parse_edit(text)
    assert len(str(problem.value)) < 400


@pytest.mark.parametrize(("size", "unit"), [(1e13, 1.0), (1e11, 0.01)])
def test_large_amounts_are_compared_in_their_units(size, unit):
    rng = np.random.default_rng(2)
    a, b = np.round(size / unit * rng.random((2, 500))) * unit
    edit = parse_edit("total == a + b")[0]
    exact = np.round((a + b) / unit) * unit
    assert not edit.broken({"total": exact, "a": a, "b": b}).any()
    assert edit.broken({"total": exact + unit, "a": a, "b": b}).all()
