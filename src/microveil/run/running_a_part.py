"""A method runs on some records: what it makes of them, what it claims, and that it leaves what it was given alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from microveil.core.errors import BrokenPromise
from microveil.data.table import Table
from microveil.run.contract import MethodContract
from microveil.run.found_before import FoundBefore
from microveil.run.job import Job, Outcome
from microveil.run.parts import Part, Ran, Run


def run_alone(method: MethodContract, run: Run, part: Part) -> Ran:
    """What a method makes of one part by `run`, where others are not in memory."""
    marks = mark_of(part.table, part.job.given)
    ran = part.ran(lambda table, job: with_claims(run(table, job), method, table.names))
    refuse_changed(method, marks, part.table, part.job.given)
    return ran


def outcome_of(method: MethodContract, table: Table, job: Job) -> Outcome:
    """What the method makes of some records, or what was found before to have become of them."""
    known = job.known.get(job.streams.path)
    return known.outcome(table, job) if isinstance(known, FoundBefore) else method.run(table, job)


def with_claims(outcome: Outcome, method: MethodContract, columns: tuple[str, ...]) -> Outcome:
    """The outcome with what the method claims, where the run says nothing else."""
    return outcome if outcome.claims is not None else replace(outcome, claims=method.claims(columns))


def mark_of(*tables: Table) -> list[bytes]:
    """What tells whether arrays were changed in place: their sums and some of their bytes."""
    columns = [values.data for table in tables for values in table.columns.values()]
    return [np.float64(data.sum()).tobytes() + data[:: max(1, len(data) // 64)].tobytes() for data in columns]


def refuse_changed(method: MethodContract, marks: list[bytes], *tables: Table) -> None:
    """End the run where a method changed the arrays it was given, of which these were the marks."""
    if mark_of(*tables) != marks:
        raise BrokenPromise(f"{method.name} changed the data it was given in place; nothing is released")


def numbers_in(table: Table, given: Table) -> Table:
    """The amounts among the columns that a step replaces and keeps."""
    columns = {**table.columns, **given.columns}
    return Table({name: values for name, values in columns.items() if values.levels is None}, table.rows)
