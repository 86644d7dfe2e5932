"""Inference from several synthetic files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from microveil.core.arrays import Bools, Floats
from microveil.core.errors import BadInput

Synthesis = Literal["full", "partial", "plug-in"]
SYNTHESES: tuple[str, ...] = ("full", "partial", "plug-in")


class WaldTest(NamedTuple):
    """A joint test of estimands: its statistic, its p-value, and the two degrees of freedom of F."""

    statistic: float
    p_value: float
    freedom: tuple[float, float]


@dataclass(frozen=True)
class Combined:
    """Combined estimates: one value each per estimand (arrays), with the between- and within-file variances."""

    estimate: Floats
    variance: Floats
    freedom: Floats
    between: Floats
    within: Floats
    files: int
    synthesis: str
    adjusted: Bools  # where a negative variance was replaced
    covariances: tuple[Floats, Floats] | None = None  # between and within, of a vector of estimands

    @property
    def error(self) -> Floats:
        """Standard errors."""
        return np.asarray(np.sqrt(self.variance))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Confidence limits by the t distribution (normal where the degrees of freedom are infinite)."""
        half = _t_quantile((1 + level) / 2, self.freedom) * self.error
        return self.estimate - half, self.estimate + half

    @property
    def p_value(self) -> Floats:
        """Two-sided p-values of the hypothesis that an estimand is 0."""
        from scipy.special import ndtr, stdtr

        ratio = -np.abs(self.estimate / self.error)
        finite = np.where(np.isfinite(self.freedom), np.maximum(self.freedom, 1e-6), 1.0)
        return np.asarray(2 * np.where(np.isfinite(self.freedom), stdtr(finite, ratio), ndtr(ratio)))

    def test(self, hypothesis: ArrayLike = 0.0) -> WaldTest:
        """Wald test that all estimands together have these values.

        Reference: Reiter 2005, Significance tests for multi-component estimands from multiply imputed, synthetic
        microdata.
        """
        from scipy.stats import f

        if self.covariances is None:
            raise BadInput("a joint test needs covariance matrices: give variances of shape files x k x k to combine")
        B, U = self.covariances
        k, m = len(self.estimate), self.files
        gap = self.estimate - np.broadcast_to(np.asarray(hypothesis, dtype=np.float64), (k,))
        distance = float(gap @ np.linalg.solve(U, gap))
        if self.synthesis == "plug-in":
            ratio = float(np.mean(self.variance / self.within))
            statistic = distance / (k * ratio)
            return WaldTest(statistic, float(f.sf(statistic, k, np.inf)), (float(k), float("inf")))
        trace = float(np.trace(np.linalg.solve(U, B))) / k
        t = k * (m - 1)
        if self.synthesis == "partial":
            r = trace / m
            statistic, sign = distance / (k * (1 + r)), 1.0
        else:
            r = (1 + 1 / m) * trace
            if r <= 1:
                raise BadInput(
                    f"the files differ too little for a joint test (ratio {r:.3g}, more than 1 is needed): make more"
                )
            statistic, sign = distance / (k * (r - 1)), -1.0
        if t > 4:
            freedom = 4 + (t - 4) * (1 + sign * (1 - 2 / t) / r) ** 2
        else:
            freedom = t * (1 + 1 / k) * (1 + sign / r) ** 2 / 2
        return WaldTest(statistic, float(f.sf(statistic, k, freedom)), (float(k), float(freedom)))


