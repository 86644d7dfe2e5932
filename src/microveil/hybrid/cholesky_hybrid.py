"""Masked data brought back to the original's exact means and covariances."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import Claim, CovariancesKept, EqualRowsAtLeast, GroupsAtLeast, MeansKept
from microveil.core.errors import BadInput, MissingValues, NotEnoughRecords
from microveil.core.parameters import Grid
from microveil.data.method import Job, Outcome
from microveil.data.table import Table
from microveil.hybrid.base import Hybrid
from microveil.hybrid.triangular import triangular_hybrid
from microveil.mask.base import Mask, depends, split_columns
from microveil.mask.microaggregation import Microaggregation
from microveil.mask.rank_swap import RankSwap
from microveil.mask.uncorrelated_noise import UncorrelatedNoise

Matrix = NDArray[np.float64]

SMALLEST_FILE = 3  # mean and variance of two values give the values away
SURVIVING = (EqualRowsAtLeast, GroupsAtLeast)


@dataclass(frozen=True, kw_only=True)
class CholeskyHybrid(Hybrid, name="cholesky-hybrid"):
    """Mask the records, then move them so that means and covariances are exactly the original's.

    Use it when records should stay similar and linear analyses come out the same; with `by` they do in every
    subdomain and so in any union of subdomains. `minimal` makes the smallest change to the masked file, and
    equal masked records stay equal; `polar` is the same optimum found in another way that also takes masked
    files with fewer distinct records than columns; `paper` is the published triangular algorithm, which puts
    the whole correction on as many records as there are columns less one and so moves the others further.
    """

    mask: Annotated[
        Mask,
        Grid((RankSwap(p=7), Microaggregation(), UncorrelatedNoise())),
        "the method whose result is brought back to the original's moments",
    ] = field(default_factory=lambda: RankSwap(p=7))
    core: Annotated[Literal["minimal", "polar", "paper"], "how the moments are restored"] = "minimal"

    also_try = (
        {"mask": Microaggregation(), "core": "polar"},
        {"mask": Microaggregation(), "core": "paper"},
        {"mask": UncorrelatedNoise(), "core": "paper"},
    )
    # directions that masking lost are drawn too: an exception, and noted
    random: ClassVar[bool] = depends(True, lambda method: method.mask.random)
    reference = (
        "Domingo-Ferrer, Mateo-Sanz & Sebe, Information loss in continuous hybrid microdata; Olkin & Pukelsheim 1982"
    )

    def validate(self) -> None:
        """The mask must act on numbers."""
        if "continuous" not in self.mask.kinds:
            raise BadInput(
                f"mask={self.mask.name!r} protects {' and '.join(self.mask.kinds)} columns; give a mask of numbers,"
                " such as 'rank-swap'"
            )

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Means and covariances; of the mask what one affine map of all columns keeps."""
        kept = tuple(claim for claim in self.mask.claims(columns) if isinstance(claim, SURVIVING))
        # the map mixes columns: records equal on some columns only do not stay so
        whole = tuple(claim for claim in kept if not claim.columns or set(claim.columns) == set(columns))
        return (MeansKept(), CovariancesKept(), *(whole if self.core == "minimal" else ()))

    def run(self, table: Table, job: Job) -> Outcome:
        """Mask, then restore."""
        from microveil.kernels.moments import mean_and_covariance

        X = table.matrix()
        mean, V = mean_and_covariance(X)
        masked = self.mask.run(table, replace(job, streams=job.streams.at(self.mask.name)))
        changed = _released(masked, table)
        Y = self._numbers(changed)
        self._check_size(len(Y), V)
        restored, notes = self._restored(Y, mean, V, job, table.names)
        columns = {**masked.columns, **split_columns(restored, changed)}
        return replace(masked, columns=columns, notes=(*masked.notes, *notes))

    def _numbers(self, changed: Table) -> Matrix:
        recoded = [name for name, values in changed.columns.items() if values.levels is not None]
        if recoded:
            raise BadInput(f"{self.mask.name} made categories of {recoded}; give a mask that leaves numbers")
        Y = changed.matrix()
        if np.isnan(Y).any():
            raise MissingValues(f"{self.mask.name} left gaps and covariances need complete records; use another mask")
        return Y

    def _check_size(self, n: int, V: Matrix) -> None:
        from microveil.kernels.linear import factor

        rank = len(factor(V))
        needed = max(SMALLEST_FILE, rank + 1)
        if n < needed:
            raise NotEnoughRecords(
                f"{self.name} needs at least {needed} records for {rank} independent columns: {n} given"
            )

    def _restored(
        self, Y: Matrix, mean: Matrix, V: Matrix, job: Job, names: tuple[str, ...]
    ) -> tuple[Matrix, tuple[str, ...]]:
        """The masked records with this mean and covariance, and notes."""
        from microveil.kernels.recolour import recolour

        if self.core == "paper":
            return triangular_hybrid(Y, mean, V), ()
        mode: Literal["sym", "procrustes"] = "sym" if self.core == "minimal" else "procrustes"
        equal_rows = _has_equal_rows(self.claims(names))
        try:
            restored = recolour(Y, mean, V, mode)
        except BadInput:
            if equal_rows:
                raise BadInput(
                    f"the covariance cannot be restored without separating the equal records of {self.mask.name}:"
                    f" the masked file has too few different records; mask less, or use core='polar'"
                ) from None
            restored = recolour(Y, mean, V, mode, job.streams.at("fill").generator())
            return restored, ("the masked file lacks directions of the original; they were drawn at random",)
        return (restored[_first_equal(Y)] if equal_rows else restored), ()


def _has_equal_rows(claims: tuple[Claim, ...]) -> bool:
    return any(isinstance(claim, EqualRowsAtLeast) for claim in claims)


def _released(masked: Outcome, table: Table) -> Table:
    """The columns after masking; a mask that only draws records returns none of them."""
    origin = np.arange(table.rows) if masked.origin is None else masked.origin
    columns = {
        name: masked.columns[name] if name in masked.columns else values.at(origin)
        for name, values in table.columns.items()
    }
    return Table(columns, len(origin))


def _first_equal(Y: Matrix) -> NDArray[np.int64]:
    """For each row the first row that equals it: rounding may differ between rows of a product."""
    _, first, of_row = np.unique(Y, axis=0, return_index=True, return_inverse=True)
    return np.asarray(first[of_row.reshape(-1)], dtype=np.int64)
