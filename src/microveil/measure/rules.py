"""The rules of the data in an original and in its protected version: how many records break each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.edits import Edit
from microveil.data.microdata import Microdata
from microveil.measure.pair import Pair


@dataclass(frozen=True)
class RuleCount:
    """A rule, and how many records of each file break it."""

    edit: Edit
    before: int
    after: int


@dataclass(frozen=True)
class BrokenRules:
    """All rules that can be looked at, and how many records of each file break one of them or more.

    `silent` counts the rules that were stated and cannot be looked at: a column is missing, or holds classes now.
    """

    rules: tuple[RuleCount, ...] = ()
    before: int = 0
    after: int = 0
    silent: int = 0


def count_broken_rules(pair: Pair) -> BrokenRules:
    """What becomes of the rules about a column in view; none where a file lacks a column or has classes of it."""
    edits = [edit for edit in pair.before.edits if _is_in_view(edit, pair)]
    silent = len(pair.before.edits) - len(edits)
    if not edits:
        return BrokenRules(silent=silent)
    files = ((pair.before, pair.rows_before), (pair.after, pair.rows_after))
    each, (before, after) = zip(*(_count(edits, *_numbers(edits, pair, *file)) for file in files), strict=True)
    counts = (RuleCount(edit, *found) for edit, found in zip(edits, zip(*each, strict=True), strict=True))
    return BrokenRules(tuple(counts), before, after, silent)


def _is_in_view(edit: Edit, pair: Pair) -> bool:
    there = all(name in pair.after.columns and not pair.recoded(name) for name in edit.columns)
    if not there or not any(name in pair.columns for name in edit.columns):
        return False
    released = pair.after.narwhal
    return not pair.before.is_of_days(edit) or all(
        pair.before.read_for_rules(released.get_column(name), name) is not None for name in edit.columns
    )


def _numbers(edits: list[Edit], pair: Pair, file: Microdata, rows: Ints) -> tuple[dict[str, Floats], int]:
    """The columns of some rules in one of the files, as the original reads them."""
    found = {}
    for name in dict.fromkeys(name for edit in edits for name in edit.columns):
        numbers = pair.before.read_for_rules(file.narwhal.get_column(name), name)
        if numbers is not None:
            found[name] = numbers[rows]
    return found, len(rows)


def _count(edits: list[Edit], columns: dict[str, Floats], rows: int) -> tuple[list[int], int]:
    broken = np.zeros(rows, dtype=np.bool_)
    each = []
    for edit in edits:
        found = edit.broken(columns)
        each.append(int(np.count_nonzero(found)))
        broken |= found
    return each, int(np.count_nonzero(broken))
