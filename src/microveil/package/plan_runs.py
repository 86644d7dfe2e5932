"""The plan of a project run on the original several times: what files that it made look like."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from microveil.data.canonical import plain
from microveil.data.microdata import Microdata
from microveil.io.rounding import round_release
from microveil.kernels.tables.classes import group_rows
from microveil.mask import Sample
from microveil.measure import Pair
from microveil.measure.keys import common_codes
from microveil.plan.plan import Plan
from microveil.run.contract import Step
from microveil.run.release import Release

RUNS = 9  # of a small file; more would tell little more
FEW_RUNS = 2  # of a large one, whose many records tell enough
_LARGE = 5_000  # records
_MOSTLY = 0.5  # of the records of a file, that those of the runs must have before the rest is strange


@dataclass(frozen=True)
class PlanRuns:
    """Files as the plan gives them, under keys of their own, and the columns that its steps act on.

    `fixed`: nothing was drawn, so that each run gives the same records; one of them stands for all. `full` is what the
    plan gives where it takes all records, of one that samples them.
    """

    files: tuple[Microdata, ...]
    acted: frozenset[str]
    fixed: bool
    perturbed: frozenset[str] = frozenset()
    full: Microdata | None = None

    @classmethod
    def of(cls, steps: Sequence[Step], original: Microdata) -> PlanRuns:
        """Run the steps as often as it takes; who audits pays for it once."""
        plan = Plan(list(steps))
        wanted = RUNS if original.n <= _LARGE else FEW_RUNS
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about releases that nobody gets
            first, second = plan.run(original), plan.run(original)
            fixed = _table(first).equals(_table(second))
            more = [] if fixed else [plan.run(original) for _ in range(wanted - FEW_RUNS)]
            full = _of_all_records(steps, original)
        acted = {*first.changed, *(name for record in first.steps for name in record.columns)}
        files = [first] if fixed else [first, second, *more]
        perturbed = frozenset(str(name) for run in files for name in run.perturbed)
        return cls(tuple(map(_as_written, files)), frozenset(map(str, acted)), fixed, perturbed, full)

    @cached_property
    def count(self) -> int:
        """How many runs they stand for."""
        return RUNS if self.fixed else len(self.files)

    @cached_property
    def records(self) -> int | None:
        """How many records the plan gives, where that is no matter of chance."""
        counts = {one.n for one in self.files}
        return counts.pop() if len(counts) == 1 else None

    def gives(self, data: Microdata, names: Sequence[str]) -> bool:
        """Whether nothing is drawn, and most records of a file are those of the plan: no other has a place in it."""
        if not self.fixed:
            return False
        ours, theirs = Pair.of(self.files[0], data, linked=False).tables(names)
        ours_coded, theirs_coded = common_codes(ours, theirs)
        labels = group_rows(np.vstack([ours_coded, theirs_coded]))[0]
        return bool(np.isin(labels[len(ours_coded) :], labels[: len(ours_coded)]).mean() >= _MOSTLY)


def _of_all_records(steps: Sequence[Step], original: Microdata) -> Microdata | None:
    """What the plan gives without the steps that take some of the records; None where it has none of them."""
    others = [step for step in steps if not isinstance(step.method, Sample)]
    if len(others) == len(steps):
        return None
    return _as_written(Plan(others).run(original)) if others else original


def _table(release: Release) -> pa.Table:
    """A release as a table; numbers of households are drawn anew."""
    homes = [str(name) for name, role in release.original.roles.items() if role == "household"]
    table = release.narwhal.to_arrow()
    return table.drop_columns([name for name in homes if name in table.column_names])


def _as_written(run: Release) -> Microdata:
    """A release with the digits that a file of it would have: rounded amounts are nearer to others."""
    rounded, table = round_release(run), run.narwhal.to_arrow()
    for place, name in enumerate(table.column_names):
        table = table.set_column(place, name, rounded.put_back(plain(table[name]), name, []))
    return Microdata(table)
