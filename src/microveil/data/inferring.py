"""The kind that a column has by its values, where nobody stated one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.core.open_types import Cell
from microveil.data import frames
from microveil.data.schema import looks_like_code

_SOME = 10_000


def infer_kind(series: frames.Series, levels: Sequence[Cell] | None, missing: tuple[Cell, ...]) -> str:
    """Amounts are continuous; categories are ordinal where they have an order, and nominal otherwise."""
    if levels is not None or frames.is_ordered_categorical(series):
        return "ordinal"
    if not frames.is_numeric(series):
        return "nominal"
    if series.dtype.is_integer():
        if frames.has_long_numbers(series, missing):
            return "nominal"  # too long for amounts: numbers of records, persons, accounts
        # the first values of a long column show soonest that its values are many
        if all(looks_like_code(_count_different(part, missing), len(series)) for part in (series.head(_SOME), series)):
            return "ordinal"
    return "continuous"


def _count_different(series: frames.Series, missing: tuple[Cell, ...]) -> int:
    numbers = frames.raw_numbers(series)
    absent = np.isnan(numbers) | np.isin(numbers, [code for code in missing if isinstance(code, int | float)])
    return len(np.unique(numbers[~absent]))
