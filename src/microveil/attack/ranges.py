"""Columns as ranges in which a released record must lie to be somebody's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from microveil.attack.view import View
from microveil.core.arrays import Floats, Ints
from microveil.kernels.linkage.boxes import Boxes
from microveil.kernels.tables.classes import group_rows
from microveil.measure.keys import common_codes

Ends = tuple[Floats, Floats]
Ranges = Callable[[Floats, Floats], tuple[Ends, Ends]]  # of known values and released ones


def equal_columns(view: View, names: Sequence[str]) -> list[tuple[Ends, Ends]]:
    """Columns in which the released value is the true one: a range is one value, and a known gap says nothing."""
    known, released = common_codes(view.known.only(names), view.released.only(names))
    found = []
    for j in range(len(names)):
        x, y = (np.where(codes[:, j] < 0, np.nan, codes[:, j].astype(np.float64)) for codes in (known, released))
        found.append((anything_in_gaps(x, x, x), nothing_in_gaps(y, y, y)))
    return found


def in_domains(view: View, name: str, by: Sequence[str], ranges: Ranges) -> tuple[Ends, Ends]:
    """The ranges of a column that a method masked inside subdomains, each by the values of its own.

    Records of different subdomains may meet here: the columns that define these are known and tell them apart.
    """
    x, y = view.known[name].numbers, view.released[name].numbers
    of_x, of_y = domains(view, by)
    known, released = np.empty((2, len(x))), np.empty((2, len(y)))
    for domain in range(int(max(of_x.max(initial=0), of_y.max(initial=0))) + 1):
        mine, theirs = of_x == domain, of_y == domain
        known[:, mine], released[:, theirs] = ranges(x[mine], y[theirs])
    return (known[0], known[1]), (released[0], released[1])


def domains(view: View, by: Sequence[str]) -> tuple[Ints, Ints]:
    """The subdomain of each known and of each released record, numbered in both alike."""
    if not by:
        return np.zeros(view.known.rows, dtype=np.int64), np.zeros(view.released.rows, dtype=np.int64)
    codes = np.vstack(common_codes(view.known.only(by), view.released.only(by)))
    labels = group_rows(codes)[0]
    return labels[: view.known.rows], labels[view.known.rows :]


def anything_in_gaps(x: Floats, low: Floats, high: Floats) -> Ends:
    """Ranges of known values; a missing one says nothing."""
    gaps = np.isnan(x)
    return np.where(gaps, -np.inf, low), np.where(gaps, np.inf, high)


def nothing_in_gaps(y: Floats, low: Floats, high: Floats) -> Ends:
    """Ranges of released values; a gap is of nobody whose value was known, for gaps stay where they were."""
    gaps = np.isnan(y)
    return np.where(gaps, np.inf, low), np.where(gaps, -np.inf, high)


def as_boxes(columns: Sequence[tuple[Ends, Ends]]) -> tuple[Boxes, Boxes]:
    """Known and released records with all columns side by side."""
    sides = [list(zip(*side, strict=True)) for side in zip(*columns, strict=True)]
    known, released = (Boxes(np.column_stack(low), np.column_stack(high)) for low, high in sides)
    return known, released
