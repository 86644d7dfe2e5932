"""How unlikely it is that a known record shows a released category, learnt from an intruder's own runs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.attack.simulating import Simulated
from microveil.attack.view import View
from microveil.core.arrays import Floats, Ints
from microveil.kernels.tables.classes import first_rows, group_rows
from microveil.measure.classes import Classes

_MOST_CELLS = 20_000_000  # of a table of prices
_OWN = (0.0, 0.2, 0.5, 0.8, 0.95, 0.999)  # weights of a record's own runs that are tried
_BY_VALUE = 0.98  # of the rest, the weight of all records with the same known value
_POSSIBLE = 1e-6  # probability of what classes exclude
_EXACT, _GUESSED = 0.999, 0.5  # weight of a single run, which nothing can be compared with


class CategoryPrices(NamedTuple):
    """-2 log of probabilities: rows are kinds of known records, columns the released categories with gaps the last.

    `known` is the kind of each known record, `shown` the column of each released one.
    """

    known: Ints
    shown: Ints
    table: Floats


def find_prices(view: View, simulated: Simulated, name: str, held_out: bool = False) -> CategoryPrices | None:
    """The prices of a column of categories, or of gaps in one of amounts; None where nothing is to be learnt.

    `held_out`: those of the first run in place of the release, by the other runs.
    """
    known, shown, runs, width = _coded(view, simulated, name)
    if held_out:
        shown, runs = runs[0], runs[1:] if len(runs) > 1 else runs
    kinds, sizes = group_rows(np.column_stack([known, *runs]))
    if width < 2 or len(sizes) * width > _MOST_CELLS:
        return None
    first = first_rows(kinds, len(sizes))
    common = (np.bincount(shown, minlength=width) + 0.5) / (len(shown) + 0.5 * width)
    rest = _BY_VALUE * _by_value(view, simulated, name, known, runs, width)[known[first]] + (1 - _BY_VALUE) * common
    own = np.zeros((len(sizes), width))
    for run in runs:
        own[np.arange(len(sizes)), run[first]] += 1.0 / len(runs)
    weight = _own_weight(simulated, runs, rest, kinds)
    return CategoryPrices(kinds, shown, -2.0 * np.log(weight * own + (1 - weight) * rest))


def _own_weight(simulated: Simulated, runs: Ints, rest: Floats, kinds: Ints) -> float:
    """How much a record's own runs say beside those of others: the weight that makes a further run likeliest."""
    if len(runs) == 1:
        return _EXACT if simulated.chain.exact else _GUESSED
    mine = [(np.delete(runs, s, axis=0) == runs[s]).mean(axis=0) for s in range(len(runs))]
    others = [rest[kinds, runs[s]] for s in range(len(runs))]
    likely = [sum(float(np.log(w * a + (1 - w) * b).sum()) for a, b in zip(mine, others, strict=True)) for w in _OWN]
    best = _OWN[int(np.argmax(likely))]
    return best if simulated.chain.exact else min(best, _GUESSED)


def _coded(view: View, simulated: Simulated, name: str) -> tuple[Ints, Ints, Ints, int]:
    """Known values, released ones and those of the runs as codes from 0 on; amounts by whether they are there."""
    released = view.released[name]
    if released.levels is None:
        absent = np.isnan(simulated.columns[name]).astype(np.int64)
        gaps = released.missing.astype(np.int64)
        width = 2 if gaps.any() or absent.any() else 1
        return view.known[name].missing.astype(np.int64), gaps, absent, width
    levels = len(released.levels)
    known = np.asarray(view.known[name].data, dtype=np.int64)
    # one column for what nobody released, and the last for gaps
    shown, runs = (np.where(codes < 0, levels + 1, codes) for codes in (released.data, simulated.columns[name]))
    return np.where(known < 0, levels, known), shown, runs, levels + 2


def _by_value(view: View, simulated: Simulated, name: str, known: Ints, runs: Ints, width: int) -> Floats:
    """The probabilities of released categories given the known value, over all records."""
    rows = int(known.max()) + 1
    if name in view.classes and not simulated.chain.exact:
        return _by_classes(view.classes[name], known, np.asarray(view.released[name].data), rows, width)
    counts = np.zeros((rows, width))
    for run in runs:
        np.add.at(counts, (known, run), 1.0)
    return np.asarray((counts + 0.5 / width) / (counts.sum(axis=1, keepdims=True) + 0.5))


def _by_classes(classes: Classes, known: Ints, shown: Ints, rows: int, width: int) -> Floats:
    """The released classes that hold a known value, each as likely as it is common; a gap may be anybody's."""
    found = np.zeros((rows, width))
    gaps = float((shown < 0).mean())
    codes = np.unique(shown[shown >= 0])
    number = np.array([int((shown == code).sum()) for code in codes])
    example = np.array([int(np.argmax(shown == code)) for code in codes], dtype=np.int64)
    for value, row in zip(*np.unique(known, return_index=True), strict=True):
        if classes.code[row] < 0:
            found[value, codes], found[value, -1] = number / len(shown), gaps
            continue
        held = classes.contains(np.full(len(codes), row), example)
        share = np.where(held, number, 0.0)
        found[value, codes] = (1 - gaps) * share / max(float(share.sum()), 1.0)
        found[value, -1] = gaps
    return np.asarray((found + _POSSIBLE) / (found + _POSSIBLE).sum(axis=1, keepdims=True))
