"""An order of rows that does not follow the one they stood in, so that it carries nothing to an intruder."""

from __future__ import annotations

import numpy as np

from microveil.attack.homes import classes_together
from microveil.core.arrays import Ints
from microveil.core.streams import Key, Streams
from microveil.data.table import Table
from microveil.kernels.tables.classes import group_rows


def hide_order(table: Table, which: str, homes: Ints | None = None) -> tuple[Ints, Ints]:
    """The class of equal rows of each row, and an order of the rows that does not follow the one they stood in.

    Where it is known who lives with whom (`homes`), rows are equal if those of their households are, too.
    """
    classes = group_rows(table.codes())[0]
    if homes is not None:
        classes = classes_together(classes, homes)
    drawn = Streams(Key.of(0)).at("files of an intruder", which).order(table.rows)
    return classes, np.argsort(classes, kind="stable")[drawn]
