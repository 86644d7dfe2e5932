"""How values that are hidden column by column are told by several columns at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil import Microdata, attack, datasets, mask
from microveil.core.arrays import Bools, Floats
from microveil.core.streams import Key, Streams
from microveil.run import Release
from tools.pictures.paper import WIDE, Panel, paper, swatches

_AMOUNTS = (
    "total_revenue",
    "total_sales",
    "residential_revenue",
    "residential_sales",
    "commercial_revenue",
    "commercial_sales",
    "industrial_revenue",
    "industrial_sales",
)


class _Around(NamedTuple):
    row: int
    ends: tuple[tuple[float, float], tuple[float, float]]
    fits: Bools


_WIDTHS = {5: "orange", 10: "blue", 20: "green"}


def picture() -> str:
    """Bands of ranks, a grid of averages, and what follows for certain links."""
    parts = [*_ranks(), *_averages(), *_certain()]
    said = (
        "Two bands of possible ranks leave few records; of four crossings around a known record one is occupied; the "
        "more columns are known, the more records are found."
    )
    return paper("Attacks by intersection", said, 396, parts, WIDE)


def _ranks() -> list[str]:
    panel = Panel(36, 60, 244, 250, (0, 201), (0, 201))
    data = _enterprises(200)
    before, after = (_ranked(file) for file in (data, mask.RankSwap(p=10).apply(data, seed=5)))
    sought = int(np.argmin(np.abs(before - (120, 110)).sum(axis=1)))
    near = np.abs(after - before[sought]) <= 20
    left = near.all(axis=1)
    x, y = before[sought]
    parts = panel.axes("Ranks that may be", "rank in revenue", "rank in sales")
    parts += [panel.band((x - 20, x + 20), (0, 201)), panel.band((0, 201), (y - 20, y + 20))]
    parts += panel.dots(after[~left], "grey", 2.4) + panel.dots(after[left], "orange", 3.4, 1.0)
    parts += [panel.ring(after[sought]), *panel.numbers_across((0, 100, 200)), *panel.numbers_up((100, 200))]
    return parts + swatches(30, 380, [("orange", f"{left.sum()} of 200 are left"), ("grey", "others")], 155)


def _averages() -> list[str]:
    panel = Panel(350, 60, 250, 250, (-2.2, 2.2), (-2.2, 2.2))
    draws = Streams(Key.of(11)).at("picture", "averages").normals(0, 24, 2)
    X = np.column_stack([draws[:, 0], 0.6 * draws[:, 0] + 0.8 * draws[:, 1]])
    Y = _averaged(X)
    sought, ends, fits = max((_around(X, Y, row) for row in range(len(X))), key=_certain_and_wide)
    parts = panel.axes("Averages on either side", "average in one column", "average in another")
    for value in np.unique(Y[:, 0]):
        parts.append(panel.path(np.array([[value, -2.2], [value, 2.2]]), "grey", width=0.6))
    for value in np.unique(Y[:, 1]):
        parts.append(panel.path(np.array([[-2.2, value], [2.2, value]]), "grey", width=0.6))
    parts += [panel.band(ends[0], ends[1], 0.3), *panel.dots(Y[~fits], "blue", 3.2)]
    corners = np.array([(x, y) for x in ends[0] for y in ends[1]])
    parts += [panel.ring(corner, 4.0) for corner in corners]
    parts += panel.dots(X[[sought]], "orange", 4.5, 1.0)
    parts += [*panel.dots(Y[fits], "blue", 3.6, 1.0), panel.ring(Y[sought])]
    return parts + swatches(350, 380, [("blue", "released"), ("orange", "known record")], 110)


def _certain() -> list[str]:
    panel = Panel(690, 60, 240, 250, (1, 8), (0, 100))
    parts = panel.axes("Found, and certain (dashed)", "known columns", "per cent of records")
    parts += [*panel.numbers_up((0, 25, 50, 75, 100)), *panel.numbers_across((1, 2, 4, 6, 8))]
    data = _enterprises(500)
    for width, colour in _WIDTHS.items():
        release = mask.RankSwap(p=width).apply(data, columns=_AMOUNTS, seed=5)
        found = [attack.RankSwapAttack(known=_AMOUNTS[:many])(data, release) for many in range(1, 9)]
        points = np.array([(many, one.value, one.parts["certain"]) for many, one in enumerate(found, start=1)])
        parts += [panel.path(points[:, :2], colour), *panel.dots(points[:, :2], colour, 3.4, 1.0)]
        parts.append(panel.path(points[:, ::2], colour, dashed=True))
    return parts + swatches(690, 380, [(colour, f"p = {width}") for width, colour in _WIDTHS.items()], 80)


def _enterprises(records: int) -> Microdata:
    return Microdata(datasets.make_enterprises(records, seed=1), **datasets.enterprises_schema())


def _ranked(file: Microdata | Release) -> Floats:
    columns = [np.asarray(file.frame.column(name)) for name in _AMOUNTS[:2]]
    return np.column_stack([column.argsort(kind="stable").argsort() + 1.0 for column in columns])


def _averaged(X: Floats) -> Floats:
    """Individual ranking with k = 3."""
    Y = np.empty_like(X)
    for j in (0, 1):
        order = np.argsort(X[:, j])
        Y[order, j] = np.repeat(X[order, j].reshape(-1, 3).mean(axis=1), 3)
    return Y


def _around(X: Floats, Y: Floats, row: int) -> _Around:
    """The averages on either side of a record's values, and the released records at the crossings of these."""
    ends = (_neighbours(Y[:, 0], X[row, 0]), _neighbours(Y[:, 1], X[row, 1]))
    return _Around(row, ends, np.isin(Y[:, 0], ends[0]) & np.isin(Y[:, 1], ends[1]))


def _certain_and_wide(one: _Around) -> tuple[bool, float]:
    (left, right), (low, high) = one.ends
    return bool(one.fits.sum() == 1), min(right - left, high - low)


def _neighbours(averages: Floats, value: float) -> tuple[float, float]:
    found = np.unique(averages)
    above = int(np.clip(np.searchsorted(found, value), 1, len(found) - 1))
    return float(found[above - 1]), float(found[above])
