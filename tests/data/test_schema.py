"""What is known about a column, and what may be stated."""

from __future__ import annotations

import pytest

from microveil.core.errors import BadInput, UnknownColumn
from microveil.data.schema import Column, check_codes, check_hierarchy, check_levels, check_names, looks_like_code


def test_roles_and_kinds_are_words_of_a_list() -> None:
    assert Column().role == "other"
    with pytest.raises(BadInput, match=r"role 'keys' is not one of .*did you mean 'key'\?"):
        Column(role="keys")
    with pytest.raises(BadInput, match=r"kind 'ordnal' is not one of .*did you mean 'ordinal'\?"):
        Column(kind="ordnal")


def test_few_whole_numbers_that_come_again_are_codes() -> None:
    assert looks_like_code(2, 1000)
    assert not looks_like_code(900, 1000)
    assert not looks_like_code(2, 2)


@pytest.mark.parametrize("given", ["99", b"9", {99: 1}, {99}, 99, [[1]]])
def test_codes_and_levels_are_lists_of_plain_values(given: object) -> None:
    with pytest.raises(BadInput, match=r"missing\['x'\] is .*; give a list of codes, such as \[99, -1\]"):
        check_codes("x", given)
    with pytest.raises(BadInput, match=r"levels\['x'\] is .*; give a list of values in order"):
        check_levels("x", given)


def test_levels_are_named_once() -> None:
    check_levels("x", None)
    check_levels("x", ["low", "high"])
    with pytest.raises(BadInput, match=r"levels\['x'\] names 'b' twice; name each level once"):
        check_levels("x", ["a", "b", "b"])


def test_a_hierarchy_maps_values_to_lists() -> None:
    check_hierarchy("x", {"Rome": ["Italy", "Europe"]})
    with pytest.raises(BadInput, match="maps 'Rome' to 'Italy'; give a list of coarser values, the nearest first"):
        check_hierarchy("x", {"Rome": "Italy"})
    with pytest.raises(BadInput, match=r"is \['Rome'\]; map each value to a list"):
        check_hierarchy("x", ["Rome"])


def test_names_that_no_column_has() -> None:
    check_names(("age",), ["age", "pay"], "roles")
    with pytest.raises(UnknownColumn, match=r"roles: there is no column 'agee'; did you mean 'age'\?") as found:
        check_names({"agee": "key"}, ["age", "pay"], "roles")
    assert found.value.column == "agee"
