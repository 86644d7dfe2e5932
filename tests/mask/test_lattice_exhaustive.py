"""On a real file the optimum of the search is that of all combinations of levels, looked at one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.data.microdata import Microdata
from tests.mask.lattice_exhaustion import Column, join, kept_classes
from tests.reference import shared_file

LOSSES = (
    *("ncp", "geometric", "entropy", "non-uniform-entropy", "precision", "height"),
    *("discernibility", "class-size"),
)
ILL = "occupation"  # the sensitive column of the models that ask for one
FEW = [
    *(({"k": 5}, kind, 0.04, {}) for kind in LOSSES),
    ({"k": 5}, "ncp", 0.0, {}),
    ({"k": 3}, "precision", 0.1, {"drop_price": 0.4}),
    ({"k": 5}, "ncp", 0.04, {"weights": {"age": 4.0, "sex": 0.2}}),
    ({"k": 5}, "entropy", 0.04, {"limits": {"age": (1, 2), "education": (0, 2)}}),
    ({"k": 1, "average_risk": 0.02}, "ncp", 0.0, {}),
    ({"k": 1, "average_risk": 0.02}, "class-size", 0.04, {}),
    ({"k": 5, "l": 3}, "ncp", 0.04, {}),
    ({"k": 5, "l": 3, "diversity": "entropy"}, "ncp", 0.04, {}),
    ({"k": 5, "t": 0.4, "distance": "equal"}, "ncp", 0.04, {}),
]
MANY = [
    *(({"k": 2}, kind, 0.0, {}) for kind in LOSSES),
    *(({"k": 10}, kind, 0.02, {}) for kind in LOSSES),
    *(({"k": 3}, kind, 0.1, {"drop_price": 2.0}) for kind in ("ncp", "geometric", "height", "class-size")),
    *(({"k": 3}, kind, 0.1, {"drop_price": 0.4}) for kind in ("geometric", "discernibility", "class-size")),
    ({"k": 2, "average_risk": 0.01}, "class-size", 0.05, {}),
    ({"k": 2, "share_at_risk": 0.02, "at_risk": 0.1}, "discernibility", 0.03, {}),
    ({"k": 1, "uniqueness": 0.01}, "precision", 0.0, {}),
    ({"k": 1, "highest_risk": 0.05}, "entropy", 0.05, {}),
    ({"k": 5, "l": 3}, "height", 0.0, {}),
    ({"k": 5, "l": 3, "diversity": "entropy"}, "entropy", 0.0, {}),
    ({"k": 2, "l": 4, "diversity": "entropy"}, "precision", 0.1, {}),
    ({"k": 5, "l": 2, "diversity": "recursive", "c": 1.0}, "ncp", 0.04, {}),
    ({"k": 5, "l": 3, "diversity": "recursive", "c": 2.0}, "discernibility", 0.02, {}),
    ({"k": 5, "t": 0.3, "distance": "equal"}, "geometric", 0.0, {}),
    ({"k": 5, "t": 0.4, "distance": "equal", "t_against": "file"}, "ncp", 0.04, {}),
    ({"k": 5, "t": 0.4, "distance": "equal", "t_against": "release"}, "ncp", 0.04, {}),
    ({"k": 5, "beta": 3.0}, "ncp", 0.04, {}),
]


def load():
    frame = pd.read_csv(shared_file("data", "adult", "adult.csv.gz"), sep=";", dtype=str)
    paths = {}
    for line in shared_file("data", "adult", "adult_hierarchies.csv").read_text().splitlines():
        name, value, *path = line.split(";")
        paths.setdefault(name, {})[value] = tuple(path)
    return frame, paths


def columns_of(frame, paths):
    out = {}
    for name in frame.columns:
        values, codes = np.unique(frame[name], return_inverse=True)
        steps = zip(*(paths[name][value] for value in values), strict=True)
        groups = [np.arange(len(values)), *(np.unique(step, return_inverse=True)[1].reshape(-1) for step in steps)]
        out[name] = Column(codes.reshape(-1), groups)
    return out


def visit(columns, rows, sizes, ill, look, levels=()):
    """Every node below these: classes by the codes of one record, their sizes and counts of the sensitive values."""
    j = len(levels)
    if j == len(columns):
        look(levels, rows, sizes, ill)
        return
    for level in range(columns[j].top + 1):
        if level:  # the classes of a level grow from those of the level below
            keys = np.zeros(len(rows), dtype=np.int64)
            for i, column in enumerate(columns):
                at = levels[i] if i < j else level if i == j else 0
                keys = keys * len(column.groups[0]) + column.groups[at][rows[:, i]]
            first, labels = np.unique(keys, return_index=True, return_inverse=True)[1:]
            sizes = np.bincount(labels, weights=sizes).astype(np.int64)
            if ill is not None:
                merged = np.zeros((len(first), ill.shape[1]), dtype=np.int64)
                np.add.at(merged, labels, ill)
                ill = merged
            rows = rows[first]
        visit(columns, rows, sizes, ill, look, (*levels, level))


def least_losses(columns, sensitive, settings):
    """The least loss of each setting, over every node."""
    names, chosen = list(columns), list(columns.values())
    records, best = len(chosen[0].codes), [np.inf] * len(settings)
    tables = {kind: [column.losses(kind) for column in chosen] for kind in LOSSES[:6]}
    sums = {
        kind: [[(column.counts * loss).sum() for loss in lost] for column, (lost, _) in zip(chosen, found, strict=True)]
        for kind, found in tables.items()
    }

    def look(levels, rows, sizes, ill):
        kept_by = {}
        for place, (model, kind, drop, more) in enumerate(settings):
            most = int(drop * records + 1e-9)
            allowed = more.get("limits", {}).items()
            if any(not low <= levels[names.index(name)] <= high for name, (low, high) in allowed):
                continue
            if sizes[sizes < model["k"]].sum() > most:
                continue
            if str(model) not in kept_by:
                kept_by[str(model)] = kept_classes(model, ill, sizes)
            kept = kept_by[str(model)]
            if kept is None or sizes[~kept].sum() > most:
                continue
            price, gone = more.get("drop_price", 1.0), sizes[~kept]
            if kind == "discernibility":
                found = ((sizes[kept] ** 2).sum() + price * records * gone.sum()) / records**2
            elif kind == "class-size":
                found = (sizes[kept].sum() + price * gone.sum()) / kept.sum()
            else:
                totals = [
                    sums[kind][j][levels[j]] + (gone * (price * whole - lost[levels[j]])[rows[~kept, j]]).sum()
                    for j, (lost, whole) in enumerate(tables[kind])
                ]
                weights = [more.get("weights", {}).get(name, 1.0) for name in names]
                found = join(kind, chosen, weights, np.array(totals) / records, records)
            best[place] = min(best[place], found)

    codes = np.column_stack([column.codes for column in chosen])
    if sensitive is None:
        rows, sizes = np.unique(codes, axis=0, return_counts=True)
        visit(chosen, rows, sizes, None, look)
        return best
    rows, labels, sizes = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    ill = np.zeros((len(rows), int(sensitive.max()) + 1), dtype=np.int64)
    np.add.at(ill, (labels.reshape(-1), sensitive), 1)
    visit(chosen, rows, sizes, ill, look)
    return best


def compare(settings, without=()):
    frame, paths = load()
    frame = frame.drop(columns=list(without))
    paths = {name: path for name, path in paths.items() if name not in without}
    columns = columns_of(frame, paths)
    data = Microdata(frame, hierarchies={name: path for name, path in paths.items() if name != ILL})
    whole = Microdata(frame, hierarchies=paths)
    asks = [bool({"l", "t", "beta"} & set(model)) for model, *_ in settings]
    for sensitive in (False, True):
        chosen = [one for one, asked in zip(settings, asks, strict=True) if asked == sensitive]
        keys = {name: column for name, column in columns.items() if not (sensitive and name == ILL)}
        expected = least_losses(keys, columns[ILL].codes if sensitive else None, chosen)
        for (model, kind, drop, more), loss in zip(chosen, expected, strict=True):
            asked = mv.Anonymity(**model, sensitive=[ILL] if sensitive else [])
            mask = mv.mask.Lattice(model=asked, max_dropped=drop, loss=kind, **more)
            found = mask.explore(data if sensitive else whole, on=list(keys), best=1)
            assert found.nodes[0].loss == pytest.approx(loss, rel=1e-9), (model, kind, drop, more)
            assert found.complete


@pytest.mark.long
def test_the_optimum_is_that_of_all_nodes_of_six_keys():
    compare(FEW, without=("race", "native-country", "workclass"))


@pytest.mark.full
def test_the_optimum_is_that_of_all_nodes_of_nine_keys():
    assert len(FEW) + len(MANY) >= 40
    compare([*FEW, *MANY])
