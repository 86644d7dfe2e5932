"""An original and its release as files that are taken in blocks: what measures ask of them, by passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa

from microveil.core.arrays import Floats, Ints, Matrix
from microveil.core.errors import BadInput
from microveil.data import frames
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.engines.counted_rows import CountedRows
from microveil.engines.files import BLOCK_ROWS, Block, Files
from microveil.engines.linked_sample import LinkedSample, draw_linked, drawn, picked
from microveil.engines.linking import Linking
from microveil.engines.ranks_in_blocks import find_stretches, values_at
from microveil.engines.scales_in_blocks import WholeScales, find_scales
from microveil.engines.workers import HERE, Workers
from microveil.kernels.moments.powers import PowerSums
from microveil.kernels.summaries.complete import CompleteSums, complete_rows, usable_ends
from microveil.kernels.summaries.extremes import Extremes
from microveil.kernels.summaries.summary import Summary
from microveil.kernels.summaries.together import Together
from microveil.measure import Pair
from microveil.measure.in_blocks import SIDES, RankPlaces, Rescale, Side, SomeLinked
from microveil.measure.pair import like_original

if TYPE_CHECKING:
    from microveil.engines.scanning import Scan

T = TypeVar("T")
S = TypeVar("S", bound=Summary)
_ROUNDING = 1e-9  # of a record: products such as 0.15 * 1080 are not whole numbers in binary


Working = Callable[[], AbstractContextManager[Workers]]


@contextmanager
def working_here() -> Iterator[Workers]:
    """One thread of this process."""
    yield HERE


@dataclass(frozen=True)
class PairOfFiles:
    """Scanned files beside those of a release; whoever works on blocks finds the same.

    `known` is what a release knows of how it was made: arguments of a `Pair`.
    """

    source: Scan
    released: Files
    columns: tuple[str, ...]
    linking: Linking | None = None
    known: Mapping[str, Any] = field(default_factory=dict)
    single: bool = False
    working: Working = field(default=working_here, repr=False)

    @classmethod
    def of(
        cls,
        source: Scan,
        released: Files | None,
        columns: Sequence[str] | None,
        linking: Linking | None = None,
        known: Mapping[str, Any] | None = None,
        working: Working = working_here,
    ) -> PairOfFiles:
        """Scanned files beside others, or alone; seen through these columns, or those that both have and that count."""
        other = source.files if released is None else released
        common = [name for name in source.columns if name in other.schema.names]
        if not common:
            raise BadInput(f"the two files share no column: {list(source.columns)[:8]} and {other.schema.names[:8]}")
        if columns is not None:
            check_names(tuple(columns), common, "columns")
        chosen = tuple(columns) if columns is not None else tuple(n for n in common if n in source.facts.names())
        return cls(source, other, chosen, linking, known or {}, released is None, working)

    def alone(self) -> PairOfFiles:
        """The original by itself."""
        return replace(self, released=self.source.files, linking=None, known={}, single=True)

    # -- what is known --------------------------------------------------------------------------------

    @cached_property
    def head(self) -> Pair:
        """The pair with one record of each file."""
        before = self.source.facts
        after = before if self.single else self._as_released(next(self.released.blocks(1)).table)
        nobody = self.linking is not None and self.linking.made
        link = np.full(1, -1 if nobody else 0, dtype=np.int64) if self.is_linked else None
        strata = tuple(name for name in before.names("stratum") if name in after.columns)
        return Pair(before, after, link, self.columns, one_file=self.single, strata=strata, **self.known)

    @cached_property
    def _facts_of_released(self) -> Microdata:
        """What is known of released columns; weights and households that were not made with the records are none."""
        facts = self.source.facts
        if self.linking is None or not self.linking.made:
            return facts
        kept = self.known["plan"].changed
        return facts.with_(roles={name: None for name in facts.names("weight", "household") if name not in kept})

    def _as_released(self, table: pa.Table) -> Microdata:
        return like_original(self._facts_of_released, table)

    @property
    def records(self) -> tuple[int, int]:
        """How many records the original and the protected file have."""
        return self.source.n, self.released.rows

    @property
    def is_linked(self) -> bool:
        """Whether it is known which rows belong together."""
        return self.linking is not None or self.single

    # -- counts ---------------------------------------------------------------------------------------

    def counted(self, names: Sequence[str]) -> Pair:
        """The protected file with each different row of some columns once, and how many records it stands for."""
        own = self._facts_of_released.names("weight")
        weight = next((name for name in own if name in self.released.schema.names), None)
        return self._once(("counted", tuple(names)), lambda: self._counted(tuple(names), weight))

    def counted_as_they_are(self, names: Sequence[str]) -> Pair:
        """The same with weights as values like others."""
        return self._counted(tuple(names), None)

    def _counted(self, names: tuple[str, ...], weight: str | None) -> Pair:
        chosen = tuple(dict.fromkeys(name for name in names if name != weight))
        read = [*chosen, *([] if weight is None else [weight])]
        # a file of which only the number of records is asked still has to be read in some column
        found = self._gather(
            self.released,
            read or self.released.schema.names[:1],
            lambda block: CountedRows.of(block.table, chosen, weight),
        )
        table = found.rows
        if weight is not None:
            table = table.append_column(weight, pa.array(found.weights))
        head = self.head
        after = self._as_released(table)
        before = after if self.single else self._with_order(chosen)
        return replace(
            head, before=before, after=after, link=None, columns=tuple(names), counts=found.records, strata=()
        )

    def _with_order(self, names: Sequence[str]) -> Microdata:
        """The original's first record, so often that some columns show all of their levels, whose order tells."""
        facts = self.source.facts
        ordered = [name for name in names if facts.kinds[name] == "ordinal" and name not in self.head.strata]
        if not ordered:
            return facts
        with self.working() as workers:
            known = self.source.worked_by(workers).known
            known.find_levels(ordered)
            values = {name: known.levels(name).values for name in ordered}
        rows = max(map(len, values.values()))
        if not rows:
            return facts
        record: pa.Table = facts.narwhal.to_arrow()
        first = record.take(pa.array(np.zeros(rows, dtype=np.int64)))
        for name, own in values.items():
            kind = first.schema.field(name).type
            shown = pa.concat_arrays([own, pa.nulls(rows - len(own), own.type)]).cast(kind)
            first = first.set_column(first.column_names.index(name), name, shown)
        return facts.with_(first)

    # -- sums -----------------------------------------------------------------------------------------

    def sums(self, side: Side, names: Sequence[str]) -> CompleteSums:
        """Sums over the complete records of some amounts."""
        ends = self._ends(side, tuple(names))
        found: CompleteSums = self._once(
            ("sums", side, tuple(names)),
            lambda: self.of_amounts(side, names, lambda _, X: CompleteSums.of(X, ends)),
        )
        return found

    def powers(self, side: Side, names: Sequence[str], start: Floats, shift: Floats, per_scale: Floats) -> PowerSums:
        """Sums of powers of the complete records about start + shift, in units of a scale."""
        low, high = usable_ends(self._ends(side, tuple(names)))
        found: PowerSums = self.of_amounts(
            side, names, lambda _, X: PowerSums.of(complete_rows(X), start, shift, per_scale, low, high)
        )
        return found

    def _ends(self, side: Side, names: tuple[str, ...]) -> Extremes:
        """The smallest and largest values of complete records."""
        found: Extremes = self._once(
            ("ends", side, names),
            lambda: self.of_amounts(side, names, lambda _, X: Extremes.of(complete_rows(X))),
        )
        return found

    # -- ranks ----------------------------------------------------------------------------------------

    def ranks_of_released(self, names: Sequence[str], shares: Floats) -> list[RankPlaces]:
        """Where quantiles of the protected file stand in the original, each file without its incomplete records."""
        complete = self._complete_amounts("after", names)
        stretches = find_stretches(complete, len(names), self.records[1])
        size = stretches[0].observed
        at = np.maximum(np.ceil(size * shares - _ROUNDING).astype(np.int64), 1) - 1
        values = values_at(complete, stretches, at)
        found = self._complete_amounts("before", names)(
            lambda _, X: Together({j: _Below.of(values[j], X[:, j]) for j in range(len(names))})
        ).parts
        return [RankPlaces(found[j].below, found[j].up_to, found[j].records) for j in range(len(names))]

    def _complete_amounts(self, side: Side, names: Sequence[str]) -> Callable[..., Any]:
        return lambda look: self.of_amounts(side, names, lambda first, X: look(first, complete_rows(X)))

    # -- linkage --------------------------------------------------------------------------------------

    def scaling(self, names: Sequence[str], standardise: str, scale: str) -> Rescale:
        """How amounts of some records of both files are brought on the scale of all."""
        found = self._scales(tuple(name for name in names if self._is_amount(name)), scale)
        return found.rescale(standardise)

    def _scales(self, names: tuple[str, ...], scale: str) -> WholeScales:
        sides: dict[Side, Any] = {side: (lambda look, side=side: self.of_amounts(side, names, look)) for side in SIDES}
        found: WholeScales = self._once(
            ("scales", names, scale), lambda: find_scales(sides, names, scale, self.records)
        )
        return found

    def sampled(self, names: Sequence[str]) -> Pair | str:
        """A random sample of originals with their released records, in some columns; or why there is none."""
        sample = self._sample(tuple(names))
        return sample if isinstance(sample, str) else sample.pair(self.head, tuple(names))

    def linked(self, names: Sequence[str], searched: Side, of: Callable[[SomeLinked], S]) -> S:
        """What is found of the sample in all blocks of the file that is searched."""
        sample = self._sample(tuple(names))
        if isinstance(sample, str):
            raise BadInput(sample)
        head = self.head
        files = self.released if searched == "after" else self.source.files

        def look(block: Block) -> S:
            return of(sample.beside(head, tuple(names), block.table, searched))

        return self._gather(files, list(names), look)

    def beside_originals(self, names: Sequence[str], sample: Side, of: Callable[[int, Pair], S]) -> S:
        """What is found of a random sample of released records, or of the first half of the originals, among all."""
        head, chosen = self.head, tuple(names)
        rows = self._once(("rows", sample, chosen), lambda: self._some(sample, chosen))
        released = self._facts_of_released

        def look(block: Block) -> S:
            before = head.before.with_(block.table)
            after = like_original(released, rows) if sample == "after" else head.before.with_(rows)
            pair = replace(head, before=before, after=after, link=None, columns=chosen)
            return of(block.first, pair)

        return self._gather(self.source.files, list(names), look)

    def _some(self, side: Side, names: tuple[str, ...]) -> pa.Table:
        files, rows = (self.released, self.records[1]) if side == "after" else (self.source.files, self.source.n // 2)
        with self.working() as workers:
            return picked(files, drawn(rows, f"some of {side}"), names, workers)

    def _sample(self, names: tuple[str, ...]) -> LinkedSample | str:
        linking = self.linking
        if linking is None:
            return "nobody knows which rows of the two files belong together"
        return self._once(("sample", names), lambda: self._draw(names, linking))

    def _draw(self, names: tuple[str, ...], linking: Linking) -> LinkedSample | str:
        levels = [name for name in names if not self._is_amount(name)]
        with self.working() as workers:
            return draw_linked(self.source.worked_by(workers), self.released, linking, names, levels, workers)

    def _is_amount(self, name: str) -> bool:
        head = self.head
        return head.before.kinds[name] == "continuous" and not head.recoded(name) and name not in head.strata

    # -- passes ---------------------------------------------------------------------------------------

    def _once(self, key: Any, find: Callable[[], T]) -> T:
        """What was found by passes before, or is found now and kept."""
        if key not in self._found:
            self._found[key] = find()
        found: T = self._found[key]
        return found

    @cached_property
    def _found(self) -> dict[Any, Any]:
        return {}

    def of_blocks(self, side: Side, names: Sequence[str], of: Callable[[pa.Table], S]) -> S:
        """What is gathered of some columns of a file."""
        files = self.source.files if side == "before" else self.released
        return self._gather(files, list(names), lambda block: of(block.table))

    def of_amounts(self, side: Side, names: Sequence[str], look: Callable[[int, Matrix], Any]) -> Any:
        """What is gathered of some amounts of a file; `look` is told how many records stand before a block."""
        files = self.source.files if side == "before" else self.released
        schema = self.source.facts.schema

        def of(block: Block) -> Any:
            frame = frames.open_frame(block.table)
            columns = [frames.continuous_values(frame.get_column(n), n, schema[n].missing).numbers for n in names]
            return look(block.first, np.column_stack(columns) if columns else np.zeros((block.table.num_rows, 0)))

        return self._gather(files, list(names), of)

    def _gather(self, files: Files, names: Sequence[str], of: Callable[[Block], S]) -> S:
        with self.working() as workers:
            return workers.gather(files, BLOCK_ROWS, names, of)


@dataclass(frozen=True)
class _Below:
    """How many values lie below some numbers, and below or at them."""

    below: Ints
    up_to: Ints
    records: int

    @classmethod
    def of(cls, numbers: Floats, x: Floats) -> _Below:
        rising = np.sort(x)
        return cls(np.searchsorted(rising, numbers, "left"), np.searchsorted(rising, numbers, "right"), len(x))

    def merge(self, other: _Below) -> _Below:
        return _Below(self.below + other.below, self.up_to + other.up_to, self.records + other.records)
