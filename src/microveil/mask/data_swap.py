"""Data swapping: categories exchanged between records while tables stay."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar

import numpy as np

from microveil.claims import PERMUTE, Claim, TableKept, ValuesKept
from microveil.core.arrays import Codes
from microveil.core.errors import BadInput
from microveil.core.parameters import GIVEN, Example, OfColumns, Range, Safer, When
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.data.table import Table
from microveil.mask.base import Mask
from microveil.run.method import Job, Outcome, Step

_TRIALS = 200  # per record to be moved


@dataclass(frozen=True, kw_only=True)
class DataSwap(Mask, name="data-swap"):
    """Exchange the categories of some columns between pairs of records that agree on the `match` columns.

    Use it to make categories uncertain while the joint table of the swapped with the match columns stays
    exactly; tables with columns outside are blurred. With `order` t only the tables of the swapped columns
    with every t - 1 match columns are kept (up to `tolerance` in total), so that more records can move.
    Records alone in their match cell stay; the share reached is reported.
    """

    rate: Annotated[
        float, Range(ge=0, le=1, grid=(0.1, 0.5)), Safer("twice"), "largest share of records that take part"
    ] = 0.1
    match: Annotated[tuple[str, ...], OfColumns(), Example(["region", "sex"]), "columns on which partners agree"] = ()
    order: Annotated[int | None, Range(ge=2), "keep only tables of so many attributes"] = None
    tolerance: Annotated[int, Range(ge=0), When(order=GIVEN), "total change allowed in these tables"] = 0
    different: Annotated[bool, "pair records with different categories where possible"] = True

    kinds: ClassVar[tuple[str, ...]] = ("ordinal", "nominal")
    change: ClassVar[str] = PERMUTE
    spares: ClassVar[bool] = True
    reference = "Dalenius & Reiss 1982; Reiss 1984; Fienberg & McIntyre 2004"

    def validate(self) -> None:
        """The order counts match columns."""
        if self.order is not None and self.order - 1 > len(self.match):
            raise BadInput(
                f"order={self.order} needs at least {self.order - 1} match columns; there are {len(self.match)}"
            )

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """The tables that are kept, and the values of every column."""
        kept = [ValuesKept(), TableKept(columns=columns)]
        if self.order is None:
            return (*kept, TableKept(columns=(*columns, *self.match))) if self.match else tuple(kept)
        tables = [(*columns, *some) for some in combinations(self.match, self.order - 1)]
        return (*kept, *(TableKept(columns=names) for names in tables)) if self.tolerance == 0 else tuple(kept)

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The columns to swap; beside them the match columns and nothing else."""
        if step.given:
            raise BadInput(f"{self.name} reads the columns named in match; leave given out")
        check_names(self.match, list(data.columns), "match")
        taken = {*self.match, *step.by}
        chosen = self._default_columns(data, taken) if step.columns is None else super().resolve(data, step)[0]
        both = [name for name in self.match if name in chosen]
        if both:
            raise BadInput(f"{both} are both swapped and matched on; name each once")
        return chosen, {name: data.kinds[name] for name in self.match}

    def run(self, table: Table, job: Job) -> Outcome:
        """Swap, and report how many records moved."""
        from microveil.kernels.tables.classes import group_rows

        codes = table.codes()
        tuples = group_rows(codes)[0]
        generator = job.streams.generator()
        if self.order is None:
            cells = group_rows(job.given.codes())[0] if self.match else np.zeros(table.rows, dtype=np.int64)
            source = pair_records(tuples, cells, self.rate, self.different, generator)
        else:
            source = self._by_order(tuples, job.given, generator)
        swapped = codes[source]
        share = float((tuples[source] != tuples).mean())
        note = (
            f"{100 * share:.3g} % of the records have other values; at most {100 * self.rate:.3g} % were to take part"
        )
        columns = {
            name: values.with_data(swapped[:, j].copy()) for j, (name, values) in enumerate(table.columns.items())
        }
        return Outcome(columns, notes=(note,))

    def _by_order(self, tuples: Codes, given: Table, generator: np.random.Generator) -> Codes:
        from microveil.kernels.tables.classes import group_rows
        from microveil.kernels.tables.swap import swap_keeping_tables

        n = len(tuples)
        crossed = [group_rows(given.codes(some))[0] for some in combinations(self.match, (self.order or 2) - 1)]
        others = np.ascontiguousarray(np.column_stack(crossed))
        wanted = int(self.rate * n)
        draws = generator.random((max(1, _TRIALS * wanted), 4))
        new = swap_keeping_tables(tuples, others, others.max(axis=0) + 1, draws, wanted, self.tolerance)
        # any record that had the new tuple may stand for it: only the tuples are copied
        position = np.empty(int(tuples.max()) + 1, dtype=np.int64)
        position[tuples] = np.arange(n)
        return np.asarray(position[new])


def pair_records(tuples: Codes, cells: Codes, rate: float, different: bool, generator: np.random.Generator) -> Codes:
    """For each record the record whose values it gets: disjoint random pairs inside cells.

    Not more than the share `rate` of all records is paired; cells share the pairs in proportion to their size.
    """
    n = len(tuples)
    source = np.arange(n)
    number = int(cells.max()) + 1
    order = generator.permutation(number)
    sizes = np.bincount(cells, minlength=number)
    quota = np.zeros(number, dtype=np.int64)
    quota[order] = np.diff(np.floor(np.cumsum(rate * sizes[order] / 2) + 1e-9), prepend=0.0).astype(np.int64)
    shuffled = generator.permutation(n)
    by_cell = (
        shuffled[np.lexsort((tuples[shuffled], cells[shuffled]))]
        if different
        else shuffled[np.argsort(cells[shuffled], kind="stable")]
    )
    start = np.cumsum(sizes) - sizes
    for cell in np.flatnonzero(quota).tolist():
        members = by_cell[start[cell] : start[cell] + sizes[cell]]
        half = len(members) // 2
        # sorted by value, partners half the cell apart differ unless one value fills more than half
        left, right = members[:half], members[len(members) - half :]
        if different:
            useful = np.flatnonzero(tuples[left] != tuples[right])
            left, right = left[useful], right[useful]
        chosen = generator.permutation(len(left))[: quota[cell]]
        source[left[chosen]], source[right[chosen]] = right[chosen], left[chosen]
    return source