def combine(
    estimates: ArrayLike,
    variances: ArrayLike,
    synthesis: Synthesis = "partial",
    *,
    records: int | None = None,
    original_records: int | None = None,
    target: Literal["population", "original"] = "population",
    proper: bool = False,
) -> Combined:
    """Estimates from m synthetic files joined into one, with a valid variance.

    `estimates`: one number, or one vector of k numbers, per file; `variances`: their variances, or k x k covariance
    matrices. u is the mean of the variances, b the variance of the estimates between files, n the number of
    original records. Rules for the variance: `full`, all values synthetic by multiple imputation: (1 + 1/m) b - u,
    where that is negative (records / n) u (Raghunathan, Reiter & Rubin 2003; Reiter 2002); `partial`, some values
    replaced: u + b/m (Reiter 2003); `plug-in`, all values drawn from fitted models: v = (records / n) u for the
    estimate that the original gives, v (1 + (n / records) / m) for the population, with n / records + 1 in place of
    n / records where parameters were drawn too (`proper`; Raab, Nowok & Dibben 2016).

    >>> found = combine([1.0, 2.0, 3.0], [0.5, 0.5, 0.5], "full")
    >>> float(found.estimate[0]), round(float(found.variance[0]), 6)
    (2.0, 0.833333)
    """
    if synthesis not in SYNTHESES:
        raise BadInput(f"synthesis={synthesis!r} is not one of {list(SYNTHESES)}")
    if target == "original" and synthesis != "plug-in":
        raise BadInput("target='original' is for synthesis='plug-in'; the other rules are for the population")
    q, u, matrices = _checked(estimates, variances)
    m = len(q)
    if m < 2 and synthesis != "plug-in":
        raise BadInput(f"{m} file: the rule for {synthesis!r} needs at least 2; for one file use synthesis='plug-in'")
    share = _share(records, original_records)
    qbar, ubar = q.mean(axis=0), u.mean(axis=0)
    b = q.var(axis=0, ddof=1) if m > 1 else np.zeros_like(qbar)
    variance, freedom, adjusted = _rule(synthesis, b, ubar, m, share, target, proper)
    covariances = None
    if matrices is not None:
        centred = q - qbar
        covariances = (centred.T @ centred / max(m - 1, 1), matrices.mean(axis=0))
    return Combined(qbar, variance, freedom, b, ubar, m, synthesis, adjusted, covariances)


def _rule(
    synthesis: str, b: Floats, ubar: Floats, m: int, share: float, target: str, proper: bool
) -> tuple[Floats, Floats, Bools]:
    never = np.zeros(len(b), dtype=np.bool_)
    if synthesis == "plug-in":
        # u belongs to files of `records` records: brought to the size of the original first
        v = ubar * share
        more = 0.0 if target == "original" else (1 / share + (1.0 if proper else 0.0)) / m
        return v * (1 + more), np.full(len(b), np.inf), never
    with np.errstate(divide="ignore", invalid="ignore"):
        if synthesis == "partial":
            freedom = np.where(b > 0, (m - 1) * (1 + ubar / (b / m)) ** 2, np.inf)
            return ubar + b / m, freedom, never
        inflated = (1 + 1 / m) * b
        negative = inflated <= ubar
        freedom = np.where(negative, np.inf, (m - 1) * (1 - ubar / inflated) ** 2)
    return np.where(negative, share * ubar, inflated - ubar), freedom, negative


def _share(records: int | None, original_records: int | None) -> float:
    """Synthetic records per original one."""
    if (records is None) != (original_records is None):
        raise BadInput("give both records and original_records, or neither (equal numbers)")
    if records is None or original_records is None:
        return 1.0
    if records < 1 or original_records < 1:
        raise BadInput(f"records={records} and original_records={original_records} must be positive")
    return records / original_records


def _checked(estimates: ArrayLike, variances: ArrayLike) -> tuple[Floats, Floats, Floats | None]:
    q, u = np.asarray(estimates, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    if q.ndim == 1:
        q = q[:, None]
        u = u[:, None] if u.ndim == 1 else u
    if q.ndim != 2 or len(q) == 0 or not np.isfinite(q).all():
        raise BadInput(f"estimates have shape {q.shape}; give one number or one vector per file, without gaps")
    matrices = u if u.shape == (*q.shape, q.shape[1]) and u.ndim == 3 else None
    diagonal = np.array([np.diag(matrix) for matrix in u]) if matrices is not None else u
    if diagonal.shape != q.shape or not (np.isfinite(diagonal).all() and (diagonal >= 0).all()):
        raise BadInput(
            f"variances have shape {u.shape}; give {q.shape} variances >= 0 or covariance matrices, one per file"
        )
    return q, diagonal, matrices


def _t_quantile(p: float, freedom: Floats) -> Floats:
    from scipy.special import ndtri, stdtrit

    finite = np.where(np.isfinite(freedom), np.maximum(freedom, 1e-6), 1.0)
    return np.asarray(np.where(np.isfinite(freedom), stdtrit(finite, p), ndtri(p)))
