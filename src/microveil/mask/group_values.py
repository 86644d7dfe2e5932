"""What stands for a group of records, in columns of any kind: averages, or what the group spans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from microveil.core.arrays import Floats, Ints, Labels
from microveil.core.ordering import distinct
from microveil.core.ranges import amount_text
from microveil.data.extremes import tell_published_ends
from microveil.data.table import Table, Values
from microveil.kernels.tables.classes import count_up, first_rows, group_rows, value_counts
from microveil.mask.range_texts import EVERYTHING, observed_range, range_of_levels, set_of_levels
from microveil.mask.recode_levels import as_levels, generalise
from microveil.partition.mixed import records_of

_BITS = 62  # of a word that tell sets of categories apart


# rows of a table may be the different rows of a file: `times` says how many records have each


def group_averages(table: Table, labels: Labels, times: Ints | None = None) -> dict[str, Values]:
    """Every column replaced by its groups' averages: mean, lower median, or mode.

    All members get the same category; missing is a category like any other and wins with more than half of a
    group. Gaps in amounts stay gaps.
    """
    from microveil.kernels.distances.mixed_groups import average_groups

    order = np.argsort(labels, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(labels))])
    X, metric = records_of(table, None, times=times)
    once = np.ones(table.rows, dtype=np.int64)
    centres = average_groups(X, order, start, once if times is None else times, metric)
    out = {}
    for j, (name, values) in enumerate(table.columns.items()):
        found = centres[labels, j]
        if values.levels is None:
            out[name] = values.with_data(np.where(values.missing, np.nan, found))
        else:
            missing = values.missing.astype(np.int64)
            gone = count_up(labels, missing if times is None else missing * times) * 2 > count_up(labels, times)
            out[name] = values.with_data(np.where(np.isnan(found) | gone[labels], -1, found).astype(np.int64))
    return out


def group_ranges(table: Table, labels: Labels, times: Ints | None = None) -> dict[str, Values]:
    """Every column replaced by what its groups span: the lowest common value of its hierarchy, an interval or a set."""
    return {name: _spanned(values, labels, name, times) for name, values in table.columns.items()}


def _spanned(values: Values, labels: Labels, name: str, times: Ints | None) -> Values:
    groups = int(labels.max()) + 1
    if values.kind == "nominal":
        return _with_texts(values, labels, *_set_texts(values, labels, groups), times)
    if values.hierarchy:
        texts = _common_texts(values, labels, groups, name)
        return _with_texts(values, labels, texts, np.arange(groups), times)
    low, high = _range_of_groups(values, labels)
    gap = np.zeros(groups, dtype=np.int64)
    gap[labels[values.missing]] = 1
    of, counts = group_rows(np.column_stack([distinct(low)[1], distinct(high)[1], gap]))
    first = first_rows(of, len(counts))
    spans = zip(low[first].tolist(), high[first].tolist(), gap[first].tolist(), strict=True)
    return _with_texts(values, labels, [_interval_text(a, b, bool(g), values) for a, b, g in spans], of, times)


def _range_of_groups(values: Values, labels: Labels) -> tuple[Floats, Floats]:
    """The smallest and largest number of each group; of a group without any, infinite and the wrong way round."""
    groups = int(labels.max()) + 1
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    numbers, observed = values.data.astype(np.float64), ~values.missing
    np.minimum.at(low, labels[observed], numbers[observed])
    np.maximum.at(high, labels[observed], numbers[observed])
    return low, high


def tell_range_ends(table: Table, labels: Labels, times: Ints | None = None) -> tuple[str, ...]:
    """What the ranges of amounts give away exactly."""
    notes: list[str] = []
    for name, values in table.columns.items():
        if values.levels is None and not values.hierarchy:
            notes += tell_published_ends(name, values, np.concatenate(_range_of_groups(values, labels)), times)
    return tuple(notes)


def _common_texts(values: Values, labels: Labels, groups: int, name: str) -> list[Any]:
    """The lowest value of the hierarchy that all members of a group share, for numbers and ordered categories."""
    observed = ~values.missing
    coded = values if values.levels is not None else as_levels(values, np.unique(values.numbers[observed]))
    gap = np.bincount(labels, weights=~observed, minlength=groups) > 0
    seen = np.bincount(labels, weights=observed, minlength=groups) > 0
    found: list[Any] = [EVERYTHING if some else None for some in seen]
    height = max(len(path) for path in (values.hierarchy or {}).values())
    alone = replace(coded, data=np.arange(len(coded.levels or ()), dtype=np.int64))
    for level in range(height, -1, -1):
        step = generalise(alone, level, name)
        low, high = _range_of_groups(coded.with_data(np.append(step.data, -1)[coded.data]), labels)
        for group in np.flatnonzero(low == high):
            node = (step.levels or ())[int(low[group])]
            found[group] = amount_text(node) if isinstance(node, float) else str(node)
    return [f"{text} or missing" if text is not None and some else text for text, some in zip(found, gap, strict=True)]


def _interval_text(low: float, high: float, gap: bool, values: Values) -> Any:
    if low > high:
        return None

    if values.levels is None:
        text = observed_range(low, high)
    else:
        text = range_of_levels(values.levels[int(low)], values.levels[int(high)])
    return f"{text} or missing" if gap else text


def _set_texts(values: Values, labels: Labels, groups: int) -> tuple[list[Any], Labels]:
    """The different sets of categories as texts, and which of them each group has."""
    group, code, _ = value_counts(labels, values.data)
    bounds = np.searchsorted(group, np.arange(groups + 1))
    # a set is a word with a bit for each of its codes, a gap the first of them; many categories need several words
    word, bit = np.divmod(code + 1, _BITS)
    words = [np.where(word == part, 1 << bit, 0) for part in range(len(values.levels or ()) // _BITS + 1)]
    of, counts = group_rows(np.column_stack([np.bitwise_or.reduceat(each, bounds[:-1]) for each in words]))
    some = [code[bounds[g] : bounds[g + 1]].tolist() for g in first_rows(of, len(counts)).tolist()]
    return [_set_text(tuple(codes), values) for codes in some], of


def _set_text(codes: tuple[int, ...], values: Values) -> Any:
    levels = values.levels or ()
    if codes == (-1,):
        return None
    present = [levels[code] for code in codes if code >= 0]
    paths = values.hierarchy or {}
    text = str(present[0])
    if len(present) > 1:
        common = [node for node in paths.get(present[0], ()) if all(node in paths.get(level, ()) for level in present)]
        text = str(common[0]) if common else set_of_levels(present)
    return f"{text} or missing" if codes[0] < 0 else text


def _with_texts(values: Values, labels: Labels, texts: list[Any], of: Labels, times: Ints | None) -> Values:
    """A column of texts, and which of them each group has; ordered as the intervals where the column has an order."""
    if values.levels is not None and all(text is None or text in values.levels for text in texts):
        place = {level: i for i, level in enumerate(values.levels)}
        codes = np.array([-1 if text is None else place[text] for text in texts], dtype=np.int64)
        return values.with_data(codes[of][labels])
    met = np.argsort(first_rows(of, len(texts)), kind="stable").tolist()  # texts stand in the order of the groups
    levels = tuple(dict.fromkeys(texts[i] for i in met if texts[i] is not None))
    if values.kind != "nominal":
        middles, last = _middles(values, labels, len(of), times), np.empty(len(texts), dtype=np.int64)
        last[of] = np.arange(len(of))
        centre = {texts[i]: middles[last[i]] for i in np.argsort(last, kind="stable").tolist()}
        levels = tuple(sorted(levels, key=lambda text: centre[text]))
    place = {level: i for i, level in enumerate(levels)}
    codes = np.array([-1 if text is None else place[text] for text in texts], dtype=np.int64)
    kind = "nominal" if values.kind == "nominal" else "ordinal"
    return Values(kind, codes[of][labels], levels)


def _middles(values: Values, labels: Labels, groups: int, times: Ints | None) -> list[float]:
    numbers = np.where(values.missing, 0.0, values.data.astype(np.float64))
    counts = np.maximum(count_up(labels, times, groups), 1)
    numbers = numbers if times is None else numbers * times
    return list((np.bincount(labels, weights=numbers, minlength=groups) / counts).tolist())
