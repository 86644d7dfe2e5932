"""Hybrid records by synthesis inside the groups of a microaggregation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import (
    Claim,
    CovariancesKept,
    GroupsAtLeast,
    MeansKept,
    RangeKept,
    ValuesKept,
    VariancesKept,
)
from microveil.core.errors import BadInput
from microveil.core.parameters import Grid
from microveil.data.method import Job, Outcome, depends
from microveil.data.table import Table, Values
from microveil.hybrid.base import Hybrid
from microveil.partition.base import Labels, Partition
from microveil.partition.mdav import MDAV
from microveil.synth.base import FullSynthesiser, Synthesiser, indicators, split_columns
from microveil.synth.cart import Cart
from microveil.synth.cholesky_synthesis import CholeskySynthesis
from microveil.synth.ipso import Ipso
from microveil.synth.multiple_imputation import MultipleImputation

Float = NDArray[np.float64]

_NOTES_SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class MicroHybrid(Hybrid, name="micro-hybrid"):
    """Form groups of at least k similar records and synthesise the replaced columns inside each group.

    Use it for records that stay near the original ones: small k changes little, k as large as the file gives synthetic
    data. With IPSO (variant C) means and covariances, also those with the kept columns, are exact in every group and
    so in every union of groups. Where every column is replaced and drawn afresh (no `rho`), a record belongs no more
    to its original than to the k - 1 others of its group; kept columns that identify somebody still do.
    """

    partition: Annotated[Partition, Grid((MDAV(k=20), MDAV(k=40))), "how the groups are formed"] = field(
        default_factory=lambda: MDAV(k=10)
    )
    synthesiser: Annotated[Synthesiser, "how records are drawn inside a group"] = field(default_factory=Ipso)
    cluster_on: Annotated[
        Literal["all", "replaced"], "columns that make records similar: replaced and kept ones, or the replaced ones"
    ] = "all"

    kinds: ClassVar[tuple[str, ...]] = depends(
        ("continuous", "ordinal", "nominal"), lambda hybrid: hybrid.synthesiser.kinds
    )
    conditions: ClassVar[bool] = depends(True, lambda hybrid: hybrid.synthesiser.conditions)
    random: ClassVar[bool] = depends(True, lambda hybrid: hybrid.synthesiser.random or hybrid.partition.random)
    example: ClassVar[Mapping[str, Any]] = {"partition": MDAV(k=20)}
    also_try = ({"synthesiser": Ipso(rho=0.5)}, {"synthesiser": CholeskySynthesis()}, {"synthesiser": Cart()})
    reference = "Domingo-Ferrer & Gonzalez-Nicolas 2010"

    def validate(self) -> None:
        """Every record of a group gets one new record in its place."""
        if isinstance(self.synthesiser, MultipleImputation):
            raise BadInput(
                f"{self.synthesiser.name} draws the kept columns anew and the records of a group keep theirs; "
                f"use its model, {self.synthesiser.model.name}, as the synthesiser"
            )
        if isinstance(self.synthesiser, FullSynthesiser) and self.synthesiser.records is not None:
            raise BadInput(
                f"records={self.synthesiser.records} of {self.synthesiser.name}: a group gets as many records as it "
                "has; leave records out"
            )

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """What the synthesiser keeps in every group and a union of groups inherits; groups of k."""
        inside = self.synthesiser.claims(columns)
        lasting: tuple[type[Claim], ...] = (MeansKept, ValuesKept, RangeKept)
        if any(isinstance(claim, MeansKept) for claim in inside):
            # the covariance of a union is that inside its groups and that of their means
            lasting += (VariancesKept, CovariancesKept)
        kept = [claim for claim in inside if isinstance(claim, lasting) and not _scaled(claim)]
        return (*kept, GroupsAtLeast(k=self.partition.k))

    def run(self, table: Table, job: Job) -> Outcome:
        """Group, then redraw every group."""
        turns = isinstance(self.synthesiser, Ipso) and self.synthesiser.variant == "C"
        if isinstance(self.synthesiser, Ipso):
            _refuse_small_groups(self.partition.k, len(job.given.names), self.synthesiser.freedom)
        labels = self._groups(table, job)
        columns, notes = self._turned(table, job, labels) if turns else self._drawn(table, job, labels)
        return Outcome(columns, labels, notes=(*notes, *_unchanged(table, columns)))

    def _groups(self, table: Table, job: Job) -> Labels:
        on = {**table.columns, **job.given.columns} if self.cluster_on == "all" else table.columns
        return self.partition.groups_of(Table(on, table.rows), job.streams.at("partition"))

    def _turned(self, table: Table, job: Job, labels: Labels) -> tuple[dict[str, Values], tuple[str, ...]]:
        """All groups by IPSO at once."""
        from microveil.kernels.ipso_groups import ipso_in_groups

        assert isinstance(self.synthesiser, Ipso)
        T, S = table.matrix(), indicators(job.given, table.rows)
        generator = job.streams.at("groups").generator()
        new, free = ipso_in_groups(T, S, labels, generator, self.synthesiser.rho, self.synthesiser.freedom)
        notes = [f"{len(free)} groups with at least {int(free.min())} free dimensions (records - 1 - kept columns)"]
        wanted = len(job.given.names) + len(table.names) + 3
        if self.partition.k < wanted:
            notes.append(
                f"k={self.partition.k} is below {wanted} (kept + replaced columns + 3): in small groups few directions "
                "are left to redraw in, and records may come back close to the original"
            )
        return split_columns(new, table), (*notes, *_third_moments(T, new, labels, table.names))

    def _drawn(self, table: Table, job: Job, labels: Labels) -> tuple[dict[str, Values], tuple[str, ...]]:
        """Group by group, by any synthesiser."""
        data = {name: values.data.copy() for name, values in table.columns.items()}
        said: Counter[str] = Counter()
        for group, rows in _members(labels):
            try:
                outcome = self.synthesiser.run(table.take(rows), _job_of(job, group, rows))
            except BadInput as problem:
                raise type(problem)(f"in group {group} of {len(rows)} records: {problem}") from None
            self._check(outcome, table, len(rows))
            for name in table.names:
                data[name][rows] = outcome.columns[name].data
            said.update(outcome.notes)
        notes = [f"in {count} groups: {note}" for note, count in said.most_common(_NOTES_SHOWN)]
        if len(said) > _NOTES_SHOWN:
            notes.append(f"the synthesiser had {len(said) - _NOTES_SHOWN} other notes on single groups")
        return {name: table[name].with_data(data[name]) for name in table.names}, tuple(notes)

    def _check(self, outcome: Outcome, table: Table, rows: int) -> None:
        """The rows of a group must come back as so many rows of the same columns with the same levels."""
        same = set(outcome.columns) == set(table.names) and all(
            len(values.data) == rows and values.levels == table[name].levels for name, values in outcome.columns.items()
        )
        if not same:
            raise BadInput(
                f"{self.synthesiser.name} returned other columns, levels or numbers of records than a group has; "
                f"{self.name} needs one new record for each"
            )


def third_moment_bound(before: Float, after: Float, labels: Labels) -> Float:
    """The most by which the sums of cubed deviations from the mean can differ, column by column.

    For files with equal means and variances in every group: the sum over groups of 2 n B^(3/2), where no squared
    deviation from the group's mean exceeds B in either file. Reference: Domingo-Ferrer & Gonzalez-Nicolas 2010,
    Lemma 2.
    """
    sizes = np.bincount(labels)
    order = np.argsort(labels, kind="stable")
    first = (np.cumsum(sizes) - sizes)[sizes > 0]
    counts = sizes[sizes > 0][:, None]
    largest = np.zeros((len(first), before.shape[1]))
    for X in (before, after):
        ordered = X[order] - X.mean(axis=0)
        centred = ordered - np.repeat(np.add.reduceat(ordered, first, axis=0) / counts, counts[:, 0], axis=0)
        largest = np.maximum(largest, np.maximum.reduceat(np.abs(centred), first, axis=0))
    return np.asarray(np.sum(2 * counts * largest**3, axis=0))


def _third_moments(before: Float, after: Float, labels: Labels, names: tuple[str, ...]) -> tuple[str, ...]:
    """The bound as a change of skewness."""
    spread = before.std(axis=0)
    bound = third_moment_bound(before, after, labels)
    told = [f"{name} {bound[j] / (len(before) * spread[j] ** 3):.2g}" for j, name in enumerate(names) if spread[j] > 0]
    return (f"skewness changes by at most: {', '.join(told)}",) if told else ()


def _scaled(claim: Claim) -> bool:
    return isinstance(claim, CovariancesKept) and (claim.factor != 1 or claim.diagonal != 0)


def _refuse_small_groups(k: int, kept: int, freedom: int) -> None:
    if k <= kept + 1:
        raise BadInput(
            f"k={k} with {kept} kept columns: a regression on them fits groups of {k} records without residuals, so "
            f"that IPSO would return the original; take k >= {kept + 1 + freedom} or keep fewer columns (given)"
        )


def _members(labels: Labels) -> Iterator[tuple[int, NDArray[np.int64]]]:
    order = np.argsort(labels, kind="stable")
    yield from enumerate(np.split(order, np.cumsum(np.bincount(labels))[:-1]))


def _job_of(job: Job, group: int, rows: NDArray[np.int64]) -> Job:
    def taken(values: NDArray[Any] | None) -> NDArray[Any] | None:
        return None if values is None else values[rows]

    return replace(
        job,
        streams=job.streams.at("group", group),
        given=job.given.take(rows),
        original=job.original.take(rows),
        weights=taken(job.weights),
        households=taken(job.households),
    )


def _unchanged(table: Table, columns: Mapping[str, Values]) -> tuple[str, ...]:
    """How many records, and which columns, came back as they were: a constant group gives its values away."""
    same = np.column_stack([table[name].data == values.data for name, values in columns.items()])
    records = int(same.all(axis=1).sum())
    whole = [name for j, name in enumerate(columns) if same[:, j].all()]
    notes = [f"{records} of {table.rows} records came back unchanged"]
    return (*notes, f"no value of {', '.join(whole)} changed") if whole else tuple(notes)
