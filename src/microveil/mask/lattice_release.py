"""Keys released at levels of their ladders, some records at others than the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.core.arrays import Ints
from microveil.data.coding import join_values
from microveil.data.table import Values
from microveil.mask.ladders import Ladder
from microveil.mask.lattice_rows import Levels

Released = tuple[Levels, Ints]  # the levels of some records, and which they are


def release_parts(
    names: Sequence[str], ladders: Sequence[Ladder], parts: Sequence[Released]
) -> tuple[dict[str, Values], Ints]:
    """The columns of all parts in the order of the file, and the record of each row."""
    rows = np.concatenate([rows for _, rows in parts])
    order = np.argsort(rows, kind="stable")
    columns = {
        name: join_values([ladder.at(levels[j]).take(rows) for levels, rows in parts]).take(order)
        for j, (name, ladder) in enumerate(zip(names, ladders, strict=True))
    }
    return columns, rows[order]
