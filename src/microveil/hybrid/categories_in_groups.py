"""New categories inside groups: rows of them change places, or each is drawn from those of its group."""

from __future__ import annotations

import numpy as np

from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.mask.swap_in_groups import permuted_in_groups
from microveil.partition.base import Labels


def permuted_rows(table: Table, labels: Labels, streams: Streams) -> dict[str, Values]:
    """Whole rows of the columns at random places inside their group: every table of a group stays."""
    source = permuted_in_groups(labels, streams)
    return {name: values.take(source) for name, values in table.columns.items()}


def drawn_from_margins(table: Table, labels: Labels, streams: Streams) -> dict[str, Values]:
    """Each column drawn by itself from its distribution in the group: no combination of a record is kept together."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    first = np.cumsum(sizes) - sizes
    drawn = {}
    for name, values in table.columns.items():
        place = (streams.at(name).uniforms(0, table.rows)[:, 0] * sizes[labels]).astype(np.int64)
        drawn[name] = values.take(order[first[labels] + place])
    return drawn
