"""l-diversity: how many confidential values a class of equal keys leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.measured import Better, Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid, Range
from microveil.kernels.tables.classes import group_rows
from microveil.kernels.tables.diversity import class_diversity
from microveil.kernels.tables.over_records import count_records
from microveil.measure import Pair
from microveil.measure.in_blocks import PairInBlocks
from microveil.measure.keys import Sensitive, choose_targets
from microveil.risk.base import KeyRisk


@dataclass(frozen=True, kw_only=True)
class LDiversity(KeyRisk, name="l-diversity"):
    """The number of well-represented confidential values in the least diverse class of equal keys.

    Use it beside k-anonymity: k equal records protect little if all have the same illness. `distinct`
    counts values, `entropy` is the exponential of their entropy, `recursive` the largest l for which the
    most frequent value is less than c times as frequent as all from the l-th on. Missing values are values.
    Reference: Machanavajjhala et al. 2007; p-sensitivity (Truta & Vinay 2006) is the distinct kind.
    """

    better: ClassVar[Better] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    counts_alike: ClassVar[bool] = True
    unit: ClassVar[str] = "values"
    title: ClassVar[str] = "l-diversity"
    reference: ClassVar[str] = "Machanavajjhala et al. 2007"

    targets: Sensitive = None
    kind: Annotated[
        Literal["distinct", "entropy", "recursive"],
        Grid(("distinct", "entropy", "recursive")),
        "how values are counted",
    ] = "distinct"
    c: Annotated[float, Range(gt=0), "constant of the recursive kind"] = 2.0
    multi: Annotated[bool, "with several confidential columns, require it within every value of the others too"] = False

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        targets = choose_targets(pair, self.targets, pair.columns)
        if not targets:
            return self.not_applicable(
                "no column has the role confidential; give it to one, or name it with targets=[...]"
            )
        worst = {name: (self.records_of(pair, name, targets), pair.counts_after) for name in targets}
        return self._told(worst, self.key_notes(pair))

    def in_blocks(self, files: PairInBlocks) -> Measured | NotApplicable:
        keys = self.choose(files.head)
        targets = choose_targets(files.head, self.targets, keys)
        if self.why_not(files.head) or not targets:
            return self.on(files.head)  # which says why
        worst = {}
        for name in targets:
            # one after the other: together they hardly ever have equal rows
            pair = files.counted((*keys, *(targets if self.multi else (name,)))).only(keys)
            worst[name] = self.records_of(pair, name, targets), pair.counts_after
        return self._told(worst, self.key_notes(files.head.only(keys)))

    def _told(self, worst: Mapping[str, tuple[Floats, Ints | None]], notes: tuple[str, ...]) -> Measured:
        """The figure, from the diversity of each confidential column in the class of each row."""
        value = min(float(found.min()) for found, _ in worst.values())
        parts = {name: float(found.min()) for name, (found, _) in worst.items()}
        parts |= {f"records below 2: {name}": float(count_records(*_below(found))) for name, found in worst.items()}
        least = min(worst, key=lambda name: worst[name][0].min())
        reading = (
            f"In the least diverse group of equal keys {least} shows {format_number(value)}"
            f" value{'s' if value != 1 else ''}" + (": it is revealed." if value <= 1 else ".")
        )
        return self.measured(value, parts=parts, reading=reading, notes=notes)

    def records_of(self, pair: Pair, target: str, targets: tuple[str, ...] = ()) -> Floats:
        """The diversity of one confidential column in the class of each record; `pair` shows the keys."""
        keys = pair.columns + (tuple(name for name in targets if name != target) if self.multi else ())
        codes = pair.tables((*keys, target))[1].codes()
        labels = group_rows(codes[:, :-1])[0]
        return class_diversity(labels, codes[:, -1], self.kind, self.c, pair.counts_after)[labels]


def _below(found: tuple[Floats, Ints | None]) -> tuple[Bools, Ints | None]:
    return found[0] < 2, found[1]
