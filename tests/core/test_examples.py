"""What parameters show as an example; that each shows one which is accepted is in the common suite."""

from __future__ import annotations

from typing import Annotated

from microveil.core.parameters import Example, parameters_of
from microveil.core.registry import registered
from microveil.report.catalogue import catalogue_text

FORMS = [(cls, parameter) for cls in registered() for parameter in cls.parameters()]


def test_plain_words_and_numbers_need_none() -> None:
    assert all(parameter.sample is None for _, parameter in FORMS if parameter.annotation in (bool, int, float))


def test_what_is_shown_is_stated_or_tried_or_the_default() -> None:
    from dataclasses import make_dataclass

    stated = Annotated[tuple[int, ...], Example([1, 2])]
    made = make_dataclass("Made", [("a", stated, ()), ("b", tuple[int, ...], (3,)), ("c", tuple[int, ...], ())])
    assert [parameter.sample for parameter in parameters_of(made)] == [[1, 2], [3], None]


def test_the_catalogue_shows_them() -> None:
    assert "a list of texts or nothing; for example `['income ~ age + sex', 'taxes ~ income']`" in catalogue_text()
