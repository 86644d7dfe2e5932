"""Several releases of one file, record beside record: what anybody may combine, and what it is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.attack.claims import Holds
from microveil.attack.held_values import HeldValues
from microveil.attack.hiding import hide_order
from microveil.core.arrays import Bools, Floats, Ints
from microveil.data.coding import in_common
from microveil.data.table import Table, Values
from microveil.measure import Pair
from microveil.measure.classes import is_made_coarser
from microveil.measure.codebooks import public_classes
from microveil.run.release import AnyFile

_MOST_PINNED = 1 << 24  # cells of a table of records by values


@dataclass(frozen=True)
class Several:
    """The same people in the original and in every release; rows in an order that carries nothing.

    Tables hold the columns whose released values are of the original's kind. Of the others, which were released as
    classes, `classes` says for each release what they hold, and it is counted how many cells have a single value left
    by one release and by all.
    """

    original: Table
    releases: tuple[Table, ...]
    classes: tuple[tuple[HeldValues, ...], ...]
    pinned_by_one: float
    pinned_by_all: float
    cells_in_classes: int


def put_together(original: AnyFile, releases: Sequence[AnyFile], known: Sequence[str] | None) -> Several | str:
    """The people whom every release holds, seen through the columns that the intruder knows; or why nobody can tell."""
    pairs = [Pair.of(original, release, known) for release in releases]
    if any(pair.link is None for pair in pairs):
        return "nobody knows which rows of the releases belong together; give the releases themselves"
    rows = [_released_rows(pair) for pair in pairs]
    people = np.flatnonzero(np.all([row >= 0 for row in rows], axis=0))
    if not len(people):
        return "no record is in every release; give releases of the same file"
    names = [name for name in pairs[0].columns if all(name in pair.columns for pair in pairs)]
    plain: list[str] = []
    coarse: list[str] = []
    for name in names:
        own = [pair.own_tables([name]) for pair in pairs]
        made = [is_made_coarser(before[name], after[name]) for before, after in own]
        (coarse if any(made) else plain).append(name)
    columns: list[dict[str, Values]] = [{} for _ in range(len(pairs) + 1)]
    for name in plain:
        kind = pairs[0].before.kinds[name]
        values = [pairs[0].before.values(name, kind), *(pair.after.values(name, kind) for pair in pairs)]
        coded = values if kind == "continuous" else in_common(values)
        for side, column, at in zip(columns, coded, [people, *(row[people] for row in rows)], strict=True):
            side[name] = column.take(at)
    tables = [Table(side, len(people)) for side in columns]
    order = hide_order(tables[0], "known")[1] if plain else np.arange(len(people))
    one, every, cells = _count_pinned(pairs, [row[people] for row in rows], people, coarse)
    held = tuple(
        tuple(HeldValues.of(public_classes(pair, name), people[order], row[people[order]]) for name in coarse)
        for pair, row in zip(pairs, rows, strict=True)
    )
    return Several(tables[0].take(order), tuple(table.take(order) for table in tables[1:]), held, one, every, cells)


def _released_rows(pair: Pair) -> Ints:
    """The released row of each original one, -1 where there is none."""
    assert pair.link is not None
    out = np.full(pair.before.n, -1, dtype=np.int64)
    there = np.flatnonzero(pair.link >= 0)
    out[pair.link[there]] = there
    return out


def _count_pinned(
    pairs: Sequence[Pair], rows: Sequence[Ints], people: Ints, names: Sequence[str]
) -> tuple[float, float, int]:
    """The share of cells in classes that one release and that all together leave a single value for."""
    one, every, cells = 0.0, 0.0, 0
    for name in names:
        sets, alone = None, []
        for pair, row in zip(pairs, rows, strict=True):
            classes = public_classes(pair, name)
            held = _as_sets(Holds.by(classes), classes.values, classes.code, pair.own_tables([name])[0][name])
            if len(people) * held.shape[1] > _MOST_PINNED:
                break
            now = np.vstack([held, np.ones((1, held.shape[1]), dtype=np.bool_)])[classes.released[row]]
            alone.append(float((now.sum(axis=1) == 1).mean()))
            sets = now if sets is None else sets & now
        else:
            assert sets is not None
            one += float(np.mean(alone)) * len(people)
            every += float((sets.sum(axis=1) == 1).sum())
            cells += len(people)
    return one / max(cells, 1), every / max(cells, 1), cells


def _as_sets(holds: Holds, values: int, code: Ints, before: Values) -> Bools:
    """Which values (columns, in the order of their own) each class stands for."""
    out = np.zeros((len(holds.low), values), dtype=np.bool_)
    for level in range(len(out)):
        out[level, holds.of(level)] = True
    # classes may have been numbered anew: bring every release to the order of the values themselves
    own = _own_order(before)
    known = (code >= 0) & (own >= 0)
    place = np.arange(values)
    place[own[known]] = code[known]
    return out[:, place]


def _own_order(before: Values) -> Ints:
    if before.levels is not None:
        return np.asarray(before.data, dtype=np.int64)
    out = np.full(len(before.data), -1, dtype=np.int64)
    out[~before.missing] = np.unique(before.numbers[~before.missing], return_inverse=True)[1]
    return out


def combine(releases: Sequence[Table]) -> Table:
    """The mean of amounts over the releases, and the commonest category; of equally common ones the first."""
    columns = {}
    for name in releases[0].names:
        values = [release[name] for release in releases]
        stacked = np.stack([one.numbers for one in values])
        columns[name] = values[0].with_data(_mean(stacked) if values[0].levels is None else _mode(stacked))
    return Table(columns, releases[0].rows)


def _mean(stacked: Floats) -> Floats:
    there = ~np.isnan(stacked)
    total = np.where(there, stacked, 0.0).sum(axis=0)
    return np.where(there.any(axis=0), total / np.maximum(there.sum(axis=0), 1), np.nan)


def _mode(stacked: Floats) -> Ints:
    codes = np.where(np.isnan(stacked), -1, stacked).astype(np.int64)
    votes = np.zeros((codes.shape[1], int(codes.max(initial=0)) + 2), dtype=np.int64)
    for one in codes:
        votes[np.arange(codes.shape[1]), one + 1] += 1
    votes[:, 0] = np.where(votes[:, 1:].any(axis=1), 0, 1)
    return np.asarray(votes.argmax(axis=1) - 1, dtype=np.int64)


def mean_error(original: Table, released: Table) -> float:
    """Root mean square error in standard deviations of amounts, and the share of wrong categories; over the columns."""
    found = []
    for name in original.names:
        x, y = original[name].numbers, released[name].numbers
        both = ~np.isnan(x) & ~np.isnan(y)
        if not both.any():
            continue
        if original[name].levels is None:
            spread = float(x[both].std())
            if spread > 0:
                found.append(float(np.sqrt(np.mean((x[both] - y[both]) ** 2))) / spread)
        else:
            found.append(float((x[both] != y[both]).mean()))
    return float(np.mean(found)) if found else 0.0
