"""t-closeness: how far the confidential values of a class are from those of the whole file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, cast

from microveil.claims.anonymity import Distance, choose_distance
from microveil.core.arrays import Floats, Ints
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid
from microveil.data.sensitive import SensitiveValues
from microveil.data.table import Values
from microveil.kernels.tables.classes import group_rows
from microveil.kernels.tables.closeness import class_distance, class_distance_in_tree
from microveil.measure import Pair
from microveil.measure.in_blocks import PairInBlocks
from microveil.measure.keys import Sensitive, choose_targets
from microveil.risk.base import KeyRisk


@dataclass(frozen=True, kw_only=True)
class TCloseness(KeyRisk, name="t-closeness"):
    """The largest distance between the confidential values of a class of equal keys and those of the file.

    Use it where even a shifted distribution tells too much. The distance is the earth mover's: half the
    sum of differences for nominal values, over ranks of distinct values for ordinal and continuous ones,
    along the tree for values with a hierarchy. A missing value is a value of its own, below all others where they have
    an order: the distance is the one that `KAnonymise` and `Lattice` promise with `t`.
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
        return self._told({name: self._farthest(pair, name) for name in targets}, self.key_notes(pair))

    def in_blocks(self, files: PairInBlocks) -> Measured | NotApplicable:
        keys = self.choose(files.head)
        targets = choose_targets(files.head, self.targets, keys)
        if self.why_not(files.head) or not targets:
            return self.on(files.head)  # which says why
        parts = {name: self._farthest(files.counted((*keys, name)).only(keys), name) for name in targets}
        return self._told(parts, self.key_notes(files.head.only(keys)))

    def _farthest(self, pair: Pair, name: str) -> float:
        """The largest distance of a class from all in one confidential column."""
        table = pair.tables((*pair.columns, name))[1]
        found = self._distances(table.codes(pair.columns), table[name], name, pair.counts_after)
        return float(found.max(initial=0.0))

    def _told(self, parts: Mapping[str, float], notes: tuple[str, ...]) -> Measured:
        value = max(parts.values())
        farthest = max(parts, key=lambda name: parts[name])
        reading = (
            f"Knowing the keys moves what one would guess about {farthest} by at most {format_number(value, 2)}"
            " (0: learns nothing, 1: everything)."
        )
        return self.measured(value, parts=parts, reading=reading, notes=notes)

    def _distances(self, keys: Ints, values: Values, name: str, records: Ints | None) -> Floats:
        """The distance of each class."""
        stated: dict[str, Distance | None] = {"auto": None, "nominal": "equal"}
        how = choose_distance(
            stated.get(self.distance, cast(Distance, self.distance)), name, values.kind, bool(values.hierarchy)
        )
        labels = group_rows(keys)[0]
        column = SensitiveValues.of_values(values, how)
        if how == "hierarchy":
            return class_distance_in_tree(labels, column.codes, column.tree, records)
        return class_distance(labels, column.codes, how == "ordered", records)
