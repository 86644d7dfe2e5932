"""The nearest released records of those sought, where columns that nobody changed must agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from microveil.attack.guesses import Answer, Guesses
from microveil.attack.intersecting import MOST_LISTED
from microveil.attack.learnt_covariance import LEAST_NOISE, how_much_wider
from microveil.attack.linking import whitening
from microveil.attack.one_to_one import can_match, match_one_to_one
from microveil.attack.ranges import equal_columns
from microveil.attack.sureness import (
    SURE,
    chance_of_nearest,
    heavy_tailed,
    heavy_tailed_scatter,
    scale_free,
    sure_if_learnt,
)
from microveil.attack.view import View
from microveil.core.arrays import Bools, Floats, Ints, Words
from microveil.kernels.linkage.cells import Cells, all_distances, nominal_steps
from microveil.kernels.linkage.partners import nearest_cells
from microveil.kernels.linkage.scan import scan_nearest
from microveil.kernels.tables.classes import first_rows, group_rows

_DISAGREES = 1e9  # squared distance: nothing in other columns makes up for it
_EVERYTHING = 1e12  # beyond any code
_FAR = 1e3  # times the range of a column: no distance in other columns makes up for it
_TIED = 1e-9
_MOST_GUESSES = 2_000_000  # in all
_LISTED = 10  # of each record at first; more where all of these are equally near


Ends = tuple[Floats, Floats]
Search = Callable[[Cells, Cells, int, Floats], tuple[Ints, Floats]]


class Agreeing(NamedTuple):
    """A column in which a released record must agree: ranges, or sets of values as bits, that have one in common."""

    known: Ends
    released: Ends
    sets: tuple[Words, Words] | None = None


def nearest_readings(
    view: View, x: Floats, y: Floats, gaps_stay: bool = True, agreeing: Sequence[Agreeing] = ()
) -> Answer:
    """Known records `x` and what released ones reconstruct to (`y`), linked by nearest and, if affordable, one to one.

    A known gap says nothing. A released one is of nobody whose value is known where gaps stay; else it may be
    anybody's, and is as far as a true record is on average, taking columns to be in units in which that is 1.
    Columns that no step changed must agree, and so must those that are `agreeing`.
    """
    asked, shown, steps = _cells(x, y, gaps_stay, [*_untouched(view), *agreeing])
    near, cost, labels = _nearest(asked, shown, steps, scan_nearest if agreeing else _search_tree)
    tied = _are_tied(cost)
    readings = {"nearest": guess_members(np.nonzero(tied)[0], near[tied], len(tied), labels)}
    if can_match(len(x) * len(y)):
        matched = match_one_to_one(all_distances(asked, shown, steps, False))
        readings["one-to-one"] = Guesses.of_one_each(matched)
    first = first_rows(labels, len(np.bincount(labels)))
    return Answer(readings, _is_sure(x, y[first], near, cost, np.bincount(labels), among_few=bool(agreeing)))


def _is_sure(x: Floats, points: Floats, near: Ints, cost: Floats, counts: Ints, among_few: bool) -> Bools:
    """Whether one record alone is the nearest, and much likelier than the others that agree.

    How likely differences are is learnt from those of nearest records; a gap says nothing. Among the few that agree in
    other columns nearest records are of any size, and each may have changed by a scale of its own.
    """
    alone = (np.where(_are_tied(cost), counts[near], 0).sum(axis=1) == 1) & (cost[:, 0] < _DISAGREES)
    if not x.shape[1] or not alone.any():
        return np.asarray(alone)
    if among_few:
        likely = np.where(cost < _DISAGREES, scale_free(cost), np.inf)
        return np.asarray(alone & (chance_of_nearest(likely, counts[near]) >= SURE))
    apart = np.nan_to_num(x[:, None, :] - points[near])
    of_nearest = heavy_tailed_scatter(apart[alone, 0], LEAST_NOISE * np.diag(np.nanvar(points, axis=0)))
    W = whitening(how_much_wider(x, points, of_nearest) * of_nearest)
    likely = np.where(cost < _DISAGREES, heavy_tailed(((apart @ W) ** 2).sum(axis=2), W.shape[1]), np.inf)
    return np.asarray(alone & sure_if_learnt(likely, counts[near]))


def _untouched(view: View) -> list[Agreeing]:
    """The columns that no step changed: released values are the true ones, and a known gap says nothing."""
    return [Agreeing(known[:2], released[:2]) for known, released in equal_columns(view, view.untouched)]


def _cells(x: Floats, y: Floats, gaps_stay: bool, agreeing: Sequence[Agreeing]) -> tuple[Cells, Cells, Floats]:
    """Both files as cells: first the columns that must agree, then the numbers."""
    both = np.vstack([x, y])
    least, most = np.nanmin(both, axis=0, initial=-1.0), np.nanmax(both, axis=0, initial=1.0)
    far = most + _FAR * (most - least) if gaps_stay else most
    gaps_x, gaps_y = np.isnan(x), np.isnan(y)
    asked = (np.where(gaps_x, least, x), np.where(gaps_x, far, x))
    shown = (np.where(gaps_y, far if gaps_stay else least, y), np.where(gaps_y, far, y))
    handicap = np.zeros(len(y)) if gaps_stay else gaps_y.sum(axis=1).astype(np.float64)
    steps = nominal_steps(np.arange(len(agreeing) + x.shape[1]) < len(agreeing)) * _DISAGREES
    known = _as_cells([one.known for one in agreeing], [one.sets and one.sets[0] for one in agreeing], asked)
    released = _as_cells([one.released for one in agreeing], [one.sets and one.sets[1] for one in agreeing], shown)
    return known, released._replace(handicap=handicap), steps


def _as_cells(ranges: Sequence[Ends], sets: Sequence[Words | None], numbers: Ends) -> Cells:
    """Ranges that must agree, with a finite number for infinity, and numbers side by side."""
    low, high = (
        np.column_stack([*(np.clip(ends[side], -_EVERYTHING, _EVERYTHING) for ends in ranges), numbers[side]])
        for side in (0, 1)
    )
    words = [0 if one is None else one.shape[1] for one in sets] + [0] * numbers[0].shape[1]
    bits = [one for one in sets if one is not None]
    return Cells(
        np.ascontiguousarray(low),
        np.ascontiguousarray(high),
        np.column_stack(bits) if bits else np.zeros((len(low), 0), dtype=np.uint64),
        np.concatenate([[0], np.cumsum(words)]).astype(np.int64),
        np.zeros(len(low)),
        np.zeros((len(low), 0), dtype=np.uint64),
    )


def _search_tree(asked: Cells, points: Cells, size: int, steps: Floats) -> tuple[Ints, Floats]:
    return nearest_cells(asked, points, size, steps, False)


def _nearest(asked: Cells, shown: Cells, steps: Floats, search: Search) -> tuple[Ints, Floats, Ints]:
    """The points at least distance of each sought record, with costs, and the point of each released record."""
    labels, counts = group_rows(_coded([*shown.low.T, *shown.high.T, *shown.sets.T]))
    points = shown.rows(first_rows(labels, len(counts)))
    size = min(_LISTED, len(counts))
    near, cost = search(asked, points, size, steps)
    while size < min(len(counts), MOST_LISTED) and _are_tied(cost).all(axis=1).any():
        size = min(4 * size, len(counts), MOST_LISTED)
        near, cost = search(asked, points, size, steps)
    return near, cost, labels


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


def _coded(columns: Sequence[Floats | Words]) -> Ints:
    """Each column by its distinct values."""
    codes = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in columns]
    return np.column_stack(codes).astype(np.int64)


def _are_tied(cost: Floats) -> Bools:
    return np.asarray(cost <= cost[:, :1] * (1 + _TIED) + _TIED**2)
