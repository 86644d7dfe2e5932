"""Synthetic numbers with exact first and second moments in every group of a partition, group by group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled
from microveil.core.errors import NotEnoughRecords
from microveil.core.streams import Streams
from microveil.kernels.draws.frames import (
    are_constant,
    draw_frame,
    explained_columns,
    orthogonal_rows,
    remove_span,
    span_columns,
    standardise_columns,
)
from microveil.kernels.moments.jitter import shift_of_fit, stretch_parts

_RECORDS = 1 << 16  # of groups worked on at a time


def ipso_in_groups(
    T: Floats,
    S: Floats,
    labels: Ints,
    streams: Streams,
    rho: float | None = None,
    freedom: int = 2,
    jitter: float = 0.0,
) -> tuple[Floats, Ints]:
    """T redrawn given S inside every group, and the free dimensions of each group.

    Residuals of the regression on S in the group are turned at random about it: means, covariances and those with S
    stay in every group, hence in every union of groups (Domingo-Ferrer & Gonzalez-Nicolas 2010, Hybrid microdata using
    microaggregation). With `rho` new residual components correlate with the old ones by exactly rho
    (Langsrud 2019). A column that is constant in a group, or determined there by S, comes back as it was. Labels
    number the groups from 0.

    With `jitter` the statistics of a group are no longer exact. Somebody who knows all members but one and solves a
    mean or a regression coefficient of the group for the last one is off by a standard deviation of at least `jitter`
    standard deviations of the group; a residual sum of squares: of `jitter` residual standard deviations. Linear
    relations of the columns of T stay.
    """
    p = T.shape[1]
    new, free = T.copy(), np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.int64)
    turned = rho is None or rho < 1
    for groups, starts, rows in runs_of_groups(labels):
        drawn = streams.of_rows(rows)
        normals = drawn.normals(0, len(rows), p) if turned else np.zeros((len(rows), p))
        shifts = np.zeros((0, 0))
        stretches = np.zeros((len(groups), 0))
        if jitter > 0:
            shifts = drawn.at("means").normals(0, len(rows), 1 + S.shape[1])
            stretches = drawn.of_rows(starts[:-1]).at("spreads").normals(0, len(groups), p * p)
        part, free[groups], dimensions, moving = _redraw(
            T[rows], S[rows], starts, normals, -2.0 if rho is None else rho, jitter, shifts, stretches
        )
        sizes = np.diff(starts)
        _refuse_short(sizes, free[groups], moving & (free[groups] < freedom), groups, freedom)
        if rho is not None and rho < 1:
            _refuse_narrow(free[groups], dimensions, groups, rho)
        new[rows] = part
    return new, free


def free_dimensions(S: Floats, labels: Ints) -> Ints:
    """Dimensions that a regression on S leaves free in each group: its records - 1 - the rank of S there."""
    free = np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.int64)
    for groups, starts, rows in runs_of_groups(labels):
        free[groups] = _free(S[rows], starts)
    return free


def determined_columns(T: Floats, S: Floats, labels: Ints) -> Bools:
    """Which columns of T are constant in a group or determined there by S: one row for each group."""
    found = np.ones((int(labels.max(initial=-1)) + 1, T.shape[1]), dtype=np.bool_)
    for groups, starts, rows in runs_of_groups(labels):
        found[groups] = _determined(T[rows], S[rows], starts)
    return found


def runs_of_groups(labels: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Some groups at a time: their numbers, where each begins among their records (and the end), and the records."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    held = np.flatnonzero(sizes)
    ends = np.cumsum(sizes[held])
    first = 0
    while first < len(held):
        before = int(ends[first] - sizes[held[first]])
        last = max(first + 1, int(np.searchsorted(ends, before + _RECORDS, "right")))
        starts = np.append(0, ends[first:last] - before)
        yield held[first:last], starts, order[before : int(ends[last - 1])]
        first = last


@compiled
def _redraw(
    T: Floats, S: Floats, starts: Ints, normals: Floats, rho: float, jitter: float, shifts: Floats, stretches: Floats
) -> tuple[Floats, Ints, Ints, Bools]:
    """New rows of some groups; free dimensions, dimensions replaced, and whether a column varies, in each.

    Rho below -1 stands for none.
    """
    groups = len(starts) - 1
    new = T.copy()
    free, dimensions = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    moving = np.zeros(groups, np.bool_)
    for g in range(groups):
        first, last = starts[g], starts[g + 1]
        t, s = T[first:last].T.copy(), S[first:last].T.copy()
        size = last - first
        kept = span_columns(standardise_columns(s, are_constant(s))[0])
        free[g] = size - 1 - len(kept)
        constant = are_constant(t)
        moving[g] = not constant.all()
        scaled, scale = standardise_columns(t, constant)
        residual = scaled.copy()
        remove_span(residual, kept)
        fixed = explained_columns(residual)
        for j in range(len(t)):
            if fixed[j]:
                residual[j] = 0.0
        old = span_columns(residual)
        dimensions[g] = len(old)
        if free[g] < len(old) or (-1.0 <= rho < 1.0 and free[g] < 2 * len(old)):
            continue  # refused by the caller
        parts = _components(old, residual)
        if rho < -1.0:
            turned = draw_frame(normals[first:last], kept, old[:0], len(old))
        elif rho == 1.0:
            turned = old
        else:
            frame = draw_frame(normals[first:last], kept, old, len(old))
            turned = rho * old + np.sqrt(1.0 - rho * rho) * frame
        if rho == 1.0 and jitter == 0.0:
            continue
        change = -residual
        if jitter > 0.0:
            parts = stretch_parts(parts, orthogonal_rows(parts), residual, jitter, stretches[g])
        for c in range(len(old)):
            for j in range(len(t)):
                for i in range(size):
                    change[j, i] += turned[c, i] * parts[c, j]
        for j in range(len(t)):
            if fixed[j]:
                change[j] = 0.0
        if jitter > 0.0:
            change += shift_of_fit(scaled, kept, jitter, shifts[first:last])
        for j in range(len(t)):
            for i in range(size):
                new[first + i, j] = t[j, i] + scale[j] * change[j, i]
    return new, free, dimensions, moving


@compiled
def _components(frame: Floats, X: Floats) -> Floats:
    """Components of the columns of X (held as rows) along the vectors of a frame."""
    parts = np.zeros((len(frame), len(X)))
    for c in range(len(frame)):
        for j in range(len(X)):
            for i in range(X.shape[1]):
                parts[c, j] += frame[c, i] * X[j, i]
    return parts


@compiled
def _free(S: Floats, starts: Ints) -> Ints:
    free = np.zeros(len(starts) - 1, np.int64)
    for g in range(len(free)):
        s = S[starts[g] : starts[g + 1]].T.copy()
        free[g] = s.shape[1] - 1 - len(span_columns(standardise_columns(s, are_constant(s))[0]))
    return free


@compiled
def _determined(T: Floats, S: Floats, starts: Ints) -> Bools:
    found = np.zeros((len(starts) - 1, T.shape[1]), np.bool_)
    for g in range(len(found)):
        t, s = T[starts[g] : starts[g + 1]].T.copy(), S[starts[g] : starts[g + 1]].T.copy()
        residual = standardise_columns(t, are_constant(t))[0]
        remove_span(residual, span_columns(standardise_columns(s, are_constant(s))[0]))
        found[g] = explained_columns(residual)
    return found


def _refuse_short(sizes: Ints, free: Ints, short: Bools, groups: Ints, freedom: int) -> None:
    if short.any():
        group, size, left = (int(values[short][0]) for values in (groups, sizes, free))
        raise NotEnoughRecords(
            f"group {group} has {size} records and {left} free dimensions ({size} - 1 - {size - 1 - left} for the "
            f"columns kept); at least {freedom} are needed, or the original comes back: raise k or keep fewer columns "
            "(given)"
        )


def _refuse_narrow(free: Ints, dimensions: Ints, groups: Ints, rho: float) -> None:
    narrow = free < 2 * dimensions
    if narrow.any():
        group, left, needed = (int(values[narrow][0]) for values in (groups, free, 2 * dimensions))
        raise NotEnoughRecords(
            f"group {group} has {left} free dimensions and rho={rho:g} needs {needed}, twice the dimensions replaced: "
            "raise k, replace or keep fewer columns, or leave rho out"
        )
