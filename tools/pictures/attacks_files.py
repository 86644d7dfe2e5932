"""How chance cancels out over several releases of one file."""

from __future__ import annotations

import numpy as np

from microveil import Microdata, datasets, mask
from microveil.core.arrays import Floats
from microveil.mask import Mask
from microveil.run import Release
from tools.pictures.paper import WIDE, Panel, paper, swatches

_RELEASES = 20


def picture() -> str:
    """One value in twenty releases, and errors by their number."""
    data = Microdata(datasets.make_enterprises(500, seed=1), **datasets.enterprises_schema())
    noisy, exact = (_released(data, method) for method in (mask.UncorrelatedNoise(p=0.3), mask.ExactNoise()))
    true = _amounts(data)
    said = "Means over releases go to the true value, and errors fall with the root of their number."
    parts = [*_one_value(true, noisy), *_errors(true, {"blue": noisy, "green": exact})]
    return paper("Several releases", said, 440, parts, WIDE)


def _one_value(true: Floats, released: Floats) -> list[str]:
    """Of the enterprise whose first amount is the median one, in standard deviations from it."""
    row = int(np.argsort(true[:, 0])[len(true) // 2])
    off = (released[:, row, 0] - true[row, 0]) / true[:, 0].std()
    count = np.arange(1, _RELEASES + 1)
    panel = Panel(60, 60, 380, 300, (0, _RELEASES + 1), (-0.9, 0.9))
    parts = panel.axes(
        "One amount in twenty releases", "releases so far", "released less true value, standard deviations"
    )
    parts += [*panel.numbers_up((-0.5, 0, 0.5)), *panel.numbers_across((1, 5, 10, 15, 20))]
    parts.append(panel.path(np.array([[0, 0], [_RELEASES + 1, 0]]), "grey", dashed=True))
    parts += panel.dots(np.column_stack([count, off]), "blue", 4.0)
    parts.append(panel.path(np.column_stack([count, np.cumsum(off) / count]), "orange"))
    return parts + swatches(60, 425, [("blue", "released"), ("orange", "mean so far"), ("grey", "truth")], 120)


def _errors(true: Floats, methods: dict[str, Floats]) -> list[str]:
    panel = Panel(560, 60, 360, 300, (1, _RELEASES), (0, 0.45))
    parts = panel.axes("What is left of the noise", "releases averaged", "error, standard deviations")
    parts += [*panel.numbers_up((0, 0.1, 0.2, 0.3, 0.4)), *panel.numbers_across((1, 5, 10, 15, 20))]
    count = np.arange(1, _RELEASES + 1)
    for colour, released in methods.items():
        means = np.cumsum(released, axis=0) / count[:, None, None]
        errors = np.sqrt((((means - true) / true.std(axis=0)) ** 2).mean(axis=(1, 2)))
        points = np.column_stack([count, errors])
        parts += [panel.path(points, colour), *panel.dots(points, colour, 3.0, 1.0)]
        if colour == "blue":
            parts.append(panel.path(np.array([[1, errors[0]], [_RELEASES, errors[0]]]), "grey", dashed=True))
    told = [("blue", "UncorrelatedNoise"), ("green", "ExactNoise"), ("grey", "same again")]
    return parts + swatches(560, 425, told, 150)


def _released(data: Microdata, method: Mask) -> Floats:
    return np.stack([_amounts(method.apply(data, seed=number)) for number in range(_RELEASES)])


def _amounts(file: Microdata | Release) -> Floats:
    names = [name for name in file.frame.column_names if name.endswith(("_revenue", "_sales"))]
    return np.column_stack([np.asarray(file.frame.column(name), dtype=np.float64) for name in names])
