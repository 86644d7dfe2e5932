"""Restoring the original moments after masking."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import (
    AFFINE,
    LINEAR,
    Claim,
    CovariancesKept,
    EqualRowsAtLeast,
    GroupsAtLeast,
    MeansKept,
    VariancesKept,
)
from microveil.core.arrays import Matrix
from microveil.core.errors import BadInput, MissingValues
from microveil.core.open_types import Stated
from microveil.core.parameters import Example
from microveil.data.matrices import split_columns
from microveil.data.microdata import Microdata
from microveil.data.table import Table
from microveil.mask.base import Mask, depends
from microveil.mask.learnt_rescale import Masked, OfAllColumns, OfColumns, Restoring, Touched, nested, restore
from microveil.mask.microaggregation import Microaggregation
from microveil.mask.nested import check_acts_on_numbers, refuse_other_columns, run_nested
from microveil.mask.uncorrelated_noise import UncorrelatedNoise
from microveil.run.by_rows import ByRows, ByRowsAfar
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, Step

_UNTOUCHED = (
    "rescale restores the moments that earlier steps changed, and nothing was changed in these columns; put it after "
    "another step of a plan, or give it a mask"
)


@dataclass(frozen=True, kw_only=True)
class Rescale(ByRowsAfar, Mask, name="rescale"):
    """Give masked columns the original's means and variances, or its covariances, by an affine map.

    Use it after a method that shrinks or inflates variances: as a later step of a plan, or around a nested
    `mask`. Equal records stay equal, so k-anonymity survives. `variance` works column by column and leaves
    the masked correlations; `covariance` makes the smallest change that restores the whole matrix.
    """

    mask: Annotated[
        Mask | None, Example({"rank-swap": {"p": 7}}), "the method whose result is restored; none: the steps before"
    ] = None
    level: Annotated[Literal["variance", "covariance"], "what is restored"] = "variance"

    passes: ClassVar[Passes] = depends(
        "sums", lambda step: "sums" if step.mask is None or step.mask.passes in ("row", "sums") else "file"
    )
    gathers: ClassVar[bool] = depends(
        True, lambda step: step.mask is None or (isinstance(step.mask, ByRows) and step.mask.gathers)
    )
    random: ClassVar[bool] = depends(True, lambda step: step.mask is not None and step.mask.random)
    skips_missing: ClassVar[bool] = depends(
        True, lambda step: step.level == "variance" and (step.mask is None or step.mask.skips_missing)
    )
    example: ClassVar[Stated] = {"mask": Microaggregation()}
    also_try = ({"mask": UncorrelatedNoise()}, {"mask": UncorrelatedNoise(), "level": "covariance"})
    restores: ClassVar[bool] = True
    change: ClassVar[str] = depends(
        "", lambda step: "" if step.mask is not None else AFFINE if step.level == "variance" else LINEAR
    )
    follows: ClassVar[bool] = depends(True, lambda step: step.mask is None)
    reference = "Mateo-Sanz, Domingo-Ferrer & Sebe 2005"

    def validate(self) -> None:
        """The mask must act on numbers."""
        if self.mask is not None:
            check_acts_on_numbers(self.mask)

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The columns of numbers; the mask may need no others."""
        chosen, given = super().resolve(data, step)
        if self.mask is not None:
            refuse_other_columns(self.mask, chosen, data, step, self.name)
        return chosen, given

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """The restored moments, and of the nested mask what an affine map keeps."""
        restored = VariancesKept() if self.level == "variance" else CovariancesKept()
        nested = () if self.mask is None else self.mask.claims(columns)
        survivors = [claim for claim in nested if isinstance(claim, EqualRowsAtLeast | GroupsAtLeast)]
        if self.level == "covariance":
            # the map mixes columns: rows equal on some of them only do not stay equal there
            survivors = [claim for claim in survivors if set(claim.columns or columns) == set(columns)]
        return (MeansKept(), restored, *survivors)

    def learn(self, table: Table, job: Job) -> Restoring:
        """What the mask must know, and the maps from moments of all records."""
        if self.mask is None:
            touched = job.engine.gather(table, job, lambda some, its: Touched.of(some, its.original.columns))
            if not touched.changed:
                raise BadInput(_UNTOUCHED)
            masked = Masked(None)
        else:
            assert isinstance(self.mask, ByRows)
            masked = Masked(self.mask, self.mask.learn(table, nested(self.mask, table, job)))
        level = OfColumns if self.level == "variance" else OfAllColumns
        return level.learn(masked, table, job)

    def act(self, table: Table, job: Job, known: Restoring) -> Outcome:
        """Mask some records and restore."""
        return restore(known, table, job)

    def settle(self, found: Outcome, table: Table, job: Job, known: Restoring) -> Outcome:
        """What the mask tells of all records."""
        mask, inner = known.masked.mask, known.masked.inner
        if mask is None:
            return found
        told = mask.settle(Outcome(found.columns, tallies=found.tallies), table, nested(mask, table, job), inner)
        return replace(found, notes=told.notes, tallies=told.tallies)

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Mask if there is a mask, then restore."""
        if self.mask is None:
            _refuse_untouched(table, job.original)
            masked, result = Outcome(table.columns), table
        else:
            if table.incomplete.any() and not self.mask.skips_missing:
                raise MissingValues(f"{self.mask.name} needs complete records; use missing='drop'")
            masked, result = run_nested(self.mask, table, job)
        Y, X = result.matrix(), job.original.matrix(table.names)
        by_column = self.level == "variance"
        restored = restore_variances(Y, X, table.names) if by_column else restore_covariances(Y, X)
        return replace(masked, columns={**masked.columns, **split_columns(restored, result)})


def _refuse_untouched(table: Table, original: Table) -> None:
    same = all(
        np.array_equal(values.numbers, original[name].numbers, equal_nan=True) for name, values in table.columns.items()
    )
    if same:
        raise BadInput(_UNTOUCHED)


def restore_variances(Y: Matrix, X: Matrix, names: tuple[str, ...]) -> Matrix:
    """Each column of Y moved and stretched to the mean and variance of that column of X; gaps aside."""
    out = np.full_like(Y, np.nan)
    for j, name in enumerate(names):
        y, x = Y[~np.isnan(Y[:, j]), j], X[~np.isnan(X[:, j]), j]
        if len(y) and len(x):
            out[~np.isnan(Y[:, j]), j] = _restored(y, x, name)
    return out


def _restored(y: Matrix, x: Matrix, name: str) -> Matrix:
    from microveil.kernels.moments.central import constant_columns, mean_and_covariance

    mean, target = (moment.item() for moment in mean_and_covariance(x[:, None]))
    if target == 0:
        return np.full(len(y), mean)
    if constant_columns(y[:, None])[0]:
        raise BadInput(f"{name!r} is constant after masking: its variance cannot be restored; mask it less")
    middle, spread = (moment.item() for moment in mean_and_covariance(y[:, None]))
    return np.asarray((y - middle) * np.sqrt(target / spread) + mean)


def restore_covariances(Y: Matrix, X: Matrix) -> Matrix:
    """The rows nearest to Y with mean and covariance of X; equal rows stay equal."""
    from microveil.kernels.linalg.recolour import recolour
    from microveil.kernels.moments.central import mean_and_covariance
    from microveil.kernels.tables.equal_rows import first_equal_rows

    if np.isnan(Y).any() or np.isnan(X).any():
        raise MissingValues("restoring covariances needs complete records; use missing='drop' or level='variance'")
    mean, V = mean_and_covariance(X)
    try:
        restored = recolour(Y, mean, V, "sym")
    except BadInput as problem:
        raise BadInput(
            f"the covariance cannot be restored without separating equal records: {problem}; use level='variance'"
        ) from None
    # rounding may differ between rows of a product
    return np.asarray(restored[first_equal_rows(Y)])
