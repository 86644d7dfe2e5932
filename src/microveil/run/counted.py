"""The different rows of a file with how many records have each, by passes: what is found from counts is found once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.data.class_rule import NEEDS_WEIGHTS
from microveil.data.row_coding import RowCoding
from microveil.data.table import Table, Values
from microveil.kernels.summaries.order import Order
from microveil.kernels.summaries.rows import MOST_ROWS, CountedRows
from microveil.kernels.summaries.together import Together
from microveil.run.job import Job

_WEIGHT = "\0weight"  # no column is called so


@dataclass(frozen=True)
class CountedFile:
    """The different rows of all records in their order, and how many records have each.

    `table` holds the columns that a method replaces, `given` some of those it keeps, and `weights` those of a record.
    Rows that differ in any of them are different.
    """

    table: Table
    given: Table
    weights: Floats | None
    counts: Ints
    coding: RowCoding  # of `table` alone

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.counts.sum())

    @cached_property
    def keys(self) -> KeyRows:
        """The different rows of `table`, to look records up among them."""
        return KeyRows(self.coding, CountedRows.of(self.coding.words(self.table), self.counts))

    @property
    def first_of_keys(self) -> Ints:
        """The first row that has each of the key rows: rows of equal keys stand together."""
        places = self.keys.places(self.table)
        return np.searchsorted(places, np.arange(len(self.keys.rows.counts)))


@dataclass(frozen=True)
class KeyRows:
    """Different rows of the columns that a method replaces, in their order."""

    coding: RowCoding
    rows: CountedRows

    def table(self) -> Table:
        """The rows themselves."""
        return self.coding.table(self.rows.words)

    def places(self, table: Table) -> Ints:
        """Which of them each record is; every record must be one."""
        return self.rows.places(self.coding.words(table))


def count_rows(
    table: Table,
    job: Job,
    who: str,
    given: Iterable[str] = (),
    weighted: bool = False,
    columns: Sequence[str] | None = None,
) -> CountedFile:
    """The different rows of all records of a job, in one pass, and one before it where there are amounts among them.

    `columns`: those of the table that count, all if nothing is said.
    """
    own, kept = table.names if columns is None else tuple(columns), tuple(given)
    of = partial(_beside, own=own, kept=kept, weighted=weighted)
    header = _beside(table, job, own, kept, False)
    if weighted:
        header = Table({**header.columns, _WEIGHT: Values("continuous", np.zeros(0))}, header.rows)
    amounts = [name for name, values in header.columns.items() if values.levels is None]
    numbers: dict[str, Floats] = {}
    if amounts:
        orders = job.engine.gather(
            table, job, lambda some, its: Together({name: Order.of(of(some, its)[name].numbers) for name in amounts})
        ).parts
        numbers = {name: order.values for name, order in orders.items()}
    coding = RowCoding.of(header, numbers)
    found = job.engine.gather(table, job, lambda some, its: CountedRows.of(coding.words(of(some, its))))
    if found.too_many or any(len(values) > MOST_ROWS for values in numbers.values()):
        raise BadInput(
            f"{who} counts different rows of {', '.join(map(str, (*own, *kept)))}, which is done up to "
            f"{MOST_ROWS:,}, and there are more; recode columns with many values first (global-recode), round amounts, "
            "or give by=... to run it inside subdomains"
        )
    whole = coding.table(found.words)
    weights = whole[_WEIGHT].numbers if weighted else None
    keys = RowCoding({name: coding.columns[name] for name in own})
    return CountedFile(whole.only(own), whole.only(kept), weights, found.counts, keys)


def _beside(table: Table, job: Job, own: tuple[str, ...], kept: tuple[str, ...], weighted: bool) -> Table:
    """The columns that are counted, side by side."""
    columns = {**table.only(own).columns, **{name: job.given[name] for name in kept}}
    if weighted:
        if job.weights is None:
            raise BadInput(NEEDS_WEIGHTS)
        columns[_WEIGHT] = Values("continuous", job.weights)
    return Table(columns, table.rows)
