"""Parameters: described once, checked everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
import pytest

from microveil.attack import Attack
from microveil.core import BadInput, FrozenDict, Grid, Range, UnknownName
from microveil.core.parameters import convert, describe, parameters_of
from microveil.core.registry import Value, definitions, find
from microveil.partition import MDAV, Partition


@pytest.mark.parametrize(
    ("limits", "text", "inside", "outside"),
    [
        (Range(ge=2), "[2, inf)", (2, 1e9), (1, -1, float("nan"))),
        (Range(gt=0, le=1), "(0, 1]", (0.5, 1), (0, 1.1)),
        (Range(lt=5), "(-inf, 5)", (-1e9, 4.9), (5,)),
    ],
)
def test_ranges(limits, text, inside, outside):
    assert str(limits) == text
    assert all(number in limits for number in inside)
    assert not any(number in limits for number in outside)


@pytest.mark.parametrize(
    ("value", "annotation", "expected"),
    [
        (3, float, 3.0),
        (np.int64(3), int, 3),
        ("a", Literal["a", "b"], "a"),
        ([1, 2], tuple[int, ...], (1, 2)),
        (range(3), tuple[int, ...], (0, 1, 2)),
        (np.array([[1.0, 2.0]]), tuple[tuple[float, ...], ...], ((1.0, 2.0),)),
        ({"x": 1}, Mapping[str, float], FrozenDict({"x": 1.0})),
        (None, int | None, None),
        ([["a"], ["b", "c"]], int | tuple[tuple[str, ...], ...] | None, (("a",), ("b", "c"))),
        ("mdav", Partition, MDAV()),
        ({"mdav": {"k": 7}}, Partition, MDAV(k=7)),
    ],
)
def test_values_are_converted(value, annotation, expected):
    found = convert(value, annotation, "x")
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("value", "annotation", "message"),
    [
        (1.5, int, "x=1.5 is not a whole number"),
        (True, int, "x=True is not a whole number"),
        ("3", float, "x='3' is not a number"),
        (1, bool, "x=1 is not true or false"),
        ("ab", tuple[str, ...], "x='ab' is not a list of"),
        ("c", Literal["aa", "bb"], r"x='c' is not one of \['aa', 'bb'\]"),
        ([1], Mapping[str, int], "is not a whole number for each name"),
        ([1, "a"], tuple[int, ...], r"x\[1\]='a' is not a whole number"),
        (3, Partition, "3 is not a partition: give its name"),
    ],
)
def test_wrong_values_are_named(value, annotation, message):
    with pytest.raises(BadInput, match=message):
        convert(value, annotation, "x")


def test_a_nested_mistake_is_the_one_reported():
    with pytest.raises(BadInput, match=r"k must be 2 or more; 1 was given"):
        convert({"mdav": {"k": 1}}, Partition | None, "partition")


def test_unknown_names_offer_the_nearest():
    with pytest.raises(UnknownName, match=r"no partition called 'mdavv'; .*did you mean 'mdav'\?"):
        find("mdavv", Partition)
    with pytest.raises(UnknownName, match=r"mdav has no parameter 'kk'"):
        MDAV.build({"kk": 3})


def test_fields_describe_parameters_completely():
    @dataclass(frozen=True, kw_only=True)
    class Example(Value):
        """An example."""

        strength: Annotated[float, Range(ge=0, grid=(1, 2)), "how strong"] = 1.0
        mode: Annotated[Literal["a", "b"], Grid(("b",)), "which way"] = "a"

    strength, mode = parameters_of(Example)
    assert (strength.help, strength.grid, strength.allowed) == ("how strong", (1, 2), "a number, 0 or more")
    assert strength.schema() == {"description": "how strong", "type": "number", "minimum": 0, "default": 1.0}
    assert (mode.grid, mode.allowed) == (("b",), "one of 'a', 'b'")
    assert mode.schema()["enum"] == ["a", "b"]


def test_a_family_has_its_article():
    assert [describe(family) for family in (Partition, Attack)] == ["a partition", "an attack"]


def test_a_frozen_mapping_refuses_changes():
    mapping = FrozenDict({"a": 1})
    for change in (lambda: mapping.update(b=2), lambda: mapping.pop("a"), lambda: mapping.__setitem__("a", 2)):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    assert hash(mapping) == hash(FrozenDict({"a": 1}))


def test_the_schema_shows_the_open_family():
    members = definitions()["partition"]["anyOf"]
    assert {"const": "mdav"} in members
    assert any("mdav" in member.get("properties", {}) for member in members)


def test_numbers_inside_mappings_and_lists_have_the_range_too():
    @dataclass(frozen=True, kw_only=True)
    class Cuts(Value):
        """Cuts."""

        cuts: Annotated[Mapping[str, tuple[float, ...]] | None, Range(ge=0), "borders"] = None

    assert Cuts(cuts={"age": [15, 30]}).cuts == {"age": (15.0, 30.0)}
    with pytest.raises(BadInput, match=r"cuts must be 0 or more"):
        Cuts(cuts={"age": [15, -1]})


def test_a_default_that_is_made_is_not_asked_for():
    @dataclass(frozen=True)
    class Made:
        must: int
        may: Annotated[tuple[int, ...], "numbers"] = field(default_factory=lambda: (1, 2))

    must, may = parameters_of(Made)
    assert (must.required, must.default) == (True, None)
    assert (may.required, may.default) == (False, (1, 2))
    assert may.schema()["default"] == [1, 2]
    assert "default" not in must.schema()
