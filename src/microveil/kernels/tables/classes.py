"""Equivalence classes of integer-coded records and their sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microveil.core.errors import BadInput

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Codes = NDArray[np.integer[Any]]

_LARGEST_KEY = 2**62
_PAIRWISE = 32  # comparing rows one by one beats a join while products of sizes stay below this many rows


def group_rows(codes: Codes) -> tuple[Int, Int]:
    """Class label of each row and size of each class; equal rows share a label.

    Labels 0, 1, ... follow the lexicographic order of the rows. Any integer codes, missing included.
    """
    keys, space = _pack(codes.T, len(codes))
    return _compress(keys, space)


def class_counts(columns: Sequence[Codes]) -> Int:
    """How many rows each class of equal rows holds, as `group_rows` says it, from columns that stay apart."""
    keys, space = _pack(columns, len(columns[0]))
    if _is_dense(keys, space):
        counts = np.bincount(keys)
        return counts[counts > 0]
    keys.sort()
    ends = np.flatnonzero(keys[1:] != keys[:-1])
    return np.diff(ends, prepend=-1, append=len(keys) - 1)


def class_sizes(
    codes: Int,
    missing: Literal["own", "wildcard"] = "own",
    weights: Float | None = None,
) -> tuple[Int, Float]:
    """For each record the number f of records like it and the sum F of their weights (1 by default).

    Code -1 is missing. `own`: missing is a category of its own. `wildcard`: a missing value agrees with
    anything, whichever of the two records lacks it, as in counts after local suppression (de Waal &
    Willenborg 1995); this relation is not transitive, so records do not fall into classes.
    """
    if missing not in ("own", "wildcard"):
        raise BadInput(f"missing={missing!r} is not one of 'own', 'wildcard'")
    alpha = 1.0 if missing == "wildcard" else None
    sizes, weighted = _class_sizes(codes, alpha, weights)
    return sizes.astype(np.int64), weighted


def discounted_class_sizes(codes: Int, alpha: float, weights: Float | None = None) -> tuple[Float, Float]:
    """As `class_sizes` with wildcards, but a compatible incomplete record counts only `alpha`.

    Identical records and complete compatible records count fully. alpha = 1 is the wildcard count;
    alpha = 0 lets a record with missing values lean on complete records but not the reverse. This is the
    count of sdcMicro's `freqCalc` (which sets records without any observed value to n for every alpha).
    """
    if not 0 <= alpha <= 1:
        raise BadInput(f"alpha must be between 0 and 1; {alpha} was given")
    return _class_sizes(codes, alpha, weights)


def _class_sizes(codes: Int, alpha: float | None, weights: Float | None) -> tuple[Float, Float]:
    n = len(codes)
    if weights is not None and weights.shape != (n,):
        raise BadInput(f"weights have shape {weights.shape}; give one weight for each of the {n} records")
    if codes.size and codes.min() < -1:
        raise BadInput(f"code {codes.min()} is not allowed; codes are >= 0, or -1 for missing")
    labels, counts = group_rows(codes)
    amounts = np.ones((2, len(counts)))
    amounts[0] = counts
    amounts[1] = counts if weights is None else np.bincount(labels, weights=weights, minlength=len(counts))
    if alpha is not None:
        first = np.empty(len(counts), dtype=np.int64)
        first[labels[::-1]] = np.arange(n - 1, -1, -1)
        amounts = _with_compatible(np.ascontiguousarray(codes[first]), amounts, alpha)
    sizes, weighted = amounts[:, labels]
    return sizes, weighted


def _with_compatible(rows: Int, amounts: Float, alpha: float) -> Float:
    """Amounts of distinct rows plus those of all other rows compatible with them.

    Rows with missing values in the same places are compatible with rows of another such pattern when
    they agree on the places observed in both: one join for each pair of patterns. Distinct rows of one
    pattern are never compatible.
    """
    patterns, sizes = group_rows((rows >= 0).astype(np.int64))
    order = np.argsort(patterns, kind="stable")
    rows, amounts = rows[order], amounts[:, order]
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    observed = rows[bounds[:-1]] >= 0
    result = amounts.copy()
    _add_small_pairs(rows, amounts, bounds, observed, alpha, result)
    for s in range(len(sizes)):
        later = sizes[s + 1 :]
        large = np.flatnonzero(sizes[s] * later > _PAIRWISE * (sizes[s] + later))
        for t in large + s + 1:
            left, right = slice(bounds[s], bounds[s + 1]), slice(bounds[t], bounds[t + 1])
            both = observed[s] & observed[t]
            found = _join(rows[left][:, both], rows[right][:, both], amounts[:, left], amounts[:, right])
            result[:, left] += found[0] * (1.0 if observed[t].all() else alpha)
            result[:, right] += found[1] * (1.0 if observed[s].all() else alpha)
    restored = np.empty_like(result)
    restored[:, order] = result
    return restored


@njit(cache=True, nogil=True)
def _add_small_pairs(
    rows: Int, amounts: Float, bounds: Int, observed: NDArray[np.bool_], alpha: float, result: Float
) -> None:
    patterns = len(bounds) - 1
    q = rows.shape[1]
    for s in range(patterns):
        for t in range(s + 1, patterns):
            left = bounds[s + 1] - bounds[s]
            right = bounds[t + 1] - bounds[t]
            if left * right > _PAIRWISE * (left + right):
                continue
            to_left = 1.0 if observed[t].all() else alpha
            to_right = 1.0 if observed[s].all() else alpha
            for i in range(bounds[s], bounds[s + 1]):
                for k in range(bounds[t], bounds[t + 1]):
                    j = 0
                    while j < q and (rows[i, j] == rows[k, j] or rows[i, j] < 0 or rows[k, j] < 0):
                        j += 1
                    if j == q:
                        for v in range(amounts.shape[0]):
                            result[v, i] += to_left * amounts[v, k]
                            result[v, k] += to_right * amounts[v, i]


def _join(left: Int, right: Int, left_amounts: Float, right_amounts: Float) -> tuple[Float, Float]:
    """For each row the summed amounts of the equal rows on the other side."""
    labels, counts = group_rows(np.vstack([left, right]))
    here, there = labels[: len(left)], labels[len(left) :]
    classes = len(counts)
    from_left = np.stack([np.bincount(here, weights=v, minlength=classes) for v in left_amounts])
    from_right = np.stack([np.bincount(there, weights=v, minlength=classes) for v in right_amounts])
    return np.asarray(from_right[:, here], np.float64), np.asarray(from_left[:, there], np.float64)


def _pack(columns: Iterable[Codes], records: int) -> tuple[Int, int]:
    """One whole number per row that orders as the rows do, and the size of its range."""
    keys = np.zeros(records, dtype=np.int64)
    space = 1
    if records == 0:
        return keys, space
    for column in columns:
        low = int(column.min())
        radix = int(column.max()) - low + 1
        if radix > _LARGEST_KEY // records:
            # a range this wide leaves no room for the others: number the values that occur
            column, counts = _compress(column.astype(np.int64), None)
            low, radix = 0, len(counts)
        if space > _LARGEST_KEY // radix:
            keys, counts = _compress(keys, space)
            space = len(counts)
        keys *= radix
        keys += column
        keys -= low
        space *= radix
    return keys, space


def _compress(keys: Int, space: int | None) -> tuple[Int, Int]:
    """Number the distinct keys in increasing order: number of each key, how often each occurs."""
    if space is not None and _is_dense(keys, space):
        counts = np.bincount(keys, minlength=space)
        present = counts > 0
        return (np.cumsum(present) - 1)[keys], counts[present]
    _, labels, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return labels.reshape(-1), counts


def _is_dense(keys: Int, space: int) -> bool:
    """Whether a count for each possible key takes not much more room than the keys do."""
    return space <= 4 * len(keys) + 1024
