"""Change of the correlations between columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.report.chart_svg import SMALL, WIDTH, draw, draw_message, heading, rectangle, shorten, text, text_width

_TOP = 66.0
_MOST_COLUMNS = 24
_ROOM_FOR_A_VALUE = 40.0
_LIMITS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
# the strongest fill leaves enough contrast for text in the colour of the page
_STRONGEST = 0.72


def correlation_change(names: Sequence[str], before: ArrayLike, after: ArrayLike, *, reach: float | None = None) -> str:
    """Heat map of the correlations after protection minus those before, as inline SVG.

    Use it to see which relations between columns a release weakens or invents. Each pair is drawn once; a name
    on the diagonal stands for the row to its left and the column below it. Values are written where cells have room;
    of more than 24 columns the 24 with the largest changes are drawn. The scale of the colours has room for a change of
    `reach`, so that several charts can have the same; it follows the largest change unless said.

    >>> "0.2" in correlation_change(["a", "b"], [[1, 0.5], [0.5, 1]], [[1, 0.7], [0.7, 1]])
    True
    """
    change = _matrix(names, after) - _matrix(names, before)
    title = "Change of correlations"
    if len(names) < 2:
        return draw_message(title, "Correlations need at least two columns.")
    labels, change, note = _most_changed([str(name) for name in names], change)
    largest = float(np.nanmax(np.abs(change), initial=0.0, where=~np.isnan(change)))
    wanted = largest if reach is None else max(largest, reach)
    limit = next((bound for bound in _LIMITS if wanted <= bound + 1e-12), _LIMITS[-1])
    widest = max(text_width(label) for label in labels)
    cell = float(np.clip((WIDTH - min(widest, 150.0) - 12) / len(labels), 15, 46))
    parts = [heading(title, f"protected minus original{note}"), _scale(limit)]
    for i in range(len(labels)):
        parts += _row(labels, change, i, cell, limit)
    height = _TOP + cell * len(labels) + 6
    return draw(title, _describe(labels, change), height, parts)


def _matrix(names: Sequence[str], values: ArrayLike) -> Floats:
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.shape != (len(names), len(names)):
        raise BadInput(f"{len(names)} names but a matrix of shape {matrix.shape}; give one row and column for each")
    return matrix


def _most_changed(names: list[str], change: Floats) -> tuple[list[str], Floats, str]:
    if len(names) <= _MOST_COLUMNS:
        return names, change, ""
    strength = np.abs(np.nan_to_num(change)).max(axis=1)
    kept = np.sort(np.argsort(-strength, kind="stable")[:_MOST_COLUMNS])
    note = f", {_MOST_COLUMNS} of {len(names)} columns with the largest changes"
    return [names[i] for i in kept], change[np.ix_(kept, kept)], note


def _row(labels: list[str], change: Floats, i: int, cell: float, limit: float) -> list[str]:
    y = _TOP + cell * i
    written = cell >= _ROOM_FOR_A_VALUE
    room = WIDTH - cell * i - 8
    parts = [text(cell * i + 6, y + cell / 2 + 4, shorten(labels[i], room, SMALL), "mv-small", tip=labels[i])]
    for j in range(i):
        value = float(change[i, j])
        shown = _signed(value)
        tip = f"{labels[i]}, {labels[j]}: {shown}"
        strength = 0.0 if shown == "0" else value / limit
        parts.append(_cell(cell * j, y, cell - 1.5, strength, tip))
        if written:
            parts.append(text(cell * (j + 0.5) - 0.75, y + cell / 2 + 3.5, shown, "mv-small", "middle"))
    return parts


def _cell(x: float, y: float, size: float, strength: float, tip: str) -> str:
    if np.isnan(strength) or strength == 0:
        return rectangle(x, y, size, size, "mv-empty", tip)
    colour = "mv-up" if strength > 0 else "mv-down"
    # a faint floor keeps the grid visible where nothing changed
    opacity = 0.05 + (_STRONGEST - 0.05) * min(abs(strength), 1.0)
    return rectangle(x, y, size, size, colour, tip, opacity)


def _signed(value: float) -> str:
    """Two decimals with their sign; a change that rounds to nothing is 0."""
    if np.isnan(value):
        return "–"
    return "0" if round(value, 2) == 0 else f"{value:+.2f}".replace("-", "−")


def _scale(limit: float) -> str:
    width, steps, y = 11.0, 11, 22.0
    start = WIDTH - steps * width - 24
    parts = []
    for step in range(steps):
        strength = (step - steps // 2) / (steps // 2)
        parts.append(_cell(start + step * width, y, width, strength, ""))
    middle = start + steps * width / 2
    ends = ((start, -limit), (middle, 0.0), (start + steps * width, limit))
    parts += [text(x, y + 24, _signed(value), "mv-soft mv-small", "middle") for x, value in ends]
    return "".join(parts)


def _describe(labels: list[str], change: Floats) -> str:
    lower = np.abs(np.tril(np.nan_to_num(change), -1))
    i, j = np.unravel_index(int(lower.argmax()), lower.shape)
    if lower[i, j] == 0:
        return "No correlation changed."
    return f"Largest change: {labels[i]} with {labels[j]}, {_signed(float(change[i, j]))}."
