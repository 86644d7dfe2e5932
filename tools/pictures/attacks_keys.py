"""How amounts tell a record inside of its class of keys."""

from __future__ import annotations

import numpy as np

from microveil import Microdata, datasets, mask
from microveil.run import Release
from tools.pictures.page_tables import number_in, table_of
from tools.pictures.paper import WIDE, Panel, bars, paper, swatches

_KEYS = ("region", "sector", "employees")


def picture() -> str:
    """Classes with their amounts, and figures of the page."""
    said = "A class of keys holds a few records, whose amounts differ; with amounts many more records are found."
    return paper("Attacks on classes of keys", said, 440, [*_classes(), *_found()], WIDE)


def _classes() -> list[str]:
    data = Microdata(datasets.make_enterprises(60, seed=3), **datasets.enterprises_schema())
    classes = _class_of(mask.KAnonymise(k=5).apply(data, columns=_KEYS, seed=1))
    before = np.log10(np.asarray(data.frame.column("total_sales")))
    noisy = mask.MultiplicativeNoise().apply(data, columns=("total_sales",), seed=1)
    after = np.log10(np.asarray(noisy.frame.column("total_sales")))
    names = list(dict.fromkeys(classes))
    panel = Panel(30, 60, 430, 300, (3, 8), (-0.5, len(names) - 0.5))
    row = len(names) // 2
    members = np.array([i for i, name in enumerate(classes) if name == names[row]])
    nearest = members[np.abs(after[members] - before[members, None]).argmin(axis=1)]
    sought = int(members[nearest == members][0])
    parts = panel.axes(
        "The class leaves few, the amount one", "released total sales (powers of ten)", "classes of keys"
    )
    parts.append(panel.band((3, 8), (row - 0.5, row + 0.5)))
    for number, name in enumerate(names):
        points = np.array([(after[i], number) for i, mine in enumerate(classes) if mine == name])
        parts += panel.dots(points, "orange" if number == row else "grey", 4.0)
    parts.append(panel.path(np.array([[before[sought], -0.5], [before[sought], len(names) - 0.5]]), "blue", True))
    parts += [panel.ring(np.array([after[sought], row])), *panel.numbers_across((3, 4, 5, 6, 7, 8))]
    told = [("orange", "class of the known keys"), ("blue", "known amount"), ("grey", "others")]
    return parts + swatches(30, 425, told, 185)


def _found() -> list[str]:
    panel = Panel(540, 60, 350, 300, (0, 100), (0, 1))
    table = table_of("attacks_keys.md", "amounts")
    known = {"keys only": "grey", "keys and one total": "blue", "keys and ten amounts, nearest / one-to-one": "orange"}
    series = [(colour, [number_in(row[column]) for row in table.values()]) for column, colour in known.items()]
    parts = panel.axes(
        "Found among 1,500 generated enterprises, %", "per cent of records", "keys in classes of 5, amounts by"
    )
    parts += [*bars(panel, list(table), series), *panel.numbers_across((0, 25, 50, 75, 100))]
    told = [("grey", "keys only"), ("blue", "and one total"), ("orange", "and ten amounts")]
    return parts + swatches(540, 425, told, 130)


def _class_of(release: Release) -> list[tuple[str, ...]]:
    columns = [[str(value) for value in release.frame.column(name).to_pylist()] for name in _KEYS]
    return list(zip(*columns, strict=True))
