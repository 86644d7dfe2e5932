"""What became of records in steps that cannot be learnt: parts of the file that fit into memory are run one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from microveil.claims import Claim
from microveil.core.errors import BadInput
from microveil.engines.asked_job import header, job_of
from microveil.engines.asking import ask_together
from microveil.engines.by_order import OrderedColumns
from microveil.engines.held import Became, BecameByColumns
from microveil.engines.holding import Gathered, Run, hold
from microveil.engines.part_rows import Called, PartRows
from microveil.engines.refusing import goes_by_order, goes_in_cuts
from microveil.engines.workers import in_this_process
from microveil.run.by_cuts import ByCuts, Cuts, join_told
from microveil.run.contract import MethodContract, Step
from microveil.run.job import Outcome
from microveil.run.parts import Ran
from microveil.run.running_a_part import run_alone
from microveil.run.state import Doing, Domain, Path

if TYPE_CHECKING:
    from microveil.engines.passing import InBlocks, Passed

_ONE_BLOCK = 1 << 20  # records that are taken as one block where they cannot be cut


@dataclass(frozen=True)
class Finding:
    """A step on a file in blocks, with how many records each subdomain has and the columns that it looks at."""

    passing: InBlocks
    step: Step
    path: Path
    head: Doing
    rows: PartRows
    sizes: Mapping[int, int]
    columns: frozenset[str]

    def found(self) -> Mapping[int, Became | BecameByColumns]:
        """What became of the records of each subdomain: run by itself, by columns, or in blocks of records."""
        if self.step.by:
            return self._in_subdomains()
        if not goes_in_cuts(self.step):
            return {-1: self._by_columns()}
        cuts = self._cuts()
        if cuts is not None:
            return {-1: self._in_cuts(cuts)}
        if self.sizes[-1] > _ONE_BLOCK:
            raise BadInput(
                f"{self.step.method.name} cannot cut the file into blocks, since nearly all records are alike there; "
                "leave it out, or run with engine='memory'"
            )
        return {-1: self._in_one_block()}

    def _by_columns(self) -> BecameByColumns:
        if goes_by_order(self.step) and self.sizes[-1] > self.passing.order_in_memory:
            return OrderedColumns(self, self._folder).found()
        self._folder.mkdir()
        found = {}
        for number, (name, values) in enumerate(self.rows.tables["table"].items()):
            rows = replace(self.rows, tables={**self.rows.tables, "table": {name: values}})
            # a whole column is no work for a task, whose memory is that for some blocks
            here = replace(self.passing, workers=in_this_process(self.passing.workers))
            own = replace(self, rows=rows, passing=here)
            (found[name],) = own._in_subdomains(self._folder / str(number)).values()
        return BecameByColumns(
            found, join_columns_told(self.step.method, {name: one.told for name, one in found.items()})
        )

    def _in_subdomains(self, folder: FilePath | None = None) -> Mapping[int, Became]:
        def of(passed: Passed) -> pa.Table:
            doing = self.passing.doing(passed, self.step, self.path)
            return self.rows.to_table(passed.state, doing, passed.state.block_domains(doing))

        labels, method = self.passing.labels(self.step), self.step.method
        what = Gathered(self.sizes, lambda number: Called.domain(labels[number]), self.rows, self.passing.source.n)
        run = partial(run_alone, method, method.run)
        return self._hold(of, what, run, folder or self._folder)

    def _in_one_block(self) -> Became:
        """What became of all records where the file is one block: the first of those that promises are judged in."""

        def of(passed: Passed) -> pa.Table:
            doing = self.passing.doing(passed, self.step, self.path)
            whole = [domain._replace(number=0) for domain in passed.state.block_domains(doing)]
            return self.rows.to_table(passed.state, doing, whole)

        method, called = self.step.method, Called.domain(self.passing.labels(self.step)[-1])
        what = Gathered({0: self.sizes[-1]}, lambda _: called, self.rows, self.passing.source.n)
        return self._hold(of, what, partial(run_alone, method, method.run), self._folder)[0]

    def _cuts(self) -> Cuts | None:
        method = self.step.method
        assert isinstance(method, ByCuts)
        return ask_together(
            {-1: lambda ask: method.cuts(header(self.head, self.sizes[-1]), job_of(self.head, "", ask))},
            lambda asked: self.passing.answers(self.step, self.path, asked, self.columns),
        )[-1]

    def _in_cuts(self, cuts: Cuts) -> Became:
        method = self.step.method
        assert isinstance(method, ByCuts)

        def of(passed: Passed) -> pa.Table:
            doing = self.passing.doing(passed, self.step, self.path)
            domains = passed.state.block_domains(doing)
            parts = []
            for domain, part in zip(domains, passed.state.parts(doing, domains), strict=True):
                numbers = cuts.blocks_of(part.table, part.job)
                parts += [Domain(one, "", domain.rows[numbers == one]) for one in np.unique(numbers).tolist()]
            return self.rows.to_table(passed.state, doing, parts)

        def called(number: int) -> Called:
            return Called(*cuts.called(number))

        sizes = dict(enumerate(cuts.sizes))
        what = Gathered(sizes, called, self.rows, self.passing.source.n, method.refuse_blocks)
        run = partial(run_alone, method, partial(method.run_block, cuts=cuts))
        found = self._hold(of, what, run, self._folder)
        none = np.zeros(0, dtype=np.int64)
        ran = [Ran(none, self.head.table.names, replace(one.told, origin=none)) for one in found.values()]
        told = join_told(ran, cuts)
        return Became(found[0].held, replace(told, origin=None))

    def _hold(self, of: Callable[[Passed], pa.Table], what: Gathered, run: Run, folder: FilePath) -> dict[int, Became]:
        """Run the parts, by those who work on the blocks; records are put into their files by this process."""
        here = replace(self.passing, workers=in_this_process(self.passing.workers))
        return hold(here.each(of, self.columns), what, run, folder, self.passing.workers)

    @property
    def _folder(self) -> FilePath:
        assert self.passing.folder is not None
        return self.passing.folder / f"step-{len(self.passing.learnt) + 1}"


def join_columns_told(method: MethodContract, told: Mapping[str, Outcome]) -> Outcome:
    """What is told of all columns: what the method claims of them together, where each was claimed all of its own.

    Else what is claimed of every one alike, and other claims on the columns of which they are made.
    """
    if all(one.claims == method.claims((name,)) for name, one in told.items()):
        claims = method.claims(tuple(told))
    else:
        claims = _claims_apart(told)
    notes = tuple(dict.fromkeys(note for one in told.values() for note in one.notes))
    tallies = Counter[str]()
    for one in told.values():
        tallies.update(one.tallies)
    return Outcome({}, notes=notes, claims=claims, tallies=tallies)


def _claims_apart(told: Mapping[str, Outcome]) -> tuple[Claim, ...]:
    claims: dict[Claim, tuple[str, ...]] = {}  # each without its columns, where it says of each by itself what it says
    for name, one in told.items():
        for claim in one.claims or ():
            alike = not claim.columns and all(claim in (other.claims or ()) for other in told.values())
            stated = claim if alike else claim.on((name,))
            if stated.by_column and stated.columns:
                bare = replace(stated, columns=())
                claims[bare] = (*claims.get(bare, ()), *stated.columns)
            else:
                claims[stated] = stated.columns
    return tuple(replace(claim, columns=columns) for claim, columns in claims.items())
