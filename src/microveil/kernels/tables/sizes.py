"""How many records are like each record, where a missing value is a value of its own or agrees with any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.core.errors import BadInput
from microveil.kernels.tables.classes import count_up, first_rows, group_rows

_PAIRWISE = 32  # comparing rows one by one beats a join while products of sizes stay below this many rows


def class_sizes(
    codes: Ints,
    missing: Literal["own", "wildcard"] = "own",
    weights: Floats | None = None,
    records: Ints | None = None,
) -> tuple[Ints, Floats]:
    """For each record the number f of records like it and the sum F of their weights (1 by default).

    `records`: how many each row stands for (1 by default), whose weights are those of all of them together.

    Code -1 is missing. `own`: missing is a category of its own. `wildcard`: a missing value agrees with
    anything, whichever of the two records lacks it, as in counts after local suppression (de Waal &
    Willenborg 1995); this relation is not transitive, so records do not fall into classes.
    """
    if missing not in ("own", "wildcard"):
        raise BadInput(f"missing={missing!r} is not one of 'own', 'wildcard'")
    n = len(codes)
    if weights is not None and weights.shape != (n,):
        raise BadInput(f"weights have shape {weights.shape}; give one weight for each of the {n} records")
    if codes.size and codes.min() < -1:
        raise BadInput(f"code {codes.min()} is not allowed; codes are >= 0, or -1 for missing")
    labels, counts = group_rows(codes)
    amounts = np.ones((2, len(counts)))
    amounts[0] = counts if records is None else count_up(labels, records, len(counts))
    amounts[1] = amounts[0] if weights is None else np.bincount(labels, weights=weights, minlength=len(counts))
    if missing == "wildcard":
        amounts = _with_compatible(np.ascontiguousarray(codes[first_rows(labels, len(counts))]), amounts)
    sizes, weighted = amounts[:, labels]
    return sizes.astype(np.int64), weighted


def gaps_as_values(codes: Ints, columns: Sequence[int]) -> Ints:
    """The codes with the gaps of some columns as a value of their own, so that they agree with no other value."""
    read = codes.copy()
    for column in columns:
        gaps = read[:, column] < 0
        read[gaps, column] = read[:, column].max(initial=-1) + 1
    return read


def _with_compatible(rows: Ints, amounts: Floats) -> Floats:
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
    _add_small_pairs(rows, amounts, bounds, result)
    for s in range(len(sizes)):
        later = sizes[s + 1 :]
        large = np.flatnonzero(sizes[s] * later > _PAIRWISE * (sizes[s] + later))
        for t in large + s + 1:
            left, right = slice(bounds[s], bounds[s + 1]), slice(bounds[t], bounds[t + 1])
            both = observed[s] & observed[t]
            found = _join(rows[left][:, both], rows[right][:, both], amounts[:, left], amounts[:, right])
            result[:, left] += found[0]
            result[:, right] += found[1]
    restored = np.empty_like(result)
    restored[:, order] = result
    return restored


@compiled
def _add_small_pairs(rows: Ints, amounts: Floats, bounds: Ints, result: Floats) -> None:
    patterns = len(bounds) - 1
    q = rows.shape[1]
    for s in range(patterns):
        for t in range(s + 1, patterns):
            left = bounds[s + 1] - bounds[s]
            right = bounds[t + 1] - bounds[t]
            if left * right > _PAIRWISE * (left + right):
                continue
            for i in range(bounds[s], bounds[s + 1]):
                for k in range(bounds[t], bounds[t + 1]):
                    j = 0
                    while j < q and (rows[i, j] == rows[k, j] or rows[i, j] < 0 or rows[k, j] < 0):
                        j += 1
                    if j == q:
                        for v in range(amounts.shape[0]):
                            result[v, i] += amounts[v, k]
                            result[v, k] += amounts[v, i]


def _join(left: Ints, right: Ints, left_amounts: Floats, right_amounts: Floats) -> tuple[Floats, Floats]:
    """For each row the summed amounts of the equal rows on the other side."""
    labels, counts = group_rows(np.vstack([left, right]))
    here, there = labels[: len(left)], labels[len(left) :]
    classes = len(counts)
    from_left = np.stack([np.bincount(here, weights=v, minlength=classes) for v in left_amounts])
    from_right = np.stack([np.bincount(there, weights=v, minlength=classes) for v in right_amounts])
    return np.asarray(from_right[:, here], np.float64), np.asarray(from_left[:, there], np.float64)
