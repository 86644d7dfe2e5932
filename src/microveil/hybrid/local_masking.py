"""Masking inside the clusters of a partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar

import numpy as np

from microveil.claims import Claim, CovariancesKept, EqualRowsAtLeast, MeansKept
from microveil.claims.guarantee import GroupAnonymity
from microveil.claims.unions import of_union
from microveil.core.arrays import Labels, Matrix
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.parameters import Grid
from microveil.data.matrices import split_columns
from microveil.data.microdata import Microdata
from microveil.data.table import Table, Values
from microveil.hybrid.base import Hybrid
from microveil.hybrid.groups import near_originals, tell_unchanged_records
from microveil.mask import ExactNoise, Microaggregation, RankSwap
from microveil.mask.base import Mask
from microveil.mask.nested import refuse_other_columns
from microveil.partition import MDAV, Partition
from microveil.partition.base import in_blocks
from microveil.partition.by_partition import ByPartition
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, Step, depends
from microveil.run.parts import count_notes, group_parts, join_rows, refuse_other_levels, run_parts

SMALLEST_CLUSTER = 3  # mean and variance of two values give the values away


@dataclass(frozen=True, kw_only=True)
class LocalMasking(ByPartition, Hybrid, name="local-masking"):
    """Form clusters of at least k similar records and mask each cluster on its own.

    Use it where the file is a mixture and one mask for all of it would blur what distinguishes its parts: the noise
    of a cluster follows its own spread, and its values change places within it. Statistics that the mask keeps
    exactly are exact in every cluster and in every union of clusters; `restore` makes means and covariances so after
    any mask of numbers. The clusters say where values are masked and hide nobody: noise inside a cluster of k records
    does not make a link fail with probability 1 - 1/k. Protection is that of the mask, which inside clusters changes
    less than in the whole file.
    """

    partition: Annotated[
        Partition, Grid((MDAV(k=20), MDAV(k=40)), within={"k": (20, 200)}), "how the clusters are formed"
    ] = field(default_factory=lambda: MDAV(k=20))
    mask: Annotated[
        Mask, Grid((ExactNoise(), RankSwap(p=20), Microaggregation())), "the method that masks each cluster"
    ] = field(default_factory=ExactNoise)
    restore: Annotated[bool, "give every cluster its original means and covariances"] = False

    passes: ClassVar[Passes] = depends("blocks", lambda hybrid: in_blocks(hybrid.partition))
    kinds: ClassVar[tuple[str, ...]] = depends(
        ("continuous", "ordinal", "nominal"), lambda local: ("continuous",) if local.restore else local.mask.kinds
    )
    conditions: ClassVar[bool] = depends(True, lambda local: local.mask.conditions and not local.restore)
    keeps_others: ClassVar[bool] = False
    random: ClassVar[bool] = depends(True, lambda local: local.mask.random or local.partition.random)
    skips_missing: ClassVar[bool] = depends(True, lambda local: local.mask.skips_missing and not local.restore)
    spares: ClassVar[bool] = depends(False, lambda local: local.mask.spares)
    amounts_first: ClassVar[bool] = depends(False, lambda local: local.mask.amounts_first)
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

    def may_spare(self, kind: str) -> bool:
        """What the mask may spare."""
        return self.mask.may_spare(kind)

    def anonymity(self, kinds: Mapping[str, str], telling: tuple[str, ...]) -> GroupAnonymity | None:
        """That of the groups the mask forms inside clusters; the clusters themselves give none."""
        return None if self.restore else self.mask.anonymity(kinds, telling)

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The columns that the mask would take; those of numbers where moments are restored."""
        if not self.restore:
            return self.mask.resolve(data, step)
        chosen, given = super().resolve(data, step)
        refuse_other_columns(self.mask, chosen, data, step, self.name)
        return chosen, given

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Cluster, then mask cluster by cluster."""
        labels = self.partition.groups_of(table, job.streams.at("partition"))
        at_once = None
        if not self.restore or _keeps_moments(self.mask.claims(table.names)):
            at_once = self.mask.run_in_groups(table, job, labels)
        found = at_once or self._one_by_one(table, job, labels)
        hidden = self.anonymity({name: table[name].kind for name in table.names}, ())
        caution = () if hidden else (self._caution(),)
        near = (*near_originals(table, found.columns), *tell_unchanged_records(table, found.columns))
        groups = labels if found.groups is None else found.groups
        return replace(found, groups=groups, notes=(*caution, *found.notes, *near))

    def _one_by_one(self, table: Table, job: Job, labels: Labels) -> Outcome:
        """Each cluster masked by itself, with what is noted about clusters."""
        ran = run_parts(group_parts(table, job, labels, word="cluster"), self._masked, table.rows, job.engine)
        refuse_other_levels([part.outcome.columns for part in ran], self.mask.name, "cluster")
        found = join_rows(table, ran, count_notes(ran))
        return replace(found, claims=self._claims_of([part.outcome for part in ran], table.names))

    def _claims_of(self, outcomes: list[Outcome], columns: tuple[str, ...]) -> tuple[Claim, ...] | None:
        """What the mask promises in all clusters, where that depends on the data."""
        if self.restore or all(outcome.claims is None for outcome in outcomes):
            return None
        said = [self.mask.claims(columns) if one.claims is None else one.claims for one in outcomes]
        return of_union(tuple(claim for claim in said[0] if all(claim in others for others in said)))

    def _caution(self) -> str:
        return f"the clusters hide nobody among their members: protection is what {self.mask.name} gives inside them"

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


def _keeps_moments(claims: tuple[Claim, ...]) -> bool:
    """Whether there is nothing to restore: the mask keeps means and covariances of all columns."""
    return {MeansKept(), CovariancesKept()} <= set(claims)


def _equal_rows(claims: tuple[Claim, ...], columns: tuple[str, ...]) -> tuple[Claim, ...]:
    """Of the claims those that survive an affine map of all columns: rows equal on some columns only do not."""
    return tuple(
        claim
        for claim in claims
        if isinstance(claim, EqualRowsAtLeast) and set(claim.columns or columns) == set(columns)
    )
