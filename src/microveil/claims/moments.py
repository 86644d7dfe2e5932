"""Claims about means, variances, covariances and totals.

What rounding may add is not the worst case of every cell, which hardly anything would exceed: rounding to units of
half-width h adds errors of standard deviation h / sqrt(3) that average out over the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.claims.claim import PERMUTE, Claim, Deviation, Example, InUnions
from microveil.claims.evidence import Evidence
from microveil.claims.examples import ACROSS, FALL, GAP, RAMP, RISE, evidence_of, with_cell
from microveil.core.arrays import Bools, Matrix, Vector
from microveil.kernels.moments.observed import Moments

# Standard errors of rounding that are allowed: a sum of many small errors passes 5 once in a million files.
_ERRORS = 5.0


def _apart(after: Matrix, before: Matrix) -> Matrix:
    """The absolute difference; none where a statistic exists on neither side, infinite where on one side only."""
    missing = np.isnan(after).astype(np.int64) + np.isnan(before)
    return np.select([missing == 2, missing == 1], [0.0, np.inf], np.abs(after - before))


def _rounding_of_means(evidence: Evidence) -> Vector:
    """What rounding may add to a mean: at most h, and seldom more than the errors of that many values."""
    half = evidence.half_unit
    errors = _ERRORS * half / np.sqrt(3) * np.sqrt(evidence.independent)
    return np.asarray(np.minimum(half, errors), dtype=np.float64)


def _rounding_of_products(evidence: Evidence, spread: Vector, rises: Bools) -> Matrix:
    """What rounding may add to covariances, in standard deviations of the original; `spread` is that before rounding.

    With errors e of y, cov(y + e) - cov(y) has the entries cov(y_j, e_k) + cov(e_j, y_k) + cov(e_j, e_k). The first
    two have standard errors sd(y_j) h_k / sqrt(3 m), m the number of independent errors; they are added because columns
    may depend on one another. The last has h_j h_k / (3 sqrt(m)) at most, and for j = k the mean h^2 / 3 (Sheppard),
    which makes variances larger only. Nothing exceeds the worst case of every cell.
    """
    step = evidence.half_unit / evidence.scale
    after = evidence.moments_after
    # a covariance is over complete rows: fewer errors than in a column with gaps elsewhere
    share = evidence.independent * after.counts / max(after.complete_rows, 1)
    cross = np.outer(spread, step * np.sqrt(share / 3))
    both = np.outer(step, step)
    errors = _ERRORS * (cross + cross.T + both / 3 * np.sqrt(np.maximum.outer(share, share)))
    errors += np.diag(np.where(rises, step**2 / 3, 0.0))
    worst = np.outer(spread, step)
    return np.asarray(np.minimum(errors, worst + worst.T + both), dtype=np.float64)


@dataclass(frozen=True)
class MeansKept(Claim):
    """Every attribute mean is exactly the original's."""

    seen_by = "moments"
    text = "means{of} are exactly the original's"
    in_spreads = True
    withstands = frozenset({PERMUTE})

    @property
    def in_unions(self) -> InUnions:
        """Means add up."""
        return "yes"

    @property
    def composes(self) -> bool:
        return True

    def deviation(self, evidence: Evidence) -> Deviation:
        change = _apart(evidence.moments_after.means, evidence.moments_before.means)
        return Deviation(change / evidence.scale, evidence.exact, _rounding_of_means(evidence) / evidence.scale)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        return [
            Example(cls(), evidence_of(RISE, FALL), True, "mirrored at the means"),
            Example(cls(), evidence_of(RISE, with_cell(FALL, 1, 0, 50 + 1e-6)), False, "one cell of the last column"),
            Example(cls(), evidence_of(RISE, with_cell(FALL, 0, 5, 1 + 1e-7)), False, "one cell of the first column"),
            Example(cls(), evidence_of([[1, GAP, 3]], [[3, GAP, 1]]), True, "a gap stays"),
            Example(cls(), evidence_of([[1, GAP, 3]], [[3, GAP, GAP]]), False, "a cell was lost"),
            Example(cls(), evidence_of([[GAP, GAP]], [[GAP, GAP]]), True, "no value on either side"),
            Example(cls(), evidence_of([[GAP, GAP]], [[GAP, 1]]), False, "a value where there was none"),
            Example(
                cls(), evidence_of([RAMP], [RAMP + 0.1], half_unit=0.5), True, "off by less than 5 rounding errors"
            ),
            Example(cls(), evidence_of([RAMP], [RAMP + 0.104], half_unit=0.5), False, "off by more than rounding is"),
        ]


