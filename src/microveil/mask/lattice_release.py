"""Keys released at levels of their ladders, some records at others than the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Ints
from microveil.data.coding import join_values
from microveil.data.table import Values
from microveil.mask.ladders import Ladder
from microveil.mask.lattice_rows import Levels


@dataclass(frozen=True)
class Released:
    """Some records and the levels they are released at; `starred`: with * in all keys, whatever the top is called."""

    levels: Levels
    rows: Ints
    starred: bool = False

    def column(self, ladder: Ladder, place: int) -> Values:
        """One key of these records."""
        whole = ladder.hidden() if self.starred else ladder.at(self.levels[place])
        return whole.take(self.rows)


def release_parts(
    names: Sequence[str], ladders: Sequence[Ladder], parts: Sequence[Released]
) -> tuple[dict[str, Values], Ints]:
    """The columns of all parts in the order of the file, and the record of each row."""
    rows = np.concatenate([part.rows for part in parts])
    order = np.argsort(rows, kind="stable")
    columns = {
        name: join_values([part.column(ladder, j) for part in parts]).take(order)
        for j, (name, ladder) in enumerate(zip(names, ladders, strict=True))
    }
    return columns, rows[order]
