"""Which identifiers may say whose record it is: numbers and names may, days and remarks do not."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from microveil.core.open_types import Cell
from microveil.data.days import form_of_days
from microveil.detect.words import says, words_of


def may_number_units(name: Any, levels: Sequence[Cell]) -> bool:
    """Whether equal values of an identifier may be one person or enterprise.

    Columns are called identifiers, too, because they are to be left out: a day is of everybody who came on it, and the
    same remark is written about many.

    >>> may_number_units("patient", ["P1", "P2"]), may_number_units("admission", ["05.03.2024", "06.03.2024"])
    (True, False)
    >>> may_number_units("note", ["sober; see file", "wants no call"])
    False
    """
    if form_of_days(levels):
        return False
    written = bool(levels) and all(isinstance(level, str) for level in levels)
    return not (written and says(words_of(name), "free text") and median(len(str(text).split()) for text in levels) > 1)
