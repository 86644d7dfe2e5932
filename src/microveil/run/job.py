"""What a method is given when it runs, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from microveil.claims import Claim
from microveil.core.arrays import Floats, Ints
from microveil.core.edits import Edit
from microveil.core.streams import Streams
from microveil.data.microdata import Microdata
from microveil.data.table import Table, Values
from microveil.run.engine import Engine, LocalEngine


@dataclass(frozen=True)
class Job:
    """What a run is given beside the values: its streams and what surrounds the values."""

    streams: Streams
    given: Table
    original: Table
    weights: Floats | None = None
    households: Ints | None = None
    engine: Engine = field(default_factory=LocalEngine)
    around: Table = field(default_factory=lambda: Table({}, 0))  # the columns of `MethodContract.looks_at`
    aside: Mapping[str, Microdata] = field(default_factory=dict)  # other files that the run reads, by name
    edits: tuple[Edit, ...] = ()  # the rules of the data
    # what was learnt of all records of the file, by the path of the streams, where the table is a block of it
    known: Mapping[tuple[str | int, ...], object] = field(default_factory=dict)
    # smallest and largest values of columns without gaps, where they are known before anything is gathered
    ends: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def at_rows(self, rows: Ints | slice, places: Ints, original: Table) -> Job:
        """The job cut to some rows, which are at these places; `original` holds them as they were."""
        return replace(
            self,
            streams=self.streams.of_rows(places),
            given=self.given.take(rows),
            original=original,
            weights=None if self.weights is None else self.weights[rows],
            households=None if self.households is None else self.households[rows],
            around=self.around.take(rows),
            ends={},
        )


@dataclass(frozen=True)
class Outcome:
    """What a run returns: the changed columns, and how its rows and groups relate to what it got.

    `origin` holds the position of each released row among the rows given (-1: synthetic), None when
    the rows are the same. `claims` holds what this run promises where that depends on the data (on the kinds of
    the columns, on groups that were too small); None: what `Method.claims` says. `tallies` are numbers that add up over
    parts of the rows, for whoever joins them to tell.
    """

    columns: Mapping[str, Values]
    groups: Ints | None = None
    origin: Ints | None = None
    notes: tuple[str, ...] = ()
    claims: tuple[Claim, ...] | None = None
    tallies: Mapping[str, int] = field(default_factory=dict)
