"""Methods that learn what they must know of all records, and then act on any of them by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from microveil.data.table import Table
from microveil.run.contract import depends
from microveil.run.job import Job, Outcome
from microveil.run.method import Method
from microveil.run.parts import run_by_rows


@dataclass(frozen=True, kw_only=True)
class ByRows(Method):
    """A method that learns (`learn`), then acts on some records at a time (`act`), and says at the end what it did.

    The engine of the run has the records: `learn` asks it for summaries, and it calls `act` with as many records at a
    time as it likes. Draws go by record position, so that the release is the same. A file larger than memory is
    learnt from once, by passes over it, and then `act` is called on blocks of it.
    """

    # whether `run` is as here, and `learn` takes nothing from its table but names, kinds, levels and the number of
    # records, and asks `job.engine.gather` for all else: then no more than a block of the file need be in memory
    gathers: ClassVar[bool] = True
    # whether the levels that columns get follow from the records it learnt from, so that subdomains have their own
    finds_levels: ClassVar[bool] = False

    def learn(self, table: Table, job: Job) -> Any:
        """What must be known of all records, by `job.engine.gather`; the table says their columns, kinds and levels."""
        return None

    def act(self, table: Table, job: Job, known: Any) -> Outcome:
        """What becomes of some records, given what is known of all."""
        raise TypeError(f"{type(self).__name__} must implement act()")

    def settle(self, found: Outcome, table: Table, job: Job, known: Any) -> Outcome:
        """What is told and claimed of all records together: from the tallies, since no column need be there."""
        return found

    def run(self, table: Table, job: Job) -> Outcome:
        """Learn, then act on some rows at a time; what was learnt of the whole file before is in the job."""
        if job.streams.path in job.known:
            return run_by_rows(partial(self.act, known=job.known[job.streams.path]), table, job)
        known = self.learn(table, job)
        return self.settle(run_by_rows(partial(self.act, known=known), table, job), table, job, known)


@dataclass(frozen=True, kw_only=True)
class ByRowsAfar(ByRows):
    """A method that takes all records at once where they are in memory (`run_whole`), and else goes by rows.

    Both give the same bytes: what `learn` gathers by many passes is computed at once where nothing is read again.
    """

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """All records, which are in memory."""
        raise TypeError(f"{type(self).__name__} must implement run_whole()")

    def run(self, table: Table, job: Job) -> Outcome:
        """All at once, unless the table is a block of a file that was learnt from."""
        return super().run(table, job) if job.streams.path in job.known else self.run_whole(table, job)


@dataclass(frozen=True, kw_only=True)
class ByCounts(ByRows):
    """A method that finds what becomes of a record from the different rows of the file and how many records have each.

    Some parameters may need the records themselves (`counts` is false): these are run all at once (`run_whole`), in
    memory only.
    """

    counts: ClassVar[bool] = True  # whether counts tell it
    gathers: ClassVar[bool] = depends(True, lambda method: method.counts)
    finds_levels: ClassVar[bool] = True

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """All records, where counts do not tell what becomes of them."""
        raise TypeError(f"{type(self).__name__} must implement run_whole()")

    def run(self, table: Table, job: Job) -> Outcome:
        """Learn, then act on all rows at once: classes are numbered through the whole file."""
        if job.streams.path in job.known:
            return self.act(table, job, job.known[job.streams.path])
        if not self.counts:
            return self.run_whole(table, job)
        known = self.learn(table, job)
        return self.settle(self.act(table, job, known), table, job, known)
