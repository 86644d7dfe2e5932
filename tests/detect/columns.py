"""A column of any family, to judge detectors by: some values repeat, some are missing, some are words for "nothing".

Half of the columns have a name that says what they hold, in one of several languages; half have one that says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.detect.held_out_words import NOTHING

Draw = np.random.Generator


@dataclass(frozen=True)
class Family:
    """A kind of column, whether it identifies people, its names that say so, and how values are drawn."""

    name: str
    identifies: bool
    headers: tuple[str, ...]
    values: Callable[[Draw, int], Sequence[Any]]
    spoilt: bool = True  # whether some values are missing or words for nothing


def drawn(family: Family, draw: Draw, named: bool) -> tuple[str, list[Any]]:
    """A column of a family: its name, and its values."""
    records = int(draw.integers(150, 700))
    values = list(family.values(draw, records))
    if family.identifies and family.spoilt:
        again = draw.integers(1, 4)  # how often a person occurs
        values = [values[place] for place in draw.integers(0, max(records // again, 30), records)]
    share = draw.choice([0.0, 0.05, 0.2]) if family.spoilt else 0.0
    gone: tuple[Any, ...] = (None, *NOTHING) if family.identifies and isinstance(values[0], str) else (None,)
    values = [gone[draw.integers(len(gone))] if draw.random() < share else value for value in values]
    said = family.headers[draw.integers(len(family.headers))]
    nothing = f"{draw.choice(['v', 'col_', 'x', 'var', 'f'])}{draw.integers(1, 99)}"
    return (said if named else nothing), values
