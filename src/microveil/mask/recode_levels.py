"""Coarser levels for a column: cut points, generalisations, rare levels joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from microveil.core.arrays import Ints, Vector
from microveil.core.errors import BadInput
from microveil.data.table import Values
from microveil.kernels.summaries.order import Order
from microveil.mask.range_texts import range_of_levels

CutRule = Literal["quantile", "width", "optimal"]


def relabel(values: Values, labels: Sequence[Any]) -> Values:
    """A categorical column whose levels get these labels (None: missing); equal labels merge."""
    labels = _one_type(labels)
    order = [label for label in dict.fromkeys(labels) if label is not None]
    place = {label: i for i, label in enumerate(order)}
    lookup = np.array([*(-1 if label is None else place[label] for label in labels), -1], dtype=np.int64)
    return Values(values.kind, lookup[values.data], tuple(order))


def _one_type(labels: Sequence[Any]) -> list[Any]:
    """Labels as numbers when all are whole numbers in text or value, as they are when all alike, else as text."""
    present = [label for label in labels if label is not None]
    if len({type(label) for label in present}) <= 1:
        return list(labels)
    if all(_is_whole(label) for label in present):
        return [None if label is None else int(label) for label in labels]
    return [None if label is None else str(label) for label in labels]


def _is_whole(label: Any) -> bool:
    return (isinstance(label, int) and not isinstance(label, bool)) or (
        isinstance(label, str) and label.lstrip("-").isdigit()
    )


def as_levels(values: Values, distinct: Vector) -> Values:
    """A column of amounts as codes into its different values in rising order, so that a hierarchy can be climbed."""
    data = np.full(len(values.data), -1, dtype=np.int64)
    data[~values.missing] = np.searchsorted(distinct, values.numbers[~values.missing])
    return Values("ordinal", data, tuple(distinct.tolist()), values.hierarchy)


def generalise(values: Values, level: int, name: str) -> Values:
    """The column `level` steps up its hierarchy; shorter paths end at their top.

    Ordered values stay in order where the classes hold neighbours; otherwise the column is nominal from there on.
    """
    refuse_without_path(values, name)
    if level == 0:
        return values
    paths = values.hierarchy or {}
    top = max(map(len, paths.values()))
    if level > top:
        raise BadInput(
            f"level {level} of {name!r} is above the top of its hierarchy, which is level {top}; give {top} or less, "
            f"for each column its own if they differ (level: {{{name}: {top}}})"
        )
    used = [(value, paths[value]) for value in values.levels or ()]
    labels = [path[min(level, len(path)) - 1] for _, path in used]
    higher = {path[level - 1]: path[level:] for _, path in used if len(path) > level}
    merged = relabel(values, labels)
    kind = merged.kind if _hold_neighbours(labels) else "nominal"
    return Values(kind, merged.data, merged.levels, higher or None)


def refuse_without_path(values: Values, name: str) -> None:
    """Every level of a column has a path in its hierarchy."""
    paths = values.hierarchy or {}
    absent = [value for value in values.levels or () if not paths.get(value)]
    if absent:
        more = f" and {len(absent) - 5} more values" if len(absent) > 5 else ""
        shown = ", ".join(map(repr, absent[:5]))
        raise BadInput(f"the hierarchy of {name!r} has no place for {shown}{more}; give each value a path")


def _hold_neighbours(labels: Sequence[Any]) -> bool:
    """Whether equal labels stand side by side."""
    runs = [label for i, label in enumerate(labels) if i == 0 or label != labels[i - 1]]
    return len(runs) == len(set(runs))


def join_rare(values: Values, counts: Ints, least: int) -> Values:
    """Levels with fewer than `least` records joined: neighbours if ordered, else into one level `other`.

    `counts` are those of the levels in the whole file.
    """
    if (counts >= least).all():
        return values
    parts = _neighbours(counts, least) if values.kind == "ordinal" else _rarest(counts, least)
    labels: list[Any] = list(values.levels or ())
    for part in parts:
        if len(part) > 1:
            text = (
                range_of_levels(labels[part[0]], labels[part[-1]]) if values.kind == "ordinal" else _free_name(values)
            )
            for code in part:
                labels[code] = text
    return relabel(values, labels)


def _neighbours(counts: Ints, least: int) -> list[list[int]]:
    parts: list[list[int]] = [[]]
    for code in range(len(counts)):
        if parts[-1] and counts[parts[-1]].sum() >= least:
            parts.append([])
        parts[-1].append(code)
    if len(parts) > 1 and counts[parts[-1]].sum() < least:
        parts[-2:] = [parts[-2] + parts[-1]]
    return parts


def _rarest(counts: Ints, least: int) -> list[list[int]]:
    order = np.argsort(counts, kind="stable")
    joined = int((counts < least).sum())
    while joined < len(counts) and counts[order[:joined]].sum() < least:
        joined += 1
    return [order[: max(joined, 2)].tolist()]


def _free_name(values: Values) -> str:
    name = "other"
    while name in {str(level) for level in values.levels or ()}:
        name += "*"
    return name


def cut_points(column: Order, bins: int, rule: CutRule) -> Vector:
    """Inner cut points for about so many intervals, in few digits where that leaves them apart."""
    n, low, high = column.observed, column.values[0], column.values[-1]
    if rule == "width":
        cuts = np.linspace(low, high, bins + 1)[1:-1]
    elif rule == "quantile":
        cuts = column.at(np.unique(n * np.arange(1, bins) // bins))
    else:
        from microveil.kernels.grouping.single_values import optimal_groups

        ordered = column.sorted()
        ends = np.flatnonzero(np.diff(np.sort(optimal_groups(ordered, max(1, n // bins)))))
        cuts = (ordered[ends] + ordered[ends + 1]) / 2
    cuts = np.unique(cuts)
    cuts = cuts[(cuts > low) & (cuts <= high)]
    short = np.array([float(f"{cut:.3g}") for cut in cuts])
    apart = len(np.unique(short)) == len(cuts) and bool(((short > low) & (short <= high)).all())
    return short if apart else cuts
