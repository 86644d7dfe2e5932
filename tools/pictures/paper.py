"""White paper for pictures, and panels on it: axes with their names, dots, lines and bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Floats
from microveil.report.chart_svg import WIDTH, at, draw, line, rectangle, text

WIDE = 2 * WIDTH
FONT = "<style>svg.mv-chart{font-family:sans-serif}</style>"
COLOURS = {"grey": "#8494a8", "blue": "#2f6fb7", "orange": "#d1603d", "green": "#3f8f5f"}


def paper(title: str, description: str, height: float, parts: Iterable[str], width: float) -> str:
    """A chart on white: pages show pictures of their own on whatever colour they have."""
    return draw(
        title,
        description,
        height,
        [f'<rect width="{at(width)}" height="{at(height)}" fill="#fff"/>{FONT}', *parts],
        width,
    )


@dataclass(frozen=True)
class Panel:
    """A part of a picture with axes of its own; places are given in values."""

    left: float
    top: float
    width: float
    height: float
    across: tuple[float, float]
    up: tuple[float, float]

    def x(self, value: float) -> float:
        """Where a value stands from left to right."""
        low, high = self.across
        return self.left + self.width * (value - low) / (high - low)

    def y(self, value: float) -> float:
        """Where a value stands from top to bottom."""
        low, high = self.up
        return self.top + self.height * (high - value) / (high - low)

    def axes(self, heading: str, across: str, up: str) -> list[str]:
        """Both axes with their names; the heading and the name of the upright one stand above."""
        bottom, right = self.top + self.height, self.left + self.width
        return [
            text(self.left, self.top - 30, heading),
            text(self.left, self.top - 9, up, "mv-soft mv-small"),
            text(right, bottom + 36, across, "mv-soft mv-small", "end"),
            line(self.left, self.top, self.left, bottom, "mv-axis"),
            line(self.left, bottom, right, bottom, "mv-axis"),
        ]

    def numbers_across(self, values: Sequence[float], unit: str = "") -> list[str]:
        """Numbers below the lower axis."""
        bottom = self.top + self.height
        return [text(self.x(value), bottom + 18, f"{at(value)}{unit}", "mv-small", "middle") for value in values]

    def numbers_up(self, values: Sequence[float], unit: str = "") -> list[str]:
        """Numbers beside the upright axis, with lines of the grid."""
        right = self.left + self.width
        parts = [line(self.left, self.y(value), right, self.y(value), "mv-grid") for value in values]
        return parts + [
            text(self.left - 6, self.y(value) + 5, f"{at(value)}{unit}", "mv-small", "end") for value in values
        ]

    def dots(self, points: Floats, colour: str, radius: float = 3.0, opacity: float = 0.75) -> list[str]:
        """Filled dots; those outside of the panel are left out."""
        inside = [(x, y) for x, y in points if self._holds(x, y)]
        style = f'r="{at(radius)}" fill="{COLOURS[colour]}" fill-opacity="{at(opacity)}"'
        return [f'<circle cx="{at(self.x(x))}" cy="{at(self.y(y))}" {style}/>' for x, y in inside]

    def ring(self, point: Floats, radius: float = 8.0) -> str:
        """A ring around the record that is meant."""
        place = f'cx="{at(self.x(point[0]))}" cy="{at(self.y(point[1]))}"'
        return f'<circle {place} r="{at(radius)}" fill="none" stroke="#222" stroke-width="2"/>'

    def path(self, points: Floats, colour: str, dashed: bool = False, width: float = 2.0) -> str:
        """A line through points."""
        track = "M" + "L".join(f"{at(self.x(x))} {at(self.y(y))}" for x, y in points)
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        return f'<path d="{track}" fill="none" stroke="{COLOURS[colour]}" stroke-width="{at(width)}"{dashes}/>'

    def band(self, across: tuple[float, float], up: tuple[float, float], opacity: float = 0.16) -> str:
        """A shaded part, cut off at the edges of the panel."""
        x0, x1 = np.clip(across, *self.across)
        y0, y1 = np.clip(up, *self.up)
        place = (self.x(x0), self.y(y1), self.x(x1) - self.x(x0), self.y(y0) - self.y(y1))
        return rectangle(*place, "mv-up", opacity=opacity)

    def _holds(self, x: float, y: float) -> bool:
        return self.across[0] <= x <= self.across[1] and self.up[0] <= y <= self.up[1]


def swatches(left: float, y: float, entries: Sequence[tuple[str, str]], step: float) -> list[str]:
    """What colours mean: (colour, meaning), one beside the other."""
    parts = []
    for number, (colour, meaning) in enumerate(entries):
        x = left + number * step
        parts.append(f'<rect x="{at(x)}" y="{at(y - 10)}" width="12" height="12" fill="{COLOURS[colour]}"/>')
        parts.append(text(x + 18, y, meaning, "mv-small"))
    return parts


def bars(panel: Panel, names: Sequence[str], series: Sequence[tuple[str, Sequence[float]]]) -> list[str]:
    """Bars from left to right in lines below the name of what they are about, with their figures."""
    slot = panel.height / len(names)
    thick = (slot - 24) / len(series)
    parts = []
    for row, name in enumerate(names):
        top = panel.top + row * slot
        parts.append(text(panel.left + 5, top + 15, name, "mv-small"))
        for number, (colour, values) in enumerate(series):
            y, end = top + 20 + number * thick, panel.x(values[row])
            shape = f'x="{at(panel.left)}" y="{at(y)}" width="{at(end - panel.left)}" height="{at(thick - 1.5)}"'
            parts.append(f'<rect {shape} fill="{COLOURS[colour]}"/>')
            parts.append(text(end + 5, y + thick / 2 + 4, at(values[row]), "mv-small"))
    return parts
