"""Parameters in words, samples, JSON and JSON Schema: every form of a type, and the borders of a range."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pytest

from microveil.core import BadInput, FrozenDict, Range
from microveil.core.parameters import (
    Parameter,
    annotation_schema,
    convert,
    describe,
    nearest,
    suggest,
    to_json,
)
from microveil.partition import MDAV, Partition


@pytest.mark.parametrize(
    ("limits", "words", "inside", "schema"),
    [
        (Range(), "any number", [0, 1, 2], {}),
        (Range(ge=1), "1 or more", [1, 2], {"minimum": 1}),
        (Range(gt=1), "more than 1", [2], {"exclusiveMinimum": 1}),
        (Range(le=1), "1 or less", [0, 1], {"maximum": 1}),
        (Range(lt=1), "less than 1", [0], {"exclusiveMaximum": 1}),
        (Range(ge=0, le=1), "between 0 and 1", [0, 1], {"minimum": 0, "maximum": 1}),
        (Range(ge=0, lt=1), "at least 0 and less than 1", [0], {"minimum": 0, "exclusiveMaximum": 1}),
        (Range(gt=0, le=1), "more than 0 and at most 1", [1], {"exclusiveMinimum": 0, "maximum": 1}),
        (Range(gt=0, lt=2), "more than 0 and less than 2", [1], {"exclusiveMinimum": 0, "exclusiveMaximum": 2}),
    ],
)
def test_borders(limits: Range, words: str, inside: list[int], schema: dict[str, float]) -> None:
    assert limits.words == words
    assert [number for number in (0, 1, 2) if number in limits] == inside
    assert float("nan") not in limits
    assert limits.schema() == schema


def test_numbers_that_are_no_amounts_have_no_range() -> None:
    def parameter(annotation: Any) -> Parameter:
        return Parameter("x", annotation, None, True, "", Range(ge=2), ())

    assert parameter(bool).convert(False) is False
    assert parameter(int | None).convert(None) is None
    assert parameter(str).convert("a") == "a"
    assert parameter(int | Partition).convert("mdav") == MDAV()
    for value, annotation in ((1, int), ([2, 1], tuple[int, ...]), ({"a": 1}, Mapping[str, int])):
        with pytest.raises(BadInput, match=r"x must be 2 or more"):
            parameter(annotation).convert(value)
    assert parameter(int).allowed == "a whole number, 2 or more"
    assert parameter(int).sample is None
    # no description: none in the schema either, and what is asked for has no default
    assert parameter(int).schema() == {"type": "integer", "minimum": 2}


def test_a_frozen_mapping_has_its_hash_and_survives_a_journey() -> None:
    mapping = FrozenDict({"a": 1})
    assert hash(mapping) != hash(FrozenDict({"a": 2}))
    copy = pickle.loads(pickle.dumps(mapping))
    assert (copy, type(copy)) == (mapping, FrozenDict)


@pytest.mark.parametrize(
    ("value", "annotation", "message"),
    [
        (1, Literal[True, "a"], r"x=1 is not one of \[True, 'a'\]"),
        (b"ab", tuple[int, ...], "x=b'ab' is not a list of whole numbers"),
        ({"a": 1}, tuple[str, ...], "is not a list of texts"),
        (3, tuple[int, ...], "x=3 is not a list of whole numbers"),
        ([1], tuple[int, int], "x has 1 entries; 2 are needed"),
        ([1, 2], tuple[int], "x has 2 entries; 1 are needed"),
        ([1, "a"], tuple[int, int], r"x\[1\]='a' is not a whole number"),
        ({1: 1}, Mapping[str, int], "x key=1 is not text"),
        ({"a": "b"}, Mapping[str, int], r"x\['a'\]='b' is not a whole number"),
        ("a", int | float, "x='a' is not a whole number or a number"),
        (["a"], int | tuple[int, ...], r"x\[0\]='a' is not a whole number"),
        (True, float, "x=True is not a number"),
        (2, str, "x=2 is not text"),
        (0, None | str, "x=0 is not nothing or text"),
    ],
)
def test_what_does_not_fit_is_refused(value: Any, annotation: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        convert(value, annotation, "x")


def test_types_that_are_taken_as_they_are_or_not_at_all() -> None:
    assert convert([1, "a"], tuple[int, str], "x") == (1, "a")
    assert convert(3, Any, "x") == 3
    for annotation in (bytes, "int", set[int]):
        with pytest.raises(TypeError, match=r"x: parameters of type .* are not supported"):
            convert(b"a", annotation, "x")


@pytest.mark.parametrize(
    ("annotation", "words", "schema"),
    [
        (bool, "true or false", {"type": "boolean"}),
        (Literal["a", 2], "one of 'a', 2", {"enum": ["a", 2]}),
        (list[int], "a list of whole numbers", {"type": "array", "items": {"type": "integer", "minimum": 1}}),
        (Sequence[str], "a list of texts", {"type": "array", "items": {"type": "string"}}),
        (tuple[bool, ...], "a list of true or false", {"type": "array", "items": {"type": "boolean"}}),
        (
            tuple[tuple[float, ...], ...],
            "a list of lists, each a list of numbers",
            {"type": "array", "items": {"type": "array", "items": {"type": "number", "minimum": 1}}},
        ),
        (
            tuple[float, str],
            "a list of 2: a number, text",
            {"type": "array", "items": {"type": "number", "minimum": 1}},
        ),
        (
            Mapping[str, int],
            "a whole number for each name",
            {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
        ),
        (
            dict[str, tuple[float, ...]],
            "a list of numbers for each name",
            {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "number", "minimum": 1}}},
        ),
        (
            int | list[str] | None,
            "a whole number or a list of texts or nothing",
            {
                "anyOf": [
                    {"type": "integer", "minimum": 1},
                    {"type": "array", "items": {"type": "string"}},
                    {"type": "null"},
                ]
            },
        ),
        (Partition, "a partition", {"$ref": "#/$defs/partition"}),
        (
            Mapping[str, Partition],
            "a partition for each name",
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/partition"}},
        ),
        (tuple[int, Partition], "a list of 2: a whole number, a partition", None),
        (Any, "a value", {}),
    ],
)
def test_forms_of_types(annotation: Any, words: str, schema: dict[str, Any] | None) -> None:
    assert describe(annotation) == words
    if schema is not None:
        assert annotation_schema(annotation, Range(ge=1)) == schema


def test_a_list_of_a_family_refers_to_it() -> None:
    assert annotation_schema(tuple[Partition, ...])["items"] == {"$ref": "#/$defs/partition"}


def test_plain_terms() -> None:
    assert to_json((1, [MDAV(k=4)], {"a": (2,)}, "text")) == [1, [MDAV(k=4).to_spec()], {"a": [2]}, "text"]


def test_nearest_names() -> None:
    assert nearest("hight", ["weight", "height"]) == "; did you mean 'height'?"
    assert nearest("abcxy", ["abcde"]) == "; did you mean 'abcde'?"  # six letters in ten are enough
    assert nearest("abxy", ["abcd"]) == ""
    assert nearest("axyz", ["abcd"]) == ""
    assert nearest("INCOME", ["income", "Wealth"]) == "; did you mean 'income'?"
    assert nearest("wealth", ["income", "Wealth"]) == "; did you mean 'Wealth'?"


@pytest.mark.parametrize(
    ("most", "told"),
    [(2, "; there are ['aa', 'bb']"), (1, "; there are 2: ['aa', ...]"), (3, "; there are ['aa', 'bb']")],
)
def test_names_that_are_shown(most: int, told: str) -> None:
    assert suggest("xyz", ["aa", "bb"], most) == told


def test_thirty_names_are_shown() -> None:
    many = [f"{i:02}" for i in range(31)]
    assert suggest("xyz", many[:30]) == f"; there are {many[:30]}"
    assert suggest("xyz", many).startswith("; there are 31: ['00', ")
    assert suggest("xyz", many).endswith("'29', ...]")
