"""Steps that follow the order of each column, on files too long for a column in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from microveil.core.arrays import Ints
from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.engines.asked_job import header
from microveil.engines.held import BecameByColumns, Held
from microveil.engines.keeping import Keeping
from microveil.engines.ordering import Placed, Sampled, Sorting, in_one_pass, placed
from microveil.engines.part_rows import PLACE
from microveil.engines.workers import in_this_process
from microveil.kernels.summaries.together import Together
from microveil.run.by_order import ByOrder
from microveil.run.job import Job, Outcome

if TYPE_CHECKING:
    from microveil.engines.finding import Finding
    from microveil.engines.passing import Passed


@dataclass(frozen=True)
class BecameInOrder:
    """What became of the observed values of one column; gaps stay as they are."""

    held: Held
    told: Outcome

    def outcome(self, table: Table, job: Job) -> Outcome:
        """What became of the column in some records."""
        (name,) = self.held.columns
        own = table[name]
        observed = ~own.missing
        if not observed.any():
            return Outcome({name: own}, claims=self.told.claims)
        places = job.streams.places(table.rows)[observed]
        rows = self.held.rows(int(places[0]), int(places[-1]) + 1)
        rows = rows.filter(pa.array(np.isin(rows[PLACE].to_numpy(), places, assume_unique=True)))
        data = own.data.copy()
        data[observed] = self.held.values(rows)[name].data
        return Outcome({name: own.with_data(data)}, claims=self.told.claims)


@dataclass(frozen=True)
class OrderedColumns:
    """Runs a step column by column, each in its order on disk; `folder` holds what became of the records."""

    finding: Finding
    folder: Path

    def found(self) -> BecameByColumns:
        """What became of all records."""
        method, names = self._method, self.finding.head.table.names
        self.folder.mkdir()
        sampled = self.finding.passing.gather(self._sample, self.finding.columns).parts
        became: dict[str, Held] = {}
        for together in in_one_pass({name: sampled[name].files for name in names}):
            became |= self._run({name: sampled[name] for name in together})
        told = method.tell(Outcome({}), header(self.finding.head, self.finding.sizes[-1]))
        told = told if told.claims is not None else replace(told, claims=method.claims(names))
        return BecameByColumns({name: BecameInOrder(held, told) for name, held in became.items()}, told)

    @property
    def _method(self) -> ByOrder:
        method = self.finding.step.method
        assert isinstance(method, ByOrder)
        return method

    def _streams(self, streams: Streams, name: str) -> Streams:
        return replace(streams.at(name), positions=None, first=0)

    def _columns(self, passed: Passed, names: Sequence[str]) -> Mapping[str, Placed]:
        """Columns of one block as the step sees them."""
        doing = self.finding.passing.doing(passed, self.finding.step, self.finding.path)
        domains = passed.state.block_domains(doing)
        rows = np.concatenate([domain.rows for domain in domains]) if domains else np.zeros(0, dtype=np.int64)
        places = doing.job.streams.places(doing.table.rows)[rows]
        return {name: self._column(doing.table[name].take(rows), places, name) for name in names}

    def _column(self, values: Values, places: Ints, name: str) -> Placed:
        if self._method.ties != "drawn":
            return placed(values.numbers, places, None)
        streams = self._streams(self.finding.head.job.streams, name).at(*self._method.tie_path)
        return placed(values.numbers, places, streams)

    def _sample(self, passed: Passed) -> Together[str, Sampled]:
        records = self.finding.passing.source.n
        return Together(
            {
                name: Sampled.of(*column, records)
                for name, column in self._columns(passed, self.finding.head.table.names).items()
            }
        )

    def _run(self, sampled: Mapping[str, Sampled]) -> dict[str, Held]:
        """Some columns that are put into their files in one pass, and then run one by one."""
        here = replace(self.finding.passing, workers=in_this_process(self.finding.passing.workers))
        with ExitStack() as open_files:
            sortings = {
                name: open_files.enter_context(Sorting(self._place(name) / "order", one))
                for name, one in sampled.items()
            }
            for block in here.each(partial(self._columns, names=list(sampled)), self.finding.columns):
                for name, column in block.items():
                    sortings[name].put(*column)
        return {name: self._along(name, sorting) for name, sorting in sortings.items()}

    def _along(self, name: str, sorting: Sorting) -> Held:
        streams = self._streams(self.finding.head.job.streams, name)
        passing = self.finding.passing
        with sorting.ordered(passing.workers) as ordered, Keeping(self._place(name), passing.source.n) as keeping:
            if ordered.count:
                for places, values in self._method.along(ordered, streams):
                    keeping.put(places, values)
            return keeping.finish(self.finding.head.table[name].take(slice(0, 0)), name, self.finding.sizes)

    def _place(self, name: str) -> Path:
        return self.folder / str(self.finding.head.table.names.index(name))
