"""t-closeness: how far the confidential values of a class are from those of the whole file."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid
from microveil.data.table import Values
from microveil.kernels.tables.classes import group_rows
from microveil.kernels.tables.closeness import class_distance
from microveil.measure import Pair
from microveil.measure.keys import Sensitive, choose_targets
from microveil.risk.base import KeyRisk


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
        targets = choose_targets(pair, self.targets, pair.columns)
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

    def _distances(self, keys: Ints, values: Values, name: str) -> Floats:
        """The distance of each class."""
        how = self.distance
        if how == "auto":
            how = "hierarchy" if values.hierarchy else "nominal" if values.kind == "nominal" else "ordered"
        if how == "hierarchy" and not values.hierarchy:
            raise BadInput(f"distance='hierarchy' needs a hierarchy of {name!r}; state one, or use 'nominal'")
        labels = group_rows(keys)[0]
        if how == "ordered":
            return class_distance(labels, np.where(values.missing, -np.inf, values.data.astype(np.float64)), True)
        codes = np.unique(values.data, return_inverse=True)[1] if values.levels is None else values.data
        if how == "nominal":
            return class_distance(labels, np.asarray(codes), False)
        return class_distance_in_tree(labels, np.asarray(codes), values)


def class_distance_in_tree(labels: Ints, codes: Ints, values: Values) -> Floats:
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


def _members(
    paths: dict[int, tuple[Hashable, ...]], present: Ints, path: tuple[Hashable, ...], level: int
) -> list[int]:
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