@dataclass(frozen=True)
class VariancesKept(Claim):
    """Every attribute variance is exactly the original's."""

    seen_by = "moments"
    text = "variances{of} are exactly the original's"
    in_spreads = True
    withstands = frozenset({PERMUTE})

    @property
    def in_unions(self) -> InUnions:
        """The variance of a union is that inside the parts and that of their means."""
        return "with means"

    @property
    def composes(self) -> bool:
        return True

    def deviation(self, evidence: Evidence) -> Deviation:
        before, after = evidence.moments_before.variances, evidence.moments_after.variances
        spread = np.nan_to_num(np.sqrt(before) / evidence.scale)
        rounding = np.diag(_rounding_of_products(evidence, spread, after > before))
        return Deviation(_apart(after, before) / evidence.scale**2, evidence.exact, rounding)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        wider, too_wide = (50 + (RAMP - 50) * np.sqrt(1 + more) for more in (0.0068, 0.0076))
        narrower, too_narrow = (50 + (RAMP - 50) * np.sqrt(1 - less) for less in (0.0068, 0.0074))
        return [
            Example(cls(), evidence_of(RISE, [[7, 8, 9, 10, 11, 12], RISE[1]]), True, "shifted"),
            Example(cls(), evidence_of(RISE, with_cell(RISE, 1, 0, 10 - 1e-6)), False, "one cell of the last column"),
            Example(cls(), evidence_of(RISE, with_cell(RISE, 0, 0, 1 + 1e-7)), False, "one cell of the first column"),
            Example(cls(), evidence_of([[1, GAP, 3]], [[4, GAP, 2]]), True, "a gap stays"),
            Example(cls(), evidence_of([[1, GAP, 3]], [[2, GAP, GAP]]), False, "a cell was lost"),
            Example(cls(), evidence_of([[GAP, GAP]], [[GAP, GAP]]), True, "no value on either side"),
            Example(cls(), evidence_of([RAMP], [wider], half_unit=0.5), True, "wider by less than 5 rounding errors"),
            Example(cls(), evidence_of([RAMP], [too_wide], half_unit=0.5), False, "wider than rounding makes it"),
            Example(cls(), evidence_of([RAMP], [narrower], half_unit=0.5), True, "narrower by less than that"),
            Example(cls(), evidence_of([RAMP], [too_narrow], half_unit=0.5), False, "narrower than rounding makes it"),
        ]


