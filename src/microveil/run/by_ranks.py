"""Methods that, out of memory, learn from orders and sums what becomes of each record, or how new ones are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from microveil.core.arrays import Floats
from microveil.data.table import Table, Values
from microveil.run.afar import Afar, Rows
from microveil.run.engine import LocalEngine
from microveil.run.found_before import Made
from microveil.run.job import Job, Outcome
from microveil.run.method import Method
from microveil.run.parts import run_by_rows
from microveil.run.ranked import Ranked


@dataclass(frozen=True, kw_only=True)
class ByRanks(Method):
    """A method that takes all records at once where they are in memory, and else learns from their orders and sums.

    Both give the same bytes. What was learnt says what becomes of any records (`act`), or how new ones are made.
    """

    def learn(self, records: Ranked) -> Any:
        """What must be known of records that are not all in memory; a `Making` where new ones are made."""
        raise TypeError(f"{type(self).__name__} must implement learn()")

    def act(self, table: Table, job: Job, known: Any) -> Outcome:
        """What becomes of some records, given what is known of all."""
        raise TypeError(f"{type(self).__name__} must implement act()")

    def settle(self, found: Outcome, table: Table, job: Job, known: Any) -> Outcome:
        """What is told and claimed of all records together: from the tallies, since no column need be there."""
        return found

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """All records, which are in memory."""
        raise TypeError(f"{type(self).__name__} must implement run_whole()")

    def run(self, table: Table, job: Job) -> Outcome:
        """All at once, unless the table is a block of a file that was learnt from."""
        if job.streams.path in job.known:
            return run_by_rows(partial(self.act, known=job.known[job.streams.path]), table, job)
        return self.run_whole(table, job)


def replaced(table: Table, job: Job, found: Mapping[str, Rows]) -> dict[str, Values]:
    """Some records with new numbers in some columns; gaps stay."""
    columns = dict(table.columns)
    return {**columns, **{name: _with(columns[name], numbers(table, job)) for name, numbers in found.items()}}


def _with(values: Values, numbers: Floats) -> Values:
    observed = ~values.missing
    data = values.data.copy()
    data[observed] = numbers[observed, 0]
    return values.with_data(data)


@dataclass(frozen=True, kw_only=True)
class ByMaking(Method):
    """A method that makes records, and of records that are not all in memory learns how each new one is made."""

    def learn(self, records: Ranked) -> Making:
        """How new records are made."""
        raise TypeError(f"{type(self).__name__} must implement learn()")


@dataclass(frozen=True)
class Making:
    """Records that can be made at any time, each from its number; stands in `Job.known`."""

    records: int
    job: Job  # of the new records
    columns: Callable[[Table, Job], Mapping[str, Values]]
    told: Outcome = field(default_factory=lambda: Outcome({}))

    @classmethod
    def of(cls, made: Afar, columns: Callable[[Table, Job], Mapping[str, Values]], told: Outcome) -> Making:
        """Some records by what is known of all."""
        return cls(made.records, replace(made.job, engine=LocalEngine()), columns, told)

    def made(self, start: int, stop: int) -> Made:
        """The records from one number to another, which belong to no subdomain."""
        none = Table({}, stop - start)
        its = replace(self.job, streams=replace(self.job.streams, first=start), given=none, original=none)
        return Made(self.columns(none, its), np.full(stop - start, -1, dtype=np.int64), start)

    def outcome(self, table: Table, job: Job) -> Outcome:
        """Nothing became of the records that there were: none of them is asked for."""
        return Outcome({}, origin=np.zeros(0, dtype=np.int64), claims=self.told.claims)
