"""Reconstruction of originals from hybrid values of known similarity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.by_domain import Scaled, scale_by_domain
from microveil.attack.guesses import Answer
from microveil.attack.masked import Masked, find_masked
from microveil.attack.nearest import nearest_readings
from microveil.attack.normal import fill_gaps, observed_moments
from microveil.attack.view import View
from microveil.core.arrays import Floats
from microveil.core.parameters import Range
from microveil.data.matrices import with_constant
from microveil.data.table import Table
from microveil.hybrid.muralidhar_sarathy import MuralidharSarathy, alpha_of_components
from microveil.kernels.linalg.bases import factor, orthonormal_basis, project_off, right_inverse

_LEAST = 1e-6  # of a column's variance: values are not better known than that


@dataclass(frozen=True, kw_only=True)
class HybridReconstruction(Attack, name="hybrid-reconstruction"):
    """Per cent of records found by the originals that are to be expected behind hybrid values.

    Use it for hybrids of stated similarity: alpha, the given columns and the exact covariances of the release say what
    is original in a record and what is new. The expected original is nearer to the true one than the released
    value, by the factor sqrt((1 + alpha) / 2) for one alpha; records are compared in units of what is left unknown.
    Errors before and after stand beside.
    """

    alpha: Annotated[float | None, Range(ge=-1, le=1), "similarity to the original; None: as the release says"] = None

    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many records tell the share
    title: ClassVar[str] = "Reconstruction of hybrid values"
    reference: ClassVar[str] = "Muralidhar & Sarathy 2008"
    advice: ClassVar[str] = (
        "Alpha and the columns that were kept say what is original in a record. Take a smaller alpha, and keep no "
        "column that nearly determines others."
    )

    def guess(self, view: View) -> Answer | str:
        """Reconstruct what each hybrid step mixed, and take the nearest."""
        stated = None if self.alpha is None else MuralidharSarathy(alpha=self.alpha)
        mixed = find_masked(view, self.name, stated, f"{type(self).__name__}(alpha=0.8)")
        if isinstance(mixed, str):
            return mixed
        unsuited = [reason for masked in mixed if (reason := _why_not(view, masked))]
        if unsuited:
            return "; ".join(unsuited)
        x, y, told = scale_by_domain(view, mixed, expected_originals)
        return replace(nearest_readings(view, x, y), beside=(told,))


def _why_not(view: View, masked: Masked) -> str:
    """Why the mixture cannot be told; empty if it can."""
    if any(view.released[name].levels is not None for name in masked.columns):
        return "the intruder knows categories, which no mixture of amounts is about; name the amounts in known"
    if masked.step is None or view.plan is None:
        return ""
    unseen = [name for name in (*masked.step.columns, *masked.step.given) if name not in view.released.names]
    if unseen:
        return f"{', '.join(map(str, unseen))} of the same step was not looked at"
    others = [name for name in masked.step.columns if len(view.plan.steps_on(name)) > 1]
    others += [name for name in masked.step.given if name in view.plan.changed]
    if others:
        return f"another step changed {', '.join(map(str, others))}, with which the others were mixed"
    return ""


def expected_originals(masked: Masked, x: Floats, released: Table) -> Scaled:
    """The expected originals of all columns of the step, and known and expected ones in units of what is unknown."""
    assert isinstance(masked.method, MuralidharSarathy)
    names = masked.columns if masked.step is None else masked.step.columns
    given = released.only(() if masked.step is None else masked.step.given)
    expected, left = _reconstructed(released.matrix(names), with_constant(given, released.rows), masked.method, names)
    known = [names.index(name) for name in masked.columns]
    y = released.matrix(masked.columns)
    mean, covariance = observed_moments(y)
    left = left[np.ix_(known, known)] + _LEAST * np.diag(np.diag(covariance))
    values, axes = np.linalg.eigh(left)
    root = axes / np.sqrt(np.maximum(values, np.finfo(np.float64).tiny))
    x = fill_gaps(x, mean, covariance)
    return Scaled((x - mean) @ root, (expected[:, known] - mean) @ root, {"reconstructed": expected[:, known]})


def _reconstructed(Y: Floats, W: Floats, method: MuralidharSarathy, names: tuple[str, ...]) -> tuple[Floats, Floats]:
    """Expected originals, and the covariance of their errors.

    Residuals from the given columns have the original's covariance F'F; in components of it the new ones are M times
    the old ones plus noise, so that old ones are expected at M' times the new ones.
    """
    scale = Y.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    residual = project_off((Y - Y.mean(axis=0)) / scale, orthonormal_basis(W))
    F = factor(residual.T @ residual / len(Y))
    if not len(F):
        return Y, np.zeros((Y.shape[1], Y.shape[1]))
    M, _ = alpha_of_components(method.alpha_matrix(names) * scale / scale[:, None], F)
    M = M / max(1.0, float(np.linalg.norm(M, 2)))
    expected = residual @ right_inverse(F) @ M @ F
    left = F.T @ (np.eye(len(F)) - M.T @ M) @ F
    return Y + scale * (expected - residual), left * np.outer(scale, scale)
