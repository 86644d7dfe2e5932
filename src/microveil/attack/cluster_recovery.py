"""Groups of a hybrid file, formed once more on the release."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.beside import Beside, GroupsRefound, OthersKnown
from microveil.attack.domains import domains_of
from microveil.attack.guesses import Answer
from microveil.attack.masked import Masked, find_masked
from microveil.attack.nearest import nearest_readings
from microveil.attack.normal import observed_moments
from microveil.attack.view import View
from microveil.core.arrays import Floats, Ints, Labels
from microveil.core.parameters import Range
from microveil.core.streams import Key, Streams
from microveil.data.table import Table
from microveil.hybrid.micro_hybrid import MicroHybrid
from microveil.kernels.tables.classes import group_rows
from microveil.partition import MDAV

_FIRST = 1e3  # the group decides, and inside of it the record


@dataclass(frozen=True, kw_only=True)
class ClusterRecovery(Attack, name="cluster-recovery"):
    """Per cent of records found by forming the groups of a hybrid file once more, on the release.

    Use it for synthesis inside of groups, whose means are the original's: whoever finds a group again knows its
    mean. A record is sought in the group of the nearest mean, among whose members any or the nearest is taken. How well
    groups are found again is told as adjusted Rand index (1: all of them, 0: by chance). Beside stands a stronger
    intruder, who knows the true group and all its other members: the last one follows from the mean.
    """

    k: Annotated[int | None, Range(ge=2), "smallest number of records in a group; None: as the release says"] = None

    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = 100_000  # forming groups takes longer than linking
    title: ClassVar[str] = "Groups found again"
    reference: ClassVar[str] = "Domingo-Ferrer & Gonzalez-Nicolas 2010"
    advice: ClassVar[str] = (
        "Groups are found again in the release, and members among them. Take a larger k; set `jitter_moments` "
        "where members of a group may know one another."
    )

    def guess(self, view: View) -> Answer | str:
        """Form groups of released records, and take members of the group with the nearest mean."""
        stated = None if self.k is None else MicroHybrid(partition=MDAV(k=self.k))
        parts = find_masked(view, self.name, stated, f"{type(self).__name__}(k=10)")
        if isinstance(parts, str):
            return parts
        for part in parts:
            assert isinstance(part.method, MicroHybrid)
            if part.method.kinds_together == "separate":
                return "groups were formed for each kind of columns apart"
        parts = [part._replace(columns=_amounts(view, part)) for part in parts if _amounts(view, part)]
        if not parts:
            return "the intruder knows no amount that was drawn anew"
        found = [_refound(view, part) for part in parts]
        x, y, means = (np.hstack(side) for side in zip(*(one.scaled for one in found), strict=True))
        answer = nearest_readings(view, x, means)
        inside = nearest_readings(view, np.hstack([_FIRST * x, x]), np.hstack([_FIRST * means, y]))
        readings = {f"any of the group, {way}": guesses for way, guesses in answer.readings.items()}
        readings |= {f"group and record, {way}": guesses for way, guesses in inside.readings.items()}
        # which groups are the true ones is known of the last step that formed some
        last = view.plan is not None and parts[-1].step is view.plan.steps[-1]
        return replace(answer, readings=readings, beside=found[-1].beside if last else ())


class _Refound(NamedTuple):
    """What one step left: known records, released ones and means of groups in one scale, and what stands beside."""

    scaled: tuple[Floats, Floats, Floats]
    beside: tuple[Beside, ...]


def _amounts(view: View, part: Masked) -> tuple[str, ...]:
    return tuple(name for name in part.columns if view.released[name].levels is None)


def _refound(view: View, part: Masked) -> _Refound:
    assert isinstance(part.method, MicroHybrid)
    labels = _groups(view, part, part.method)
    known, released = view.known.matrix(part.columns), view.released.matrix(part.columns)
    beside = (GroupsRefound(labels), OthersKnown(known, released))
    return _Refound(_in_one_scale(known, released, labels), beside)


def _groups(view: View, part: Masked, method: MicroHybrid) -> Labels:
    """Groups formed on the release as they were on the original: in subdomains, and among records of equal gaps."""
    names = part.columns if part.step is None else (*part.step.columns, *part.step.given)
    table = view.released.only([name for name in names if name in view.released.names])
    gaps = np.column_stack([table[name].missing for name in table.names]).astype(np.int64)
    inside = group_rows(np.column_stack([domains_of(view, part.by)[1], gaps]))[0]
    labels = np.empty(table.rows, dtype=np.int64)
    first = 0
    for domain in np.unique(inside):
        rows = np.flatnonzero(inside == domain)
        labels[rows] = first + _formed(method, table.take(rows))
        first = int(labels[rows].max()) + 1
    return labels


def _formed(method: MicroHybrid, table: Table) -> Labels:
    """The groups of some records without gaps of their own; too few are one group."""
    names = [name for name in table.names if _counts(method, name, table) and not table[name].missing.any()]
    if len(names) == 0 or table.rows < 2 * method.partition.k:
        return np.zeros(table.rows, dtype=np.int64)
    return method.partition.groups_of(table.only(names), Streams(Key.of(0)).at("groups of an intruder"))


def _counts(method: MicroHybrid, name: str, table: Table) -> bool:
    """Whether a column made records similar."""
    on = method.cluster_on
    if isinstance(on, tuple):
        return name in on
    return on in ("all", "replaced") or (on == "continuous") == (table[name].kind == "continuous")


def _in_one_scale(known: Floats, released: Floats, labels: Ints) -> tuple[Floats, Floats, Floats]:
    """Known records, released ones and the means of their groups, in standard deviations of the release."""
    mean, covariance = observed_moments(released)
    spread = np.sqrt(np.diag(covariance))
    spread = np.where(spread > 0, spread, 1.0)
    x, y = (known - mean) / spread, (released - mean) / spread
    seen = ~np.isnan(y)
    sums = [np.bincount(labels, weights=np.where(seen[:, j], y[:, j], 0.0)) for j in range(y.shape[1])]
    counts = [np.bincount(labels, weights=seen[:, j]) for j in range(y.shape[1])]
    means = np.column_stack([total / np.maximum(count, 1) for total, count in zip(sums, counts, strict=True)])
    return x, y, np.where(seen, means[labels], np.nan)
