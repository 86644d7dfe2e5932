"""Masking inside the clusters of a partition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import Claim, CovariancesKept, EqualRowsAtLeast, MeansKept
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.guarantee import Anonymity
from microveil.core.parameters import Grid
from microveil.data.microdata import Microdata
from microveil.data.table import Table, Values
from microveil.hybrid.base import Hybrid
from microveil.hybrid.clusters import (
    Rows,
    gathered_notes,
    job_in,
    members_of,
    numbered_through,
    unchanged_note,
)
from microveil.hybrid.inherited_claims import of_union
from microveil.hybrid.near_notes import near_originals
from microveil.mask.base import Mask, split_columns
from microveil.mask.exact_noise import ExactNoise
from microveil.mask.microaggregation import Microaggregation
from microveil.mask.nested import refuse_other_columns
from microveil.mask.rank_swap import RankSwap
from microveil.partition.base import Labels, Partition
from microveil.partition.mdav import MDAV
from microveil.run.method import Job, Outcome, Step, depends

Matrix = NDArray[np.float64]

SMALLEST_CLUSTER = 3  # mean and variance of two values give the values away


@dataclass(frozen=True, kw_only=True)
class LocalMasking(Hybrid, name="local-masking"):
    """Form clusters of at least k similar records and mask each cluster on its own.

    Use it where the file is a mixture and one mask for all of it would blur what distinguishes its parts: the noise
    of a cluster follows its own spread, and its values change places within it. Statistics that the mask keeps
    exactly are exact in every cluster and in every union of clusters; `restore` makes means and covariances so after
    any mask of numbers. The clusters say where values are masked and hide nobody: noise inside a cluster of k records
    does not make a link fail with probability 1 - 1/k. Protection is that of the mask, which inside clusters changes
    less than in the whole file.
    """

    partition: Annotated[Partition, Grid((MDAV(k=20), MDAV(k=40))), "how the clusters are formed"] = field(
        default_factory=lambda: MDAV(k=20)
    )
    mask: Annotated[
        Mask, Grid((ExactNoise(), RankSwap(p=20), Microaggregation())), "the method that masks each cluster"
    ] = field(default_factory=ExactNoise)
    restore: Annotated[bool, "give every cluster its original means and covariances"] = False

    kinds: ClassVar[tuple[str, ...]] = depends(
        ("continuous", "ordinal", "nominal"), lambda local: ("continuous",) if local.restore else local.mask.kinds
    )
    conditions: ClassVar[bool] = depends(True, lambda local: local.mask.conditions and not local.restore)
    keeps_others: ClassVar[bool] = False
    random: ClassVar[bool] = depends(True, lambda local: local.mask.random or local.partition.random)
    skips_missing: ClassVar[bool] = depends(True, lambda local: local.mask.skips_missing and not local.restore)
    spares: ClassVar[bool] = depends(False, lambda local: local.mask.spares)
    coarsens: ClassVar[bool] = depends(False, lambda local: local.mask.coarsens and not local.restore)
    default_roles: ClassVar[tuple[str, ...]] = depends(("confidential",), lambda local: local.mask.default_roles)
    also_try = ({"mask": RankSwap(p=20), "restore": True}, {"mask": Microaggregation(), "restore": True})
    reference = "Oganian & Domingo-Ferrer 2017"

    def validate(self) -> None:
        """Moments are those of numbers."""
        if self.restore and "continuous" not in self.mask.kinds:
            raise BadInput(
                f"restore=True gives numbers their means and covariances and {self.mask.name} protects "
                f"{' and '.join(self.mask.kinds)} columns; leave restore out"
            )

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """What the mask keeps in every cluster and their union inherits."""
        inside = self.mask.claims(columns)
        if self.restore:
            return (MeansKept(), CovariancesKept(), *_equal_rows(inside, columns))
        return of_union(inside)

    def anonymity(self, kinds: Mapping[str, str], telling: tuple[str, ...]) -> Anonymity | None:
        """That of the groups the mask forms inside clusters; the clusters themselves give none."""
        return None if self.restore else self.mask.anonymity(kinds, telling)

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The columns that the mask would take; those of numbers where moments are restored."""
        if not self.restore:
            return self.mask.resolve(data, step)
        chosen, given = super().resolve(data, step)
        refuse_other_columns(self.mask, chosen, data, step, self.name)
        return chosen, given

    def run(self, table: Table, job: Job) -> Outcome:
        """Cluster, then mask cluster by cluster."""
        labels = self.partition.groups_of(table, job.streams.at("partition"))
        if isinstance(self.mask, ExactNoise):
            # the same promises in one pass over all clusters; docs/decisions.md says why it stands apart
            found = Outcome(self._noisy(table, job, labels, self.mask.p), labels)
        else:
            found = self._one_by_one(table, job, labels)
        hidden = self.anonymity({name: table[name].kind for name in table.names}, ())
        caution = () if hidden else (self._caution(),)
        near = (*near_originals(table, found.columns), *unchanged_note(table, found.columns))
        return replace(found, notes=(*caution, *found.notes, *near))

    def _one_by_one(self, table: Table, job: Job, labels: Labels) -> Outcome:
        """Each cluster masked by itself, with what is noted about clusters."""
        members = members_of(labels)
        outcomes = []
        for cluster, rows in enumerate(members):
            try:
                outcomes.append(self._masked(table.take(rows), job_in(job, cluster, rows)))
            except BadInput as problem:
                raise type(problem)(f"in cluster {cluster} of {len(rows)} records: {problem}") from None
        notes = gathered_notes(Counter(note for outcome in outcomes for note in outcome.notes))
        inner = numbered_through(outcomes, members)
        return Outcome(self._joined(outcomes, members), labels if inner is None else inner, notes=notes)

    def _caution(self) -> str:
        return f"the clusters hide nobody among their members: protection is what {self.mask.name} gives inside them"

    def _noisy(self, table: Table, job: Job, labels: Labels, p: float) -> dict[str, Values]:
        """Exact noise in all clusters at once: new components that correlate with the old ones by 1/sqrt(1 + p^2)."""
        from microveil.kernels.draws.groups import ipso_in_groups

        similarity = 1.0 / float(np.sqrt(1.0 + p * p))
        X = table.matrix()
        try:
            noisy, _ = ipso_in_groups(X, np.zeros((len(X), 0)), labels, job.streams.at("clusters"), similarity)
        except NotEnoughRecords:
            raise NotEnoughRecords(
                f"{self.mask.name} needs 2 columns + 1 records in every cluster, {2 * X.shape[1] + 1} here (fewer if "
                f"columns depend on one another): k={self.partition.k} gives some cluster too few; raise k"
            ) from None
        return split_columns(noisy, table)

    def _masked(self, part: Table, job: Job) -> Outcome:
        """One cluster after masking; a column of which it has no value stays empty."""
        seen = [name for name, values in part.columns.items() if values.levels is not None or not values.missing.all()]
        given = part.only(seen)
        # the original of a nested mask is what it is given: earlier steps may have hidden what was there before
        outcome = self.mask.run(given, replace(job, original=given)) if seen else Outcome({})
        if len(seen) < len(part.names):
            outcome = replace(outcome, columns={**part.columns, **outcome.columns})
        if outcome.origin is not None and not np.array_equal(outcome.origin, np.arange(part.rows)):
            raise BadInput(
                f"{self.mask.name} leaves records out or changes their places, and every record of a cluster must come "
                "back; run it as a step of its own"
            )
        if not self.restore:
            return outcome
        restored, notes = self._restored(part, outcome, job)
        return replace(outcome, columns={**outcome.columns, **restored}, notes=(*outcome.notes, *notes))

    def _restored(self, part: Table, outcome: Outcome, job: Job) -> tuple[dict[str, Values], tuple[str, ...]]:
        """The masked cluster with its original mean and covariance."""
        from microveil.kernels.linalg.bases import factor
        from microveil.kernels.linalg.recolour import recolour
        from microveil.kernels.moments.central import mean_and_covariance
        from microveil.kernels.tables.equal_rows import first_equal_rows

        changed = Table({name: outcome.columns[name] for name in part.names}, part.rows)
        Y = self._numbers(changed)
        mean, V = mean_and_covariance(part.matrix())
        needed = max(SMALLEST_CLUSTER, len(factor(V)) + 1)
        if part.rows < needed:
            raise NotEnoughRecords(f"restoring means and covariances needs at least {needed} records; raise k")
        equal = bool(_equal_rows(self.mask.claims(part.names), part.names))
        notes: tuple[str, ...] = ()
        try:
            restored = recolour(Y, mean, V)
        except BadInput:
            if equal:
                raise BadInput(
                    f"the covariance cannot be restored without separating the equal records of {self.mask.name}: "
                    "too few different records; raise k, mask less or leave restore out"
                ) from None
            restored = recolour(Y, mean, V, "sym", job.streams.at("fill"))
            notes = ("the masked cluster lacks directions of the original; they were drawn at random",)
        return split_columns(restored[first_equal_rows(Y)] if equal else restored, changed), notes

    def _numbers(self, changed: Table) -> Matrix:
        Y = changed.matrix()
        if any(values.levels is not None for values in changed.columns.values()) or not np.isfinite(Y).all():
            raise BadInput(f"{self.mask.name} left gaps or categories, which have no moments; leave restore out")
        return Y

    def _joined(self, outcomes: list[Outcome], members: list[Rows]) -> dict[str, Values]:
        """The columns of all clusters, each record in its place."""
        first = outcomes[0].columns
        columns = {}
        for name, values in first.items():
            parts = [outcome.columns.get(name) for outcome in outcomes]
            if any(part is None or part.levels != values.levels for part in parts):
                raise BadInput(
                    f"{self.mask.name} made other categories of {name!r} in one cluster than in another; use a mask "
                    "that keeps the categories, or run it as a step of its own"
                )
            data = np.empty(sum(map(len, members)), dtype=values.data.dtype)
            data[np.concatenate(members)] = np.concatenate([part.data for part in parts if part is not None])
            columns[name] = values.with_data(data)
        return columns


def _equal_rows(claims: tuple[Claim, ...], columns: tuple[str, ...]) -> tuple[Claim, ...]:
    """Of the claims those that survive an affine map of all columns: rows equal on some columns only do not."""
    return tuple(
        claim
        for claim in claims
        if isinstance(claim, EqualRowsAtLeast) and set(claim.columns or columns) == set(columns)
    )
