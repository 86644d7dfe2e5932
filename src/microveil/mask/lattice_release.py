"""Keys released at levels of their ladders, some rows at others than the rest, and records looked up among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.claims import Claim
from microveil.core.arrays import Ints, Labels
from microveil.data.coding import join_values
from microveil.data.table import Table, Values
from microveil.mask.ladders import Ladder
from microveil.mask.lattice_rows import Levels
from microveil.run.counted import CountedFile, KeyRows
from microveil.run.job import Outcome


@dataclass(frozen=True)
class Released:
    """Some rows and the levels they are released at; `starred`: with * in all keys, whatever the top is called."""

    levels: Levels
    rows: Ints
    starred: bool = False

    def column(self, ladder: Ladder, place: int) -> Values:
        """One key of these rows."""
        whole = ladder.hidden() if self.starred else ladder.at(self.levels[place])
        return whole.take(self.rows)


def release_parts(
    names: Sequence[str], ladders: Sequence[Ladder], parts: Sequence[Released]
) -> tuple[dict[str, Values], Ints]:
    """The columns of all parts in the order of the rows, and which row each is."""
    rows = np.concatenate([part.rows for part in parts])
    order = np.argsort(rows, kind="stable")
    columns = {
        name: join_values([part.column(ladder, j) for part in parts]).take(order)
        for j, (name, ladder) in enumerate(zip(names, ladders, strict=True))
    }
    return columns, rows[order]


@dataclass(frozen=True)
class Chosen:
    """What becomes of every row of the keys: where it stands among those that are released (-1: it is left out)."""

    keys: KeyRows
    at: Ints
    columns: Mapping[str, Values]
    labels: Labels
    notes: tuple[str, ...]
    claims: tuple[Claim, ...]
    tallies: Mapping[str, int]

    @classmethod
    def of(
        cls,
        file: CountedFile,
        columns: Mapping[str, Values],
        origin: Ints,
        labels: Labels,
        notes: tuple[str, ...],
        claims: tuple[Claim, ...],
        tallies: Mapping[str, int],
    ) -> Chosen:
        """From what is released of the rows of a file, given which of them each is and its class."""
        at = np.full(file.table.rows, -1, dtype=np.int64)
        at[origin] = np.arange(len(origin))
        return cls(file.keys, at[file.first_of_keys], columns, labels, notes, claims, tallies)

    def among(self, table: Table) -> Outcome:
        """What becomes of some records."""
        at = self.at[self.keys.places(table)]
        kept = np.flatnonzero(at >= 0)
        columns = {name: values.take(at[kept]) for name, values in self.columns.items()}
        return Outcome(columns, groups=self.labels[at[kept]], origin=kept, claims=self.claims)
