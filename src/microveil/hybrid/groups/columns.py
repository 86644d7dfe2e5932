"""Which columns make records similar, and the groups formed on them."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Labels
from microveil.core.errors import BadInput
from microveil.core.streams import Streams
from microveil.data.microdata import Microdata
from microveil.data.schema import KINDS, check_names
from microveil.data.table import Table
from microveil.partition.base import Partition
from microveil.run.method import Job

ClusterOn = str | tuple[str, ...]
CATEGORICAL = ("ordinal", "nominal")


def refuse_nothing(on: ClusterOn) -> None:
    """Groups are formed on some column."""
    if on == ():
        raise BadInput("cluster_on names no column; name at least one")


def named_columns(on: ClusterOn, data: Microdata) -> tuple[str, ...]:
    """The columns that form groups by name; none where they are chosen otherwise."""
    if not isinstance(on, tuple):
        return ()
    check_names(on, list(data.columns), "cluster_on")
    return on


def cluster_columns(on: ClusterOn, table: Table, job: Job, kind: str | None = None) -> Table:
    """The columns that form groups: of the replaced ones, the kept ones and those around, of one kind if asked for."""
    near = {**table.columns, **job.given.columns}
    if isinstance(on, tuple):
        known = {**job.around.columns, **near}
        absent = [name for name in on if name not in known]
        if absent:
            raise BadInput(
                f"cluster_on names {absent}, which this step cannot see; run micro-hybrid as a step of its own"
            )
        chosen = {name: known[name] for name in on}
    elif on == "replaced":
        chosen = dict(table.columns)
    else:
        wanted = {"all": KINDS, "continuous": ("continuous",), "categorical": CATEGORICAL}[on]
        chosen = {name: values for name, values in near.items() if values.kind in wanted}
    if kind is not None:
        chosen = {name: values for name, values in chosen.items() if values.kind == kind}
    if not chosen:
        what = f"{kind} columns" if kind else "columns"
        raise BadInput(f"cluster_on={on!r} leaves no {what} to form groups on; there are {list(near)}: choose others")
    return Table(chosen, table.rows)


def consensus_groups(partition: Partition, table: Table, streams: Streams) -> Labels:
    """What the partitions on the columns of each kind keep together; blocks smaller than k join the nearest."""
    from microveil.kernels.grouping.consensus import intersection, merge_small
    from microveil.partition.mixed import points_of

    kinds = [kind for kind in KINDS if any(values.kind == kind for values in table.columns.values())]
    found = []
    for kind in kinds:
        names = [name for name in table.names if table[name].kind == kind]
        found.append(partition.among(names).groups_of(table.only(names), streams.at(kind)))
    if len(found) == 1:
        return found[0]
    points = points_of(table, partition.standardise, "the consensus of the kinds")
    return np.asarray(merge_small(points, intersection(found), partition.k), dtype=np.int64)
