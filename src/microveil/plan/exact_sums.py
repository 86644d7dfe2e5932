"""Sums that hold among columns of amounts: candidates found in a few records, to be verified on all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from microveil.core.arrays import Floats, Ints, Matrix
from microveil.core.edits import Edit

_TRIES = 24  # one broken record among those looked at hides a sum: others are looked at then
_BEYOND = 10  # records beyond the number of columns: a sum that holds in them by chance is improbable
_POOL = 5_000
_OF_EACH = 64  # records looked at in which a column is not 0: it may be so in nearly all others
_LARGEST = 12  # coefficient: twelve months are a year
_ZERO = 1e-9  # of the largest value of a column: what elimination leaves of a column that is a sum
_WHOLE = 1e-6


def find_sums(columns: Mapping[str, Floats]) -> list[Edit]:
    """Equations with small whole coefficients that hold in some records, the sparsest first.

    The number of records decides the time only through reading them once: what is solved has a few more rows than
    columns.
    """
    names = _with_common_records(columns)
    if len(names) < 2:
        return []
    pool = _pool([columns[name] for name in names])
    if len(pool) < len(names) + _BEYOND:
        return []
    # parts before their total, which is then the sum of parts
    order = np.argsort(np.abs(pool).mean(axis=0), kind="stable")
    names, pool = [names[j] for j in order], pool[:, order]
    found: dict[tuple[float, ...], None] = {}
    for number in range(_TRIES):
        relations = _make_sparse(list(_relations(pool[_some(pool, number)])))
        found.update(dict.fromkeys(map(tuple, relations)))
    ordered = sorted(found, key=lambda relation: sum(map(bool, relation)))
    return [_edit(relation, names, list(columns)) for relation in ordered]


def _with_common_records(columns: Mapping[str, Floats]) -> list[str]:
    """The columns without those whose gaps leave too few records that have all of them."""
    gaps = {name: np.isnan(numbers) for name, numbers in columns.items()}
    names = sorted(columns, key=lambda name: int(gaps[name].sum()))
    incomplete = np.zeros(len(next(iter(gaps.values()))) if gaps else 0, dtype=np.bool_)
    kept: list[str] = []
    for name in names:
        together = incomplete | gaps[name]
        if np.count_nonzero(~together) < len(kept) + 1 + _BEYOND:
            break
        kept.append(name)
        incomplete = together
    return kept


def _pool(columns: Sequence[Floats]) -> Matrix:
    """Complete records, evenly spaced, and for each column some in which it is not 0."""
    complete = np.flatnonzero(~np.any([np.isnan(column) for column in columns], axis=0))
    chosen = [_spaced(complete, _POOL)]
    chosen += [_spaced(complete[column[complete] != 0], _OF_EACH) for column in columns]
    rows = np.unique(np.concatenate(chosen))
    return np.column_stack([column[rows] for column in columns])


def _spaced(rows: Ints, most: int) -> Ints:
    return rows[:: max(1, len(rows) // most)]


def _some(pool: Matrix, number: int) -> Ints:
    """A few more records than columns, others for each number; every column is not 0 in one of them."""
    n, p = pool.shape
    step = max(1, n // (p + _BEYOND))
    rows = (number * (step // _TRIES + 1) + step * np.arange(p + _BEYOND)) % n
    seldom = [np.flatnonzero(pool[:, j]) for j in range(p)]
    once = [own[(number * len(own)) // _TRIES] for own in seldom if len(own)]
    return np.unique(np.concatenate([rows, np.asarray(once, dtype=np.int64)]))


def _relations(X: Matrix) -> Iterator[Floats]:
    """Coefficients of the columns, and the constant last, of sums that are 0 in all rows: each ends in one column."""
    A = np.column_stack([np.ones(len(X)), X])
    A /= np.abs(A).max(axis=1, keepdims=True)  # one giant record would hide what is left of the others
    size = np.abs(A).max(axis=0)
    pivots: list[int] = []
    for column in range(A.shape[1]):
        below = np.abs(A[len(pivots) :, column])
        if not len(below):
            return
        if below.max() > _ZERO * size[column]:
            _eliminate(A, len(pivots), len(pivots) + int(below.argmax()), column)
            pivots.append(column)
            continue
        coefficients = np.zeros(A.shape[1])
        coefficients[pivots] = -A[: len(pivots), column]
        coefficients[column] = 1.0
        whole = np.rint(coefficients[1:])
        if np.abs(whole - coefficients[1:]).max() < _WHOLE and 0 < np.abs(whole).max() <= _LARGEST:
            yield np.append(whole, _plain(coefficients[0], X[:, column - 1]))


def _eliminate(A: Matrix, row: int, pivot: int, column: int) -> None:
    A[[row, pivot]] = A[[pivot, row]]
    A[row] /= A[row, column]
    others = np.arange(len(A)) != row
    A[others] -= np.outer(A[others, column], A[row])


def _plain(constant: float, of: Floats) -> float:
    """A constant without what elimination added to it: 0, or a number of few digits."""
    if abs(constant) <= _WHOLE * float(np.abs(of).max(initial=0.0)):
        return 0.0
    return float(f"{constant:.6g}")


def _make_sparse(relations: list[Floats]) -> list[Floats]:
    """The same space by relations of fewer columns: a total of totals is the sum of these, not of all parts."""
    found = list(relations)
    shorter = True
    while shorter:
        shorter = False
        for i, one in enumerate(found):
            for j, other in enumerate(found):
                for sign in (-1.0, 1.0):
                    both = one + sign * other
                    if i != j and 0 < np.count_nonzero(both) < np.count_nonzero(found[i]):
                        found[i], shorter = both, True
    return [one for one in found if np.abs(one[:-1]).max() <= _LARGEST]


def _edit(relation: Sequence[float], names: Sequence[str], order: Sequence[str]) -> Edit:
    """The relation as a rule: the side with fewer columns to the left, columns as they stand in the file."""
    given = {name: number for name, number in zip(names, relation[:-1], strict=True) if number}
    positive = sum(number > 0 for number in given.values())
    sign = -1.0 if positive > len(given) - positive > 0 or positive == 0 else 1.0
    terms = {name: sign * given[name] for name in order if name in given}
    ordered = sorted(terms, key=lambda name: terms[name] < 0)
    return Edit(tuple(ordered), tuple(terms[name] for name in ordered), sign * relation[-1] + 0.0, equal=True)
