"""Information preserving statistical obfuscation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from microveil.core.claims import Claim, CovariancesKept, MeansKept
from microveil.core.errors import BadInput
from microveil.core.parameters import Grid, Range
from microveil.data.table import Table
from microveil.run.contract import Ties, depends
from microveil.run.method import Job, Outcome
from microveil.synth.base import Synthesiser, indicators, no_origin, split_columns


@dataclass(frozen=True, kw_only=True)
class Ipso(Synthesiser, name="ipso"):
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
        "correlation of new and old residuals (variant C); none: random",
    ] = None
    freedom: Annotated[int, Range(ge=2, grid=(2,)), "records needed beyond those that fix the regression"] = 2

    conditions: ClassVar[bool] = True
    ties_record: ClassVar[Ties] = depends("kept", lambda ipso: "kept" if ipso.rho is None else "record")
    reference = "Burridge 2003; Langsrud 2019"

    @property
    def random(self) -> bool:  # type: ignore[override]
        """Fitted values alone are not drawn."""
        return self.variant != "A0"

    def validate(self) -> None:
        """The dial belongs to variant C."""
        if self.rho is not None and self.variant != "C":
            raise BadInput(f"rho={self.rho} is for variant 'C'; variant {self.variant!r} has no similarity to set")

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """C: means and covariances, also with the kept columns; A0 and B: means."""
        if self.variant == "C":
            return (MeansKept(), CovariancesKept())
        return () if self.variant == "A" else (MeansKept(),)

    def run(self, table: Table, job: Job) -> Outcome:
        """Redraw all columns together."""
        from microveil.kernels.draws.linear import ipso

        T, S = table.matrix(), indicators(job.given, table.rows)
        new = ipso(T, S, job.streams, self.variant, self.rho, self.freedom, table.names)
        # nothing ties a record to its original but the columns kept or the dial
        related = S.shape[1] > 0 or self.rho is not None
        return Outcome(split_columns(new, table), origin=None if related else no_origin(table.rows))
