"""Regression formulas such as `income ~ age + sex`."""

from __future__ import annotations

from typing import NamedTuple

from microveil.core.errors import BadInput


class Formula(NamedTuple):
    """A response and its predictors."""

    response: str
    predictors: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.response} ~ {' + '.join(self.predictors)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The response, then the predictors."""
        return (self.response, *self.predictors)


def parse_formula(text: str, what: str = "formula") -> Formula:
    """The formula of a text; `what` names the text in errors."""
    left, tilde, right = text.partition("~")
    found = Formula(left.strip(), tuple(part.strip() for part in right.split("+")))
    if not tilde or not all(found.columns):
        raise BadInput(f"{what} {text!r} is not of the form 'y ~ a + b'")
    if len(set(found.columns)) < len(found.columns):
        raise BadInput(f"{what} {text!r} names a column twice")
    return found
