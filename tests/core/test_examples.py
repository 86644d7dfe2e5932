"""A parameter that is no plain word or number shows what it looks like, and what it shows is accepted."""

from __future__ import annotations

import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from microveil.core.parameters import Example, parameters_of
from microveil.core.registry import registered
from microveil.plan.catalogue import example_settings
from microveil.report.catalogue import catalogue_text

FORMS = [(cls, parameter) for cls in registered() for parameter in cls.parameters()]


def is_plain(annotation: Any) -> bool:
    """Whether nobody needs to be shown what a value looks like."""
    if get_origin(annotation) in (Union, types.UnionType):
        return all(map(is_plain, get_args(annotation)))
    return get_origin(annotation) is Literal or annotation in (bool, int, float, str, type(None))


def test_every_form_has_an_example_that_is_accepted() -> None:
    for cls, parameter in FORMS:
        if is_plain(parameter.annotation):
            continue
        where = f"{cls.name}.{parameter.name}"
        assert parameter.sample is not None, f"state an Example of {where}"
        beside = {} if parameter.example is None else dict(parameter.example.beside)
        built = cls.build({**(example_settings(cls) or {}), **beside, parameter.name: parameter.sample})
        assert getattr(built, parameter.name) == parameter.convert(parameter.sample), where


def test_plain_words_and_numbers_need_none() -> None:
    assert all(parameter.sample is None for _, parameter in FORMS if parameter.annotation in (bool, int, float))


def test_what_is_shown_is_stated_or_tried_or_the_default() -> None:
    from dataclasses import make_dataclass

    stated = Annotated[tuple[int, ...], Example([1, 2])]
    made = make_dataclass("Made", [("a", stated, ()), ("b", tuple[int, ...], (3,)), ("c", tuple[int, ...], ())])
    assert [parameter.sample for parameter in parameters_of(made)] == [[1, 2], [3], None]


def test_the_catalogue_shows_them() -> None:
    assert "a list of texts or nothing; for example `['income ~ age + sex', 'taxes ~ income']`" in catalogue_text()
