"""Information preserving statistical obfuscation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, CovariancesAmongReplaced, CovariancesKept, MeansKept
from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.core.parameters import Grid, Range, When
from microveil.data.matrices import indicators, split_columns
from microveil.data.table import Table
from microveil.run.afar import Afar, Rows
from microveil.run.by_rows import ByRowsAfar
from microveil.run.contract import Passes, Ties, depends
from microveil.run.method import Job, Outcome
from microveil.synth.base import Synthesiser, no_origin
from microveil.synth.in_groups import PLAINLY, InGroups, LeastGroup
from microveil.synth.ipso_afar import ipso_afar
from microveil.synth.ipso_in_groups import small_groups_of, turn_groups, turn_pooled_groups


@dataclass(frozen=True, kw_only=True)
class Ipso(ByRowsAfar, Synthesiser, name="ipso"):
    """Redraw columns from their regression on the columns kept, keeping what that regression says exactly.

    Use it when analysts will regress the replaced columns on the kept ones. Variant C keeps means, covariances,
    coefficients and residual covariance exactly, whatever the rank; B keeps the coefficients; A draws independent
    normal residuals; A0 releases the fitted values alone. `rho` is the exact correlation of new and old residual
    components of variant C: 0 unrelated, 1 the original. Without given columns the records are synthetic.
    """

    variant: Annotated[Literal["A0", "A", "B", "C"], Grid(("C", "B", "A", "A0")), "what is kept exactly"] = "C"
    rho: Annotated[
        float | None,
        Range(ge=0, le=1, grid=(0.5, 0.9)),
        When(variant="C"),
        "correlation of new and old residuals (variant C); none: random",
    ] = None
    freedom: Annotated[int, Range(ge=2, grid=(2,)), "records needed beyond those that fix the regression"] = 2

    passes: ClassVar[Passes] = depends("sums", lambda ipso: "sums" if ipso.rho is None else "file")
    conditions: ClassVar[bool] = True
    ties_record: ClassVar[Ties] = depends("kept", lambda ipso: "kept" if ipso.rho is None else "record")
    returns_determined: ClassVar[bool] = True
    least_records: ClassVar[tuple[int, int]] = (3, 0)
    reference = "Burridge 2003; Langsrud 2019"

    @property
    def random(self) -> bool:  # type: ignore[override]
        """Fitted values alone are not drawn."""
        return self.variant != "A0"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """C: means and covariances, also with the kept columns; A0 and B: means."""
        if self.variant == "C":
            return (MeansKept(), CovariancesKept())
        return () if self.variant == "A" else (MeansKept(),)

    def learn(self, table: Table, job: Job) -> Rows:
        """How new rows are made of records that are not all in memory."""
        if not job.given.names:
            raise BadInput(
                f"{self.name} without given columns makes synthetic records, which takes all of them in memory; name "
                "columns to keep (given), give by=..., or run with engine='memory'"
            )
        return ipso_afar(Afar(table, job), self.variant, self.freedom)

    def act(self, table: Table, job: Job, known: Rows) -> Outcome:
        """Redraw some records."""
        return Outcome(split_columns(known(table, job), table))

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Redraw all columns together."""
        from microveil.kernels.draws.linear import ipso

        T, S = table.matrix(), indicators(job.given, table.rows)
        new = ipso(T, S, job.streams, self.variant, self.rho, self.freedom, table.names)
        # nothing ties a record to its original but the columns kept or the dial
        related = S.shape[1] > 0 or self.rho is not None
        return Outcome(split_columns(new, table), origin=None if related else no_origin(table.rows))

    # -- in groups -------------------------------------------------------------------------------

    def refuse_in_groups(self, how: InGroups = PLAINLY) -> None:
        """Pooling and jitter are about the exact moments of variant C."""
        if self.variant == "C":
            return
        if how.small_groups == "pooled":
            raise BadInput(f"small_groups='pooled' is for variant 'C' of {self.name}; the variant is {self.variant!r}")
        if how.jitter_moments > 0:
            raise BadInput(
                f"jitter_moments={how.jitter_moments:g} moves the exact moments of variant 'C' of {self.name}; the "
                f"variant is {self.variant!r}"
            )

    def least_group(self, table: Table, given: Table) -> LeastGroup:
        """One record for the mean, one for each kept column, and the free dimensions."""
        kept, free = indicators(given, table.rows).shape[1], self._dimensions(len(table.names))
        return LeastGroup(1 + kept + free, f"1 + {kept} for the columns kept + {free} free dimensions")

    def refuse_groups_of(self, k: int, given: Table) -> None:
        """Groups of k must not be fitted without residuals: the original would come back."""
        kept = len(given.names)
        if k <= kept + 1:
            raise BadInput(
                f"k={k} with {kept} kept columns: a regression on them fits groups of {k} records without residuals, "
                f"so that IPSO would return the original; take k >= {kept + 1 + self.freedom}, keep fewer columns "
                "(given; none unless you name them) or set small_groups"
            )

    def exact_in_groups(self, columns: tuple[str, ...], how: InGroups = PLAINLY) -> tuple[Claim, ...]:
        """Nothing with jitter; one regression for all groups keeps only the means of each."""
        if how.jitter_moments > 0:
            return ()
        kept = self.claims(columns)
        if how.small_groups == "pooled":
            return tuple(claim for claim in kept if not isinstance(claim, CovariancesKept))
        return _among_replaced(kept) if how.small_groups == "drop_kept" else kept

    def claims_in_groups(self, columns: tuple[str, ...], how: InGroups = PLAINLY) -> tuple[Claim, ...]:
        """One regression for all groups keeps the covariances of the file."""
        if how.small_groups == "pooled" and how.jitter_moments == 0:
            return self.claims(columns)
        return super().claims_in_groups(columns, how)

    def draw_in_groups(self, table: Table, job: Job, labels: Ints, how: InGroups = PLAINLY) -> Outcome:
        """Variant C turns the residuals of all groups at once; the others are drawn group by group."""
        self.refuse_in_groups(how)
        small = np.zeros(0, dtype=np.bool_)
        if how.small_groups in ("drop_kept", "pooled"):
            small = small_groups_of(job.given, labels, self._dimensions(len(table.names)))
        if not small.any():
            how = replace(how, small_groups="error")  # nothing had to be given up
        if self.variant != "C":
            found = self._one_by_one(table, job, labels, how, small if small.any() else None)
            left_out = f"in {int(small.sum())} of {len(small)} groups the kept columns were left out"
            return replace(found, notes=(left_out, *found.notes)) if small.any() else found
        if how.small_groups == "pooled":
            found = turn_pooled_groups(table, job, labels, self.rho, self.freedom, how.jitter_moments)
        else:
            found = turn_groups(table, job, labels, small, self.rho, self.freedom, how.jitter_moments)
        return replace(found, claims=self.claims_in_groups(table.names, how))

    def _dimensions(self, replaced: int) -> int:
        """Free dimensions a group should have: one a column replaced, twice as many to stay near the original."""
        return max(self.freedom, replaced if self.rho in (None, 1) else 2 * replaced)


def _among_replaced(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """What is left where the kept columns were left out."""
    return tuple(CovariancesAmongReplaced() if isinstance(claim, CovariancesKept) else claim for claim in claims)
