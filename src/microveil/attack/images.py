"""What known amounts become on average, and how released ones scatter around it, learnt from an intruder's own runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from microveil.attack.densities import Density, learn_density
from microveil.attack.scales import offered_scales, surprise
from microveil.attack.simulating import Simulated
from microveil.attack.view import View
from microveil.core.arrays import Floats, Matrix

_WINDOW = 100  # a mean over neighbours spans one in so many records on each side
_RIDGE = 1e-9


class Images(NamedTuple):
    """Columns of one chain on the scales on which they tell most.

    `known` are the images of the known records, `released` the released values, `left` what the intruder's own runs
    leave around images that were computed without the run at hand (a run below the other); nothing for a single one.
    `densities` are those of what is left, column by column. `held_out` is the first run, and its images by the others.
    """

    names: tuple[str, ...]
    known: Matrix
    released: Matrix
    left: Matrix
    densities: tuple[Density | None, ...]
    held_out: tuple[Matrix, Matrix]


def offer_images(view: View, simulated: Simulated) -> list[Images]:
    """The images of the amounts of a chain: on each scale and in each way that all columns offer, and each column on
    the scale and in the way that tells most of it; none without amounts."""
    names = tuple(name for name in simulated.columns if _is_amount(view, name, simulated.columns[name]))
    if not names:
        return []
    columns = [_offers(view, simulated, name) for name in names]
    common = [how for how in columns[0] if all(how in offered for offered in columns)]
    chosen = [[offered[how] for offered in columns] for how in common]
    if len(columns[0]) > 1:
        chosen.append([min(offered.values(), key=lambda one: one.surprise) for offered in columns])
    return [_side_by_side(names, offers) for offers in chosen]


def _side_by_side(names: tuple[str, ...], offers: Sequence[_Offer]) -> Images:
    released, runs, image, others = (
        np.stack([getattr(one, part) for one in offers], axis=-1) for part in ("released", "runs", "image", "others")
    )
    left = (runs - others).reshape(-1, len(names)) if len(runs) > 1 else np.empty((0, len(names)))
    left = left[~np.isnan(left).any(axis=1)]
    return Images(names, image, released, left, tuple(one.density for one in offers), (others[0], runs[0]))


def _is_amount(view: View, name: str, runs: Floats) -> bool:
    amounts = view.known[name].levels is None and view.released[name].levels is None
    return amounts and not np.isnan(runs).all() and not view.released[name].missing.all()


def _offers(view: View, simulated: Simulated, name: str) -> dict[tuple[str, str], _Offer]:
    """One column by scale and way; without draws it is what it is."""
    known, runs, released = view.known[name].numbers, simulated.columns[name], view.released[name].numbers
    if len(runs) == 1:
        return {("values", "run"): _Offer(released, runs, runs[0], runs)}
    beside = [
        view.known[one].numbers
        for one in simulated.columns
        if one != name and view.known[one].levels is None and not view.known[one].missing.any()
    ]
    return {
        (name_of_scale, way): _Offer(scale(released), scale(runs), *found)
        for name_of_scale, scale in offered_scales(released, np.concatenate([known, *runs]))
        for way, found in _ways(scale(known), scale(simulated.settled[name]), beside, scale(runs)).items()
    }


@dataclass(frozen=True)
class _Offer:
    """One column on a scale, with a way to compute images on it."""

    released: Floats
    runs: Floats
    image: Floats
    others: Floats

    @cached_property
    def density(self) -> Density | None:
        """That of the runs around their images."""
        return learn_density(self.others.reshape(-1), self.runs.reshape(-1)) if len(self.runs) > 1 else None

    @cached_property
    def surprise(self) -> float:
        """How unlikely the first run is."""
        return surprise(self.density, self.others[0], self.runs[0])


def _ways(known: Floats, settled: Floats, beside: list[Floats], runs: Floats) -> dict[str, tuple[Floats, Floats]]:
    """The image of the known values, and that of each run by the others: by regression, or what steps without draws
    make of them, from which bounded changes lead to bounds."""
    found = {"regression": _regress(known, beside, runs)}
    if not np.isnan(settled).all():
        found["settled"] = settled, np.tile(settled, (len(runs), 1))
    return found


def _regress(known: Floats, beside: list[Floats], runs: Floats) -> tuple[Floats, Floats]:
    """What a known value becomes: by the record's own runs, by those of its neighbours, and by its known values.

    Each run is predicted from the others, so that what is left is what a further run leaves; the image is by all.
    """
    count = len(runs)
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
