"""The nearest released records of those sought, where columns that nobody changed must agree."""

from __future__ import annotations

import numpy as np

from microveil.attack.guesses import Answer, Guesses
from microveil.attack.intersecting import MOST_ASSIGNED, MOST_LISTED
from microveil.attack.view import View
from microveil.core.arrays import Bools, Floats, Ints
from microveil.kernels.linkage.partners import Cells, all_distances, nearest_cells, nominal_steps
from microveil.kernels.tables.classes import first_rows, group_rows
from microveil.measure.keys import common_codes

_DISAGREES = 1e9  # squared distance: nothing in other columns makes up for it
_FAR = 1e3  # times the range of a column: no distance in other columns makes up for it
_SURE = 2.0  # the next record is at least so many times as far
_TIED = 1e-9
_MOST_GUESSES = 2_000_000  # in all
_LISTED = 4  # of each record at first; more where all of these are equally near


def nearest_readings(view: View, x: Floats, y: Floats, gaps_stay: bool = True) -> Answer:
    """Known records `x` and what released ones reconstruct to (`y`), linked by nearest and, if affordable, one to one.

    A known gap says nothing. A released one is of nobody whose value is known where gaps stay; else it may be
    anybody's, and is as far as a true record is on average, taking columns to be in units in which that is 1.
    """
    asked, shown, steps = _cells(view, x, y, gaps_stay)
    nearest, sure = _nearest(asked, shown, steps)
    readings = {"nearest": nearest}
    if len(x) * len(y) <= MOST_ASSIGNED:
        readings["one-to-one"] = Guesses.of_one_each(_assigned(asked, shown, steps))
    return Answer(readings, sure)


def _cells(view: View, x: Floats, y: Floats, gaps_stay: bool) -> tuple[Cells, Cells, Floats]:
    """Both files as cells: columns that no step changed as codes, then the numbers."""
    known, released = common_codes(view.known.only(view.untouched), view.released.only(view.untouched))
    low_x = np.hstack([known.astype(np.float64), x])
    low_y = np.hstack([released.astype(np.float64), y])
    gaps_x, gaps_y = np.isnan(low_x), np.isnan(low_y)
    gaps_x[:, : known.shape[1]] = known < 0
    both = np.vstack([low_x, low_y])
    least, most = np.nanmin(both, axis=0, initial=-1.0), np.nanmax(both, axis=0, initial=1.0)
    far = most + _FAR * (most - least) if gaps_stay else most
    steps = nominal_steps(np.arange(both.shape[1]) < known.shape[1]) * _DISAGREES
    asked = _as_cells(np.where(gaps_x, least, low_x), np.where(gaps_x, far, low_x), np.zeros(len(x)))
    if gaps_stay:
        at = np.where(gaps_y, far, low_y)
        return asked, _as_cells(at, at, np.zeros(len(y))), steps
    anything = np.where(gaps_y, least, low_y), np.where(gaps_y, most, low_y)
    return asked, _as_cells(*anything, gaps_y.sum(axis=1).astype(np.float64)), steps


def _as_cells(low: Floats, high: Floats, handicap: Floats) -> Cells:
    starts = np.zeros(low.shape[1] + 1, dtype=np.int64)
    sets = np.zeros((len(low), 0), dtype=np.uint64)
    return Cells(np.ascontiguousarray(low), np.ascontiguousarray(high), sets, starts, handicap)


def _nearest(asked: Cells, shown: Cells, steps: Floats) -> tuple[Guesses, Bools]:
    """The released records at least distance, which share the guess, and of whom that is sure."""
    labels, counts = group_rows(np.hstack([_coded(shown.low), _coded(shown.high)]))
    points = shown.rows(first_rows(labels, len(counts)))
    size = min(_LISTED, len(counts))
    near, cost = nearest_cells(asked, points, size, steps, False)
    while size < min(len(counts), MOST_LISTED) and _are_tied(cost).all(axis=1).any():
        size = min(4 * size, len(counts), MOST_LISTED)
        near, cost = nearest_cells(asked, points, size, steps, False)
    tied = _are_tied(cost)
    sure = np.where(tied, counts[near], 0).sum(axis=1) == 1
    if size > 1:
        sure &= cost[:, 1] >= _SURE**2 * cost[:, 0]
    guesses = guess_members(np.nonzero(tied)[0], near[tied], len(tied), labels)
    return guesses, np.asarray(sure & (cost[:, 0] < _DISAGREES))


def guess_members(sought: Ints, point: Ints, count: int, labels: Ints) -> Guesses:
    """Guesses of `count` sought records at all that stand at some points, each of a record as likely as the other.

    `sought` says, in rising order, whose point each is; `labels` at which point each released record stands. Of a
    point with very many records some stand for all, others for each sought record: the order of a view carries
    nothing, so that as many are found on average.
    """
    order, counts = np.argsort(labels, kind="stable"), np.bincount(labels)
    first = np.cumsum(counts) - counts
    sizes = np.bincount(sought, weights=counts[point], minlength=count)
    most = min(MOST_LISTED, max(_MOST_GUESSES // max(len(point), 1), 1))
    listed = np.minimum(counts[point], most)
    within = np.arange(int(listed.sum())) - np.repeat(np.cumsum(listed) - listed, listed)
    place = (within + np.repeat(sought * most, listed)) % np.repeat(counts[point], listed)
    each = counts[point] / (listed * sizes[sought])
    start = np.concatenate([[0], np.cumsum(np.bincount(sought, weights=listed, minlength=count))]).astype(np.int64)
    return Guesses(start, order[np.repeat(first[point], listed) + place], np.repeat(each, listed))


def _coded(values: Floats) -> Ints:
    """Each column by its distinct values."""
    codes = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in values.T]
    return np.column_stack(codes).astype(np.int64)


def _are_tied(cost: Floats) -> Bools:
    return np.asarray(cost <= cost[:, :1] * (1 + _TIED) + _TIED**2)


def _assigned(asked: Cells, shown: Cells, steps: Floats) -> Ints:
    """A released record of each sought one, none twice, at least total distance; -1 where none is left."""
    from scipy.optimize import linear_sum_assignment

    rows, chosen = linear_sum_assignment(all_distances(asked, shown, steps, False))
    found = np.full(len(asked.low), -1, dtype=np.int64)
    found[rows] = chosen
    return found
