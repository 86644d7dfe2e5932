"""Checks of what a class declares about its change of values: later steps and measures of risk rely on it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from microveil.claims import AFFINE, BLANK, CHANGES, COARSEN, DROP, LINEAR, PERMUTE
from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.mask import UncorrelatedNoise
from microveil.run.contract import Step
from microveil.run.job import Job
from microveil.run.method import Method
from microveil.run.release import Release
from microveil.run.state import State
from microveil.testing.runs import run_all, sample, seen_on_sample
from microveil.testing.samples import numbers_of

_EXACT = 1e-6  # of the spread of a column


def check_coarsens(method: Method) -> None:
    """A method that says it releases true values only, coarser or fewer, neither exchanges nor perturbs any.

    Categories without an order that keep their levels are the record's own or missing; amounts that stay amounts, and
    ordered categories, keep their order.
    """
    if not method.coarsens:
        return
    release = seen_on_sample(method).release
    assert (release.origin >= 0).all(), "it declares coarsens, and makes records that stand for nobody"
    for name in release.steps[0].columns:
        pairs = _pairs(release, name)
        if not pairs:
            continue
        if all(isinstance(value, str) for value in pairs[0]):
            known = {old for old, _ in pairs}
            wrong = [new for old, new in pairs if new != old and new in known]
            assert not wrong, f"it declares coarsens, and {name} has values of other records ({wrong[0]!r})"
        elif all(isinstance(new, int | float) for _, new in pairs):
            falls = any(later < earlier for (_, earlier), (_, later) in pairwise(sorted(pairs)))
            assert not falls, f"it declares coarsens, and values of {name} changed their order"


def _pairs(release: Release, name: str) -> list[tuple[Any, Any]]:
    """Original and released values of the cells that have both; ordered categories by their place in the order."""
    before = numbers_of(release.original.frame, [name])[name]
    own, now = [before[row] for row in release.origin.tolist()], numbers_of(release.frame, [name])[name]
    pairs = [(old, new) for old, new in zip(own, now, strict=True) if old is not None and new is not None]
    order = release.original.schema[name].levels
    if order is None or not all(new in order for _, new in pairs):
        return pairs
    return [(order.index(old), order.index(new)) for old, new in pairs]


def check_looks_back(method: Method) -> None:
    """A method that does not say it looks back at the original (`restores`) acts on what it is given alone.

    Behind another step its result is the same whatever the original was: what that step hid stays hidden.
    """
    if method.restores:
        return
    data, step = sample(), Step(method)
    state = State.begin(data)
    chosen, kept = method.resolve(data, step)
    table = state.table(chosen)
    around = state.table({name: data.kinds[name] for name in method.looks_at(data)})
    other = table.take(np.arange(table.rows)[::-1])
    streams = Streams(Key.of("looks back")).at(method.name)
    first, second = (
        method.run(table, Job(streams, state.table(kept), original, data.weights, data.households, around=around))
        for original in (table, other)
    )
    for name, values in first.columns.items():
        same = np.array_equal(values.numbers, second.columns[name].numbers, equal_nan=True)
        assert same, f"{name} follows the original behind the values given, and restores is not declared"


def check_change(method: Method) -> None:
    """The kind of change that a method declares is what it does to the columns it is given, after another step."""
    if not method.change:
        return
    assert method.change in CHANGES, f"it declares the change {method.change!r}; there are {CHANGES}"
    data, first = sample(integers="keep exact"), Step(UncorrelatedNoise())
    try:
        release = run_all(data, [first, Step(method)])
    except BadInput:
        return  # it acts on other columns: a clear refusal
    given = run_all(data, [first])
    names = [name for name in release.steps[1].columns if _is_amount(given, name) and _is_amount(release, name)]
    if names:
        x, y = (np.column_stack([side.data.values(name).numbers for name in names]) for side in (given, release))
        x = x[np.searchsorted(given.origin, release.origin)]
        assert _KEPT[method.change](x, y), f"it declares the change {method.change!r}, and does something else"


def _is_amount(release: Release, name: str) -> bool:
    return release.data.kinds[name] == "continuous"


def _fits(X: Floats, y: Floats) -> bool:
    """Whether one affine map of the columns gives y."""
    centred = X - X.mean(axis=0)
    design = np.column_stack([np.ones(len(X)), centred / np.maximum(centred.std(axis=0), 1e-300)])
    left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return bool(np.abs(left).max() <= _EXACT * max(float(y.std()), 1e-300))


def _is_affine(x: Floats, y: Floats) -> bool:
    rises = all(np.corrcoef(x[:, j], y[:, j])[0, 1] > 0 for j in range(x.shape[1]))
    return rises and all(_fits(x[:, [j]], y[:, j]) for j in range(x.shape[1]))


def _is_linear(x: Floats, y: Floats) -> bool:
    return all(_fits(x, column) for column in y.T)


def _is_blanked(x: Floats, y: Floats) -> bool:
    return bool(((x == y) | np.isnan(y)).all())


def _is_permuted(x: Floats, y: Floats) -> bool:
    return np.array_equal(np.sort(x, axis=0), np.sort(y, axis=0))


def _is_coarsened(x: Floats, y: Floats) -> bool:
    return all(len(set(zip(*pair, strict=True))) == len(set(pair[0])) for pair in zip(x.T, y.T, strict=True))


_KEPT: dict[str, Callable[[Floats, Floats], bool]] = {
    AFFINE: _is_affine,
    LINEAR: _is_linear,
    BLANK: _is_blanked,
    DROP: lambda x, y: np.array_equal(x, y),
    COARSEN: _is_coarsened,
    PERMUTE: _is_permuted,
}
