"""The rules of the data in an original and in its protected version: how many records break each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.edits import Edit
from microveil.data.table import Table
from microveil.measure.pair import Pair


@dataclass(frozen=True)
class RuleCount:
    """A rule, and how many records of each file break it."""

    edit: Edit
    before: int
    after: int


@dataclass(frozen=True)
class BrokenRules:
    """All rules that can be looked at, and how many records of each file break one of them or more."""

    rules: tuple[RuleCount, ...] = ()
    before: int = 0
    after: int = 0


def count_broken_rules(pair: Pair) -> BrokenRules:
    """What becomes of the rules about a column in view; none where a file lacks a column or has classes of it."""
    edits = [edit for edit in pair.before.edits if _is_in_view(edit, pair)]
    if not edits:
        return BrokenRules()
    tables = pair.tables(list(dict.fromkeys(name for edit in edits for name in edit.columns)))
    each, any_of = zip(*(_count(edits, table) for table in tables), strict=True)
    counts = (RuleCount(edit, *found) for edit, found in zip(edits, zip(*each, strict=True), strict=True))
    return BrokenRules(tuple(counts), *any_of)


def _is_in_view(edit: Edit, pair: Pair) -> bool:
    there = all(name in pair.after.columns and not pair.recoded(name) for name in edit.columns)
    return there and any(name in pair.columns for name in edit.columns)


def _count(edits: list[Edit], table: Table) -> tuple[list[int], int]:
    columns = {name: table[name].numbers for name in table.names}
    broken = np.zeros(table.rows, dtype=np.bool_)
    each = []
    for edit in edits:
        found = edit.broken(columns)
        each.append(int(np.count_nonzero(found)))
        broken |= found
    return each, int(np.count_nonzero(broken))
