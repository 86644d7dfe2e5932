"""Columns as ranges in which a released record must lie to be somebody's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from microveil.attack.domains import each_domain
from microveil.attack.view import View
from microveil.core.arrays import Floats
from microveil.kernels.linkage.boxes import Boxes
from microveil.measure.keys import common_codes

Side = tuple[Floats, Floats, Floats]  # lower ends, upper ends, and places from which distances are measured
Sides = tuple[Side, Side]  # of known values and of released ones
Ranges = Callable[[Floats, Floats], Sides]


def equal_columns(view: View, names: Sequence[str]) -> list[Sides]:
    """Columns in which the released value is the true one: a range is one value, and a known gap says nothing."""
    known, released = common_codes(view.known.only(names), view.released.only(names))
    found = []
    for j in range(len(names)):
        x, y = (np.where(codes[:, j] < 0, np.nan, codes[:, j].astype(np.float64)) for codes in (known, released))
        found.append((anything_in_gaps(x, x, x, x), nothing_in_gaps(y, y, y, y)))
    return found


def in_domains(view: View, name: str, by: Sequence[str], ranges: Ranges, known: Floats | None = None) -> Sides:
    """The ranges of a column that a method masked inside subdomains, each by the values of its own.

    `known` are the known values as the method got them, where earlier steps changed them.

    Records of different subdomains may meet here: the columns that define these are known and tell them apart.
    """
    x, y = view.known[name].numbers if known is None else known, view.released[name].numbers
    asked, shown = np.empty((3, len(x))), np.empty((3, len(y)))
    for mine, theirs in each_domain(view, by):
        asked[:, mine], shown[:, theirs] = ranges(x[mine], y[theirs])
    return (asked[0], asked[1], asked[2]), (shown[0], shown[1], shown[2])


def anything_in_gaps(x: Floats, low: Floats, high: Floats, at: Floats) -> Side:
    """Ranges of known values; a missing one says nothing."""
    gaps = np.isnan(x)
    return np.where(gaps, -np.inf, low), np.where(gaps, np.inf, high), np.where(gaps, np.nan, at)


def nothing_in_gaps(y: Floats, low: Floats, high: Floats, at: Floats) -> Side:
    """Ranges of released values; a gap is of nobody whose value was known, for gaps stay where they were."""
    gaps = np.isnan(y)
    return np.where(gaps, np.inf, low), np.where(gaps, -np.inf, high), np.where(gaps, np.nan, at)


def as_boxes(columns: Sequence[Sides]) -> tuple[Boxes, Boxes]:
    """Known and released records with all columns side by side."""
    known, released = (Boxes(*map(np.column_stack, zip(*side, strict=True))) for side in zip(*columns, strict=True))
    return known, released
