"""How noise is taken out again, likely noise told from unlikely one, and records found by their ranks."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.streams import Key, Streams
from tools.pictures.page_tables import number_in, table_of
from tools.pictures.paper import WIDE, Panel, bars, paper, swatches

_TOGETHER = np.array([[1.0, 0.95], [0.95, 1.0]])


def picture() -> str:
    """A filter, an ellipse of likely noise, and figures of the page."""
    said = (
        "Filtered values return to the line along which originals lie; the true record lies on an ellipse of likely "
        "noise and not on the circle of the nearest; most records are found by ranks after swapping and noise."
    )
    return paper("Attacks on noise", said, 396, [*_filter(), *_ellipse(), *_found()], WIDE)


def _filter() -> list[str]:
    panel = Panel(30, 60, 250, 250, (-2.4, 3.1), (-2.4, 3.1))
    X, E = _drawn("filter", 60)
    noise = 0.25 * np.eye(2)
    Y = X + E @ np.linalg.cholesky(noise).T
    filtered = Y @ np.linalg.inv(_TOGETHER + noise) @ _TOGETHER
    parts = panel.axes("Noise filtered out", "one amount", "another amount")
    parts += [panel.path(np.array(ends), "orange", width=0.8) for ends in zip(Y, filtered, strict=True)]
    parts += panel.dots(X, "grey", 2.6) + panel.dots(Y, "blue", 2.6) + panel.dots(filtered, "orange", 2.6, 1.0)
    return parts + swatches(30, 380, [("grey", "original"), ("blue", "released"), ("orange", "filtered")], 93)


def _ellipse() -> list[str]:
    X, E = _drawn("ellipse", 150)
    root = np.linalg.cholesky(0.12 * _TOGETHER)
    Y = X + E @ root.T
    sought = _told_by_shape_alone(X, Y, root)
    turn = np.linspace(0, 2 * np.pi, 91)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    least = np.sqrt(((Y - X[sought]) ** 2).sum(axis=1)).min()
    own = np.linalg.norm(np.linalg.solve(root, Y[sought] - X[sought]))
    x, y = X[sought]
    panel = Panel(350, 60, 250, 250, (x - 0.6, x + 0.6), (y - 0.6, y + 0.6))
    parts = panel.axes("Noise that is likely", "one amount", "another amount")
    parts += [panel.path(X[sought] + least * circle, "grey", dashed=True)]
    parts += [panel.path(X[sought] + own * circle @ root.T, "orange"), *panel.dots(Y, "blue", 3.4)]
    parts += [*panel.dots(X[[sought]], "orange", 4.5, 1.0), panel.ring(Y[sought])]
    return parts + swatches(350, 380, [("blue", "released"), ("orange", "known record")], 110)


def _found() -> list[str]:
    panel = Panel(680, 60, 220, 250, (0, 100), (0, 1))
    table = table_of("attacks_noise.md", "release | nearest ranks")
    ranks, values = ([number_in(row[way]) for row in table.values()] for way in ("one-to-one", "nearest values"))
    parts = panel.axes("Found on Census, %", "per cent of records", "")
    parts += bars(panel, list(table), [("orange", ranks), ("blue", values)])
    parts += panel.numbers_across((0, 50, 100))
    return parts + swatches(680, 380, [("orange", "ranks, one to one"), ("blue", "nearest values")], 145)


def _drawn(name: str, records: int) -> tuple[Floats, Floats]:
    """Two amounts that go together, and noise of variance 1 that does not."""
    draws = Streams(Key.of(4)).at("picture", name).normals(0, records, 4)
    return draws[:, :2] @ np.linalg.cholesky(_TOGETHER).T, draws[:, 2:]


def _told_by_shape_alone(X: Floats, Y: Floats, root: Floats) -> int:
    """The record of whom the nearest by shape is right, and by distance most clearly wrong."""
    apart = Y[None] - X[:, None]
    plain = np.sqrt((apart**2).sum(axis=2))
    shaped = np.sqrt((np.linalg.solve(root, apart.reshape(-1, 2).T) ** 2).sum(axis=0)).reshape(plain.shape)
    right = shaped.argmin(axis=1) == np.arange(len(X))
    return int(np.argmax(np.where(right, np.diag(plain) - plain.min(axis=1), -1.0)))
