"""What known amounts become on average, and how released ones scatter around it, learnt from an intruder's own runs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.attack.scales import Scale, ambiguity, offered_scales
from microveil.attack.simulating import Simulated
from microveil.attack.view import View
from microveil.core.arrays import Floats, Matrix

_WINDOW = 100  # a mean over neighbours spans one in so many records on each side
_RIDGE = 1e-9


class Images(NamedTuple):
    """Columns of one chain on the scales on which they tell most.

    `known` are the images of the known records, `released` the released values, `left` what the intruder's own runs
    leave around images that were computed without the run at hand (a run below the other); nothing for a single one.
    `held_out` is the first run, and its images by the others.
    """

    names: tuple[str, ...]
    known: Matrix
    released: Matrix
    left: Matrix
    held_out: tuple[Matrix, Matrix]


def find_images(view: View, simulated: Simulated) -> Images | None:
    """The images of the amounts of a chain; None without any."""
    names = tuple(name for name in simulated.columns if _is_amount(view, name, simulated.columns[name]))
    if not names:
        return None
    columns = [_Column(view, simulated, name) for name in names]
    released = np.column_stack([column.scale(view.released[column.name].numbers) for column in columns])
    stacked = [np.stack([getattr(column, what) for column in columns], axis=-1) for what in ("image", "runs", "others")]
    image, runs, others = stacked
    left = (runs - others).reshape(-1, len(names)) if len(runs) > 1 else np.empty((0, len(names)))
    return Images(names, image, released, left[~np.isnan(left).any(axis=1)], (others[0], runs[0]))


def _is_amount(view: View, name: str, runs: Floats) -> bool:
    amounts = view.known[name].levels is None and view.released[name].levels is None
    return amounts and not np.isnan(runs).all() and not view.released[name].missing.all()


class _Column:
    """One column on its scale: the image, the runs, and the image of each run computed from the others."""

    def __init__(self, view: View, simulated: Simulated, name: str) -> None:
        self.name = name
        known, runs = view.known[name].numbers, simulated.columns[name]
        beside = [
            view.known[one].numbers
            for one in simulated.columns
            if one != name and view.known[one].levels is None and not view.known[one].missing.any()
        ]
        offered = [
            (scale, *_regress(scale(known), beside, scale(runs)))
            for scale in offered_scales(view.released[name].numbers, np.append(runs, known))
        ]
        best = 0
        if len(runs) > 1:
            best = int(np.argmin([ambiguity(others[0], scale(runs[0])) for scale, _, others in offered]))
        scale, self.image, self.others = offered[best]
        self.scale: Scale = scale
        self.runs = scale(runs)


def _regress(known: Floats, beside: list[Floats], runs: Floats) -> tuple[Floats, Floats]:
    """What a known value becomes: by the record's own runs, by those of its neighbours, and by its known values.

    Each run is predicted from the others, so that what is left is what a further run leaves; the image is by all.
    """
    count = len(runs)
    if count == 1:
        return runs[0], runs
    smooth = _smoothed(known, runs)
    others = [(runs.sum(axis=0) - runs[s]) / (count - 1) for s in range(count)]
    columns = [smooth, np.where(np.isnan(known), np.nanmean(known), known), *beside, np.ones(len(known))]
    designs = [np.column_stack([one, *columns]) for one in (*others, runs.mean(axis=0))]
    X, y = np.vstack(designs[:-1]), runs.reshape(-1)
    there = ~np.isnan(X).any(axis=1) & ~np.isnan(y)
    if there.sum() <= 2 * X.shape[1]:
        return runs.mean(axis=0), np.array(others)
    size = np.sqrt((X[there] ** 2).mean(axis=0))
    X = X / np.where(size > 0, size, 1.0)
    gram = X[there].T @ X[there]
    weights = np.linalg.solve(gram + _RIDGE * np.trace(gram) * np.eye(len(gram)), X[there].T @ y[there])
    weights /= np.where(size > 0, size, 1.0)
    found = [design @ weights for design in designs]
    return found[-1], np.array(found[:-1])


def _smoothed(known: Floats, runs: Floats) -> Floats:
    """The mean of all runs over records whose known values are neighbours; equal known values have the same."""
    there = np.flatnonzero(~np.isnan(known) & ~np.isnan(runs).any(axis=0))
    out = np.full(len(known), np.nan)
    if not len(there):
        return out
    values, inverse, counts = np.unique(known[there], return_inverse=True, return_counts=True)
    sums = np.bincount(inverse.reshape(-1), weights=runs[:, there].mean(axis=0))
    half = max(2, len(there) // _WINDOW)
    total, number = (np.concatenate([[0.0], np.cumsum(one)]) for one in (sums, counts))
    at = np.arange(len(values))
    low, high = np.maximum(at - half, 0), np.minimum(at + half + 1, len(values))
    out[there] = ((total[high] - total[low]) / (number[high] - number[low]))[inverse.reshape(-1)]
    return out
