"""Scores: loss and risk in one figure, with everything it is made of beside it."""

from microveil.core.names import public_names as _public_names
from microveil.score.score import Score as Score


def __dir__() -> list[str]:
    return _public_names(globals())
