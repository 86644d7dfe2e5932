"""t-closeness: how far the confidential values of a class are from those of the whole file."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid
from microveil.data.table import Values
from microveil.measure import Pair
from microveil.risk.base import Float, Int, KeyRisk, Sensitive, chosen_targets
from microveil.risk.l_diversity import value_counts


@dataclass(frozen=True, kw_only=True)
class TCloseness(KeyRisk, name="t-closeness"):
    """The largest distance between the confidential values of a class of equal keys and those of the file.

    Use it where even a shifted distribution tells too much. The distance is the earth mover's: half the
    sum of differences for nominal values, over ranks of distinct values for ordinal and continuous ones,
    along the tree for values with a hierarchy. A missing value is a value of its own, below all others where they have
    an order: the distance is the one that `KAnonymise` promises with `t`.
    Reference: Li, Li & Venkatasubramanian 2007.
    """

    counts_alike: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    title: ClassVar[str] = "t-closeness"
    reference: ClassVar[str] = "Li, Li & Venkatasubramanian 2007"

    targets: Sensitive = None
    distance: Annotated[
        Literal["auto", "nominal", "ordered", "hierarchy"],
        Grid(("auto", "nominal")),
        "distance of values; auto: by the kind of the column and its hierarchy",
    ] = "auto"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        targets = chosen_targets(pair, self.targets, pair.columns)
        if not targets:
            return self.not_applicable(
                "no column has the role confidential; give it to one, or name it with targets=[...]"
            )
        parts = {}
        for name in targets:
            table = pair.tables((*pair.columns, name))[1]
            parts[name] = float(self._distances(table.codes(pair.columns), table[name], name).max(initial=0.0))
        value = max(parts.values())
        farthest = max(parts, key=lambda name: parts[name])
        reading = (
            f"Knowing the keys moves what one would guess about {farthest} by at most {format_number(value, 2)}"
            " (0: learns nothing, 1: everything)."
        )
        return self.measured(value, parts=parts, reading=reading, notes=self.key_notes(pair))

    def _distances(self, keys: Int, values: Values, name: str) -> Float:
        """The distance of each class."""
        from microveil.kernels.tables import group_rows

        how = self.distance
        if how == "auto":
            how = "hierarchy" if values.hierarchy else "nominal" if values.kind == "nominal" else "ordered"
        if how == "hierarchy" and not values.hierarchy:
            raise BadInput(f"distance='hierarchy' needs a hierarchy of {name!r}; state one, or use 'nominal'")
        if how == "ordered":
            x = np.where(values.missing, -np.inf, values.data.astype(np.float64))
            return ordered_distances(group_rows(keys)[0], x)
        labels = group_rows(keys)[0]
        codes = np.unique(values.data, return_inverse=True)[1] if values.levels is None else values.data
        if how == "nominal":
            return nominal_distances(labels, np.asarray(codes))
        return hierarchy_distances(labels, np.asarray(codes), values)


def nominal_distances(labels: Int, codes: Int) -> Float:
    """Half the sum of absolute differences between each class's shares and the file's."""
    codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    overall = np.bincount(codes) / len(codes)
    sizes = np.bincount(labels)
    classes, counts = value_counts(labels, codes)
    first = _value_of_pairs(labels, codes)
    share, there = counts / sizes[classes], overall[first]
    # values the class lacks add their whole share
    total = np.bincount(classes, weights=np.abs(share - there) - there, minlength=len(sizes)) + 1.0
    return np.asarray(np.maximum(0.5 * total, 0.0))


def ordered_distances(labels: Int, x: Float) -> Float:
    """Earth mover's distance over the ranks of distinct values, of each class to the file."""
    ranks, counts = np.unique(x, return_inverse=True, return_counts=True)[1:]
    m = len(counts)
    if m < 2:
        return np.zeros(int(labels.max(initial=-1)) + 1)
    # F(i) of the file at each distinct value, and its running sums for sums over stretches
    F = np.cumsum(counts) / len(x)
    running = np.concatenate([[0.0], np.cumsum(F)])
    order = np.lexsort((ranks, labels))
    labels, ranks = labels[order], ranks[order]
    sizes = np.bincount(labels)
    start = np.cumsum(sizes) - sizes
    step = (np.arange(len(labels)) - start[labels] + 1) / sizes[labels]
    last = np.arange(len(labels)) == (start + sizes - 1)[labels]
    ends = np.where(last, m, np.append(ranks[1:], m))
    parts = _stretch(step, ranks, ends, F, running)
    below = running[ranks[start]]
    return np.asarray((np.bincount(labels, weights=parts) + below) / (m - 1))


def _stretch(level: Float, first: Int, end: Int, F: Float, running: Float) -> Float:
    """Sum of |level - F(i)| over first <= i < end, F increasing."""
    cross = np.clip(np.searchsorted(F, level, side="left"), first, end)
    lower = level * (cross - first) - (running[cross] - running[first])
    upper = (running[end] - running[cross]) - level * (end - cross)
    return np.maximum(lower, 0.0) + np.maximum(upper, 0.0)


def hierarchy_distances(labels: Int, codes: Int, values: Values) -> Float:
    """Earth mover's distance along the tree of generalisations, of each class to the file.

    A move between two leaves costs the height of their lowest common ancestor over the tree's height.
    """
    present, local = np.unique(codes, return_inverse=True)
    paths = _paths(values)
    height = len(next(iter(paths.values())))
    counts = np.zeros((int(labels.max()) + 1, len(present)))
    np.add.at(counts, (labels, local.reshape(-1)), 1.0)
    extra = counts / counts.sum(axis=1, keepdims=True) - counts.sum(axis=0) / counts.sum()
    total = np.zeros(len(counts))
    for level in range(1, height):
        # sums over the children of each node: what cannot be settled lower down moves at this height
        children = dict.fromkeys(paths[int(code)][level - 1 :] for code in present)
        lower = {path: _members(paths, present, path, level - 1) for path in children}
        for node in dict.fromkeys(path[1:] for path in children):
            sums = np.column_stack([extra[:, lower[path]].sum(axis=1) for path in children if path[1:] == node])
            settled = np.minimum(np.maximum(sums, 0).sum(axis=1), np.maximum(-sums, 0).sum(axis=1))
            total += level / (height - 1) * settled
    return total


def _members(paths: dict[int, tuple[Hashable, ...]], present: Int, path: tuple[Hashable, ...], level: int) -> list[int]:
    return [i for i, code in enumerate(present) if paths[int(code)][level:] == path]


def _paths(values: Values) -> dict[int, tuple[Hashable, ...]]:
    """Each code with its ancestors up to a common top, all equally long; a missing value hangs from the top."""
    hierarchy = values.hierarchy or {}
    above = {code: tuple(hierarchy.get(level, ())) for code, level in enumerate(values.levels or ())}
    top: Hashable = ("top",)
    if len({path[-1:] for path in above.values()}) == 1 and all(above.values()):
        top = next(iter(above.values()))[-1]
        above = {code: path[:-1] for code, path in above.items()}
    longest = max((len(path) for path in above.values()), default=0)
    paths: dict[int, tuple[Hashable, ...]] = {-1: (("leaf", -1), *[top] * (longest + 1))}
    for code, path in above.items():
        paths[code] = (("leaf", code), *path, *[top] * (longest + 1 - len(path)))
    return paths


def _value_of_pairs(labels: Int, codes: Int) -> Int:
    from microveil.kernels.tables import group_rows

    which, counts = group_rows(np.column_stack([labels, codes]))
    out = np.empty(len(counts), dtype=np.int64)
    out[which] = codes
    return out
