"""How the density of a synthetic file tells who was in the original."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.streams import Key, Streams
from tools.pictures.page_tables import number_in, table_of
from tools.pictures.paper import WIDE, Panel, bars, paper, swatches


def picture() -> str:
    """Synthetic records around a member, and figures of the page."""
    said = "Synthetic records crowd around a member, where a sample of others is thin; advantages of six methods."
    return paper("Attacks on synthetic files", said, 440, [*_crowd(), *_found()], WIDE)


def _crowd() -> list[str]:
    draws = Streams(Key.of(3)).at("picture", "members").normals(0, 30, 10)
    members, others = draws[:, :2], draws[:, 2:4]
    synthetic = np.vstack([members + 0.2 * draws[:, j : j + 2] for j in (4, 6, 8)])
    sought = int(np.argmax(np.minimum(_least(members, others), 0.8) / _least(members, synthetic).clip(0.13)))
    panel = Panel(30, 60, 400, 300, (-3.2, 3.2), (-2.4, 2.4))
    parts = panel.axes("Dense where members are", "one amount", "another amount")
    parts += panel.dots(others, "grey", 3.4) + panel.dots(synthetic, "blue", 3.4)
    turn = np.linspace(0, 2 * np.pi, 91)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    for file, colour in ((others, "grey"), (synthetic, "blue")):
        radius = _least(members[[sought]], file)[0]
        parts.append(panel.path(members[sought] + radius * circle, colour, dashed=colour == "grey"))
    parts += panel.dots(members[[sought]], "orange", 4.0, 1.0)
    told = [("orange", "somebody's record"), ("blue", "synthetic"), ("grey", "sample of others")]
    return parts + swatches(30, 425, told, 150)


def _found() -> list[str]:
    panel = Panel(540, 60, 350, 300, (0, 100), (0, 1))
    table = table_of("attacks_synthetic.md", "Census, 4 shadows")
    best, near = ([number_in(row[way]) for row in table.values()] for way in ("advantage", "by distance alone"))
    parts = panel.axes("Advantage of telling members of Census, %", "per cent of the way to certainty", "")
    parts += [
        *bars(panel, list(table), [("orange", best), ("grey", near)]),
        *panel.numbers_across((0, 25, 50, 75, 100)),
    ]
    return parts + swatches(540, 425, [("orange", "best way"), ("grey", "distance to the closest alone")], 110)


def _least(points: Floats, file: Floats) -> Floats:
    """The distance of each point to the nearest record of a file."""
    return np.asarray(np.sqrt(((points[:, None] - file[None]) ** 2).sum(axis=2)).min(axis=1))
