"""Points of the two files that can be compared: on the columns known of those sought, without gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from microveil.attack.domains import Domain
from microveil.attack.linking import Part
from microveil.attack.view import View
from microveil.core.arrays import Floats, Ints, Matrix
from microveil.kernels.tables.classes import group_rows
from microveil.measure.keys import common_codes

_FAR = 1e6  # standard deviations: no nearness makes up for another value where values are true


def complete_parts(
    view: View, domain: Domain, known: Matrix, released: Matrix, root: Callable[[Ints], Matrix]
) -> Iterator[Part]:
    """The records of a subdomain by the columns that are known of those sought, as points to be compared.

    `known` and `released` are the values of its records. `root` says for some of the columns by which matrix
    points are multiplied to make distances tell. Gaps stay where they were, so that a released record with a gap is of
    nobody whose value is known there; in columns that nobody changed it must agree.
    """
    codes, released_codes = common_codes(
        view.known.only(view.untouched).take(domain.sought), view.released.only(view.untouched).take(domain.released)
    )
    missing = np.column_stack([np.isnan(known), codes < 0])
    labels, counts = group_rows(missing.astype(np.int64))
    for pattern in range(len(counts)):
        rows = np.flatnonzero(labels == pattern)
        there = np.flatnonzero(~missing[rows[0]])
        columns, true = there[there < known.shape[1]], there[there >= known.shape[1]] - known.shape[1]
        if not len(there):
            continue  # nothing is known of these
        others = np.flatnonzero(~np.isnan(released[:, columns]).any(axis=1))
        turned = root(columns)
        both = np.vstack([codes[np.ix_(rows, true)], released_codes[np.ix_(others, true)]])
        same = _FAR * np.asarray(group_rows(both)[0], dtype=np.float64)
        yield Part(
            domain.sought[rows],
            domain.released[others],
            columns,
            _beside(known[np.ix_(rows, columns)] @ turned, same[: len(rows)]),
            _beside(released[np.ix_(others, columns)] @ turned, same[len(rows) :]),
        )


def _beside(points: Matrix, same: Floats) -> Matrix:
    return np.column_stack([points, same])
