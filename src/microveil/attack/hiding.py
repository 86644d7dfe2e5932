"""An order of rows that does not follow the one they stood in, so that it carries nothing to an intruder."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.streams import Key, Streams
from microveil.data.table import Table
from microveil.kernels.tables.classes import group_rows


def hide_order(table: Table, which: str) -> tuple[Ints, Ints]:
    """The class of equal rows of each row, and an order of the rows that does not follow the one they stood in."""
    classes = group_rows(table.codes())[0]
    drawn = Streams(Key.of(0)).at("files of an intruder", which).order(table.rows)
    return classes, np.argsort(classes, kind="stable")[drawn]
