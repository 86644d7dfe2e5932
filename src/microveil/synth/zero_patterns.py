"""Zeros that mean "none": records form groups with those that have the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.edits import Edit
from microveil.core.words import counted
from microveil.data.table import Table


class Classes(NamedTuple):
    """The class of each record, among which groups are formed, numbered from 0, and what is to be said of them."""

    labels: Ints
    notes: tuple[str, ...]


def zero_patterns(table: Table, edits: Sequence[Edit], k: int) -> Classes | None:
    """Classes of records with the same zeros in columns that may not be negative; None if there are no zeros.

    A pattern of fewer than k records joins the nearest that has k: first one whose zeros it has too (an amount
    beside zeros only could not move), then that with the fewest other zeros, then the most frequent.
    """
    from microveil.kernels.tables.patterns import nearest_patterns

    bounded = {edit.columns[0] for edit in edits if _is_at_least_zero(edit)}
    names = [name for name in table.names if name in bounded and (table[name].numbers == 0).any()]
    if not names:
        return None
    zero = np.column_stack([table[name].numbers == 0 for name in names])
    kinds, labels, counts = np.unique(zero, axis=0, return_inverse=True, return_counts=True)
    labels = labels.reshape(-1)
    large = np.flatnonzero(counts >= k)
    if len(large) == 0:
        note = f"no pattern of zeros is shared by {k} records, so that zeros were drawn like any amount"
        return Classes(np.zeros(table.rows, dtype=np.int64), (note,))
    rare = np.flatnonzero(counts < k)
    # of equally near ones the most frequent, which stand first
    large_first = large[np.argsort(-counts[large], kind="stable")]
    joins = np.arange(len(kinds))
    joins[rare] = large_first[nearest_patterns(kinds[rare], kinds[large_first])]
    numbered = np.searchsorted(large, joins)
    moved = int(counts[counts < k].sum())
    same = f"{counted(len(large), 'pattern')} of zeros: records were grouped with those that have the same, which stay"
    if not moved:
        return Classes(numbered[labels], (same,))
    few = f"{counted(moved, 'record')} {'has' if moved == 1 else 'have'} zeros that fewer than {k} share"
    joined, its = ("it was", "its") if moved == 1 else ("they were", "their")
    note = f"{few}: {joined} grouped with the nearest pattern, and {its} zeros were drawn like any amount"
    return Classes(numbered[labels], (same, note))


def _is_at_least_zero(edit: Edit) -> bool:
    return len(edit.columns) == 1 and edit.constant == 0 and edit.coefficients[0] > 0 and not edit.equal