@dataclass(frozen=True)
class CovariancesKept(Claim):
    """The covariance matrix is `factor` times the original's, with the kept columns unchanged."""

    seen_by = "moments"
    uses_given = True
    in_spreads = True
    text = "covariances{of} are exactly the original's"
    factor: float = 1.0
    diagonal: float = 0.0

    @property
    def in_unions(self) -> InUnions:
        """The covariance of a union is that inside its parts and that of their means, which no factor enlarges."""
        return "no" if self.factor != 1 or self.diagonal != 0 else "with means"

    def __str__(self) -> str:
        if self.diagonal:
            return f"{super().__str__()}, variances {1 + self.diagonal:g} times"
        if self.factor != 1:
            of = f" of {self.named}" if self.columns else ""
            return f"covariances{of} are exactly {self.factor:g} times the original's, so correlations are kept"
        return super().__str__()

    @property
    def public(self) -> str:
        """Without the factor, which is what noise was set to."""
        of = f" of {self.named}" if self.columns else ""
        if self.diagonal:
            return f"covariances{of} are exactly the original's; variances are larger by a common factor"
        if self.factor != 1:
            return f"covariances{of} are those of the original times a common factor, so correlations are kept"
        return str(self)

    @property
    def composes(self) -> bool:
        return self.factor == 1 and self.diagonal == 0

    def deviation(self, evidence: Evidence) -> Deviation:
        present = evidence.moments_before.counts > 0
        if not np.array_equal(present, evidence.moments_after.counts > 0):
            return Deviation(np.inf, 0.0)
        if not present.all():
            # a column without any value has no covariance on either side; those of the others are looked at
            evidence = evidence.only([name for name, here in zip(evidence.columns, present, strict=True) if here])
        parts = [self._among(evidence), *self._with_given(evidence)]
        return Deviation(*(np.concatenate([np.ravel(side) for side in sides]) for sides in zip(*parts, strict=True)))

    def _among(self, evidence: Evidence) -> tuple[Matrix, Matrix, Matrix]:
        units = np.outer(evidence.scale, evidence.scale)
        before, after = (side.covariances / units for side in (evidence.moments_before, evidence.moments_after))
        target = self.factor * before + self.diagonal * np.diag(np.diag(before))
        spread = np.sqrt(np.nan_to_num(np.diag(target)))
        rounding = _rounding_of_products(evidence, spread, np.diag(after > target))
        return _apart(after, target), np.maximum.outer(evidence.exact, evidence.exact), rounding

    def _with_given(self, evidence: Evidence) -> list[tuple[Matrix, Matrix, Matrix]]:
        """The change of covariances with the kept columns, over released rows that have an original."""
        change = evidence.change_beside_given
        if change is None:
            return []
        spread, products = change
        found = np.abs(products) / np.outer(np.where(spread > 0, spread, 1.0), evidence.scale)
        step = _rounding_of_means(evidence) / evidence.scale
        return [(found, np.broadcast_to(evidence.exact, found.shape), np.broadcast_to(step, found.shape))]

    @classmethod
    def examples(cls) -> Sequence[Example]:
        kept = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
        noisier = ACROSS[0] * np.sqrt(1.5), ACROSS[1] * np.sqrt(1.5)
        return [
            Example(cls(), evidence_of(RISE, FALL), True, "both columns mirrored"),
            Example(cls(), evidence_of(RISE, [RISE[0], FALL[1]]), False, "the last column mirrored alone"),
            Example(cls(), evidence_of(RISE, with_cell(FALL, 0, 5, 1 + 1e-7)), False, "one cell of the first column"),
            Example(cls(), evidence_of(RISE, with_cell(FALL, 1, 5, 10 - 1e-6)), False, "one cell of the last column"),
            Example(cls(), evidence_of([RISE[0]], [RISE[0]], given=kept), True, "as before beside a kept column"),
            Example(cls(), evidence_of([RISE[0]], [FALL[0]], given=kept), False, "mirrored beside a kept column"),
            Example(
                cls(),
                evidence_of([RISE[0]], [RISE[0][1:] + RISE[0][:1]], given=kept, origin=[1, 2, 3, 4, 5, 0]),
                True,
                "rows in another order beside a kept column",
            ),
            Example(
                cls(), evidence_of([[1, 2, 3], [GAP] * 3], [[3, 2, 1], [GAP] * 3]), True, "a column without a value"
            ),
            Example(cls(), evidence_of([[1, 2, 3], [GAP] * 3], [[3, 2, 2], [GAP] * 3]), False, "the column beside it"),
            Example(
                cls(), evidence_of([[1, 2], [GAP, GAP]], [[2, 1], [GAP, 1]]), False, "a value where there was none"
            ),
            Example(cls(), evidence_of([[1, 2, GAP], [3, 5, 7]], [[2, 1, GAP], [5, 3, 9]]), True, "complete rows only"),
            Example(cls(), evidence_of([[1, 2], [3, 5]], [[GAP, 2], [3, GAP]]), False, "no row is complete any more"),
            Example(
                cls(factor=4.0),
                evidence_of(RISE, [2 * np.array(column) for column in RISE]),
                True,
                "all twice as large",
            ),
            Example(cls(factor=4.0), evidence_of(RISE, RISE), False, "the original itself"),
            Example(
                cls(diagonal=0.5), evidence_of(ACROSS, noisier), True, "variances only, as columns are uncorrelated"
            ),
            Example(cls(diagonal=0.5), evidence_of(ACROSS, ACROSS), False, "variances as before"),
        ]


