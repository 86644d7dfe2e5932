"""A parameter that is no plain word or number shows what it looks like, and what it shows is accepted."""

from __future__ import annotations

import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest

from microveil.core.parameters import Example, Parameter, parameters_of
from microveil.core.registry import Value, registered
from microveil.plan.catalogue import example_settings
from microveil.report.catalogue import catalogue_text

FORMS = [(cls, parameter) for cls in registered() for parameter in cls.parameters()]


def is_plain(annotation: Any) -> bool:
    """Whether nobody needs to be shown what a value looks like."""
    if get_origin(annotation) in (Union, types.UnionType):
        return all(map(is_plain, get_args(annotation)))
    return get_origin(annotation) is Literal or annotation in (bool, int, float, str, type(None))


@pytest.mark.parametrize(
    ("cls", "parameter"),
    [pytest.param(*pair, id=f"{pair[0].name}.{pair[1].name}") for pair in FORMS if not is_plain(pair[1].annotation)],
)
def test_every_form_has_an_example_that_is_accepted(cls: type[Value], parameter: Parameter) -> None:
    assert parameter.sample is not None, "state an Example"
    beside = {} if parameter.example is None else dict(parameter.example.beside)
    built = cls.build({**(example_settings(cls) or {}), **beside, parameter.name: parameter.sample})
    assert getattr(built, parameter.name) == parameter.convert(parameter.sample)


def test_plain_words_and_numbers_need_none() -> None:
    assert all(parameter.sample is None for _, parameter in FORMS if parameter.annotation in (bool, int, float))


def test_what_is_shown_is_stated_or_tried_or_the_default() -> None:
    from dataclasses import make_dataclass

    stated = Annotated[tuple[int, ...], Example([1, 2])]
    made = make_dataclass("Made", [("a", stated, ()), ("b", tuple[int, ...], (3,)), ("c", tuple[int, ...], ())])
    assert [parameter.sample for parameter in parameters_of(made)] == [[1, 2], [3], None]


def test_the_catalogue_shows_them() -> None:
    assert "a list of texts or nothing; for example `['income ~ age + sex', 'taxes ~ income']`" in catalogue_text()