@dataclass(frozen=True)
class CovariancesAmongReplaced(CovariancesKept):
    """The covariance matrix of the replaced columns is the original's; nothing is said about kept columns."""

    def __str__(self) -> str:
        if self.columns:
            return f"covariances of {self.named} with one another are exactly the original's"
        return "covariances of the replaced columns with one another are exactly the original's"

    def _with_given(self, evidence: Evidence) -> list[tuple[Matrix, Matrix, Matrix]]:
        return []

    @classmethod
    def examples(cls) -> Sequence[Example]:
        kept = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
        return [
            Example(cls(), evidence_of(RISE, FALL, given=kept), True, "mirrored beside a kept column"),
            Example(cls(), evidence_of(RISE, [FALL[0], RISE[1]], given=kept), False, "one column mirrored alone"),
            Example(cls(), evidence_of(RISE, with_cell(FALL, 1, 5, 10 - 1e-6), given=kept), False, "one cell"),
        ]


@dataclass(frozen=True)
class TotalsWithin(Claim):
    """Column totals differ from the original's by at most `distance`."""

    uses_given = False
    text = "totals{of} differ by {distance:,.12g} at most"
    distance: float = 0.0
    withstands = frozenset({PERMUTE})

    @property
    def public(self) -> str:
        """Without by how much."""
        return f"totals{f' of {self.named}' if self.columns else ''} are nearly the original's"

    def deviation(self, evidence: Evidence) -> Deviation:
        before, after = ([column.sum() for column in side.observed] for side in _sides(evidence))
        size = np.array([np.abs(column).sum() for column in evidence.moments_before.observed])
        rounding = evidence.moments_after.counts * _rounding_of_means(evidence)
        return Deviation(np.abs(np.subtract(after, before)), self.distance + 1e-12 * size, rounding)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        return [
            Example(
                cls(distance=1.0), evidence_of(RISE, with_cell(RISE, 0, 0, 2.0)), True, "one more in the first column"
            ),
            Example(
                cls(distance=1.0), evidence_of(RISE, with_cell(RISE, 0, 0, 0.0)), True, "one less in the first column"
            ),
            Example(
                cls(distance=1.0), evidence_of(RISE, with_cell(RISE, 1, 5, 58.99)), False, "too little in the last"
            ),
            Example(cls(distance=1.0), evidence_of(RISE, with_cell(RISE, 1, 5, 61.01)), False, "too much in the last"),
            Example(cls(distance=1.0), evidence_of([[1, GAP]], [[2, GAP]]), True, "a gap stays"),
            Example(cls(distance=1.0), evidence_of([[1, GAP]], [[1, 1.01]]), False, "a gap was filled"),
            Example(
                cls(), evidence_of([RAMP], [RAMP + 0.1], half_unit=0.5), True, "off by less than 5 rounding errors"
            ),
            Example(cls(), evidence_of([RAMP], [RAMP + 0.104], half_unit=0.5), False, "off by more than rounding is"),
        ]


def _sides(evidence: Evidence) -> tuple[Moments, Moments]:
    return evidence.moments_before, evidence.moments_after
