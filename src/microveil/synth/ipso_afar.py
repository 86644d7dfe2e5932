"""Information preserving statistical obfuscation of records that are not all in memory."""

from __future__ import annotations

import numpy as np

from microveil.kernels.draws.linear import Variant, refuse_explained, refuse_too_few
from microveil.kernels.linalg.bases import factor
from microveil.kernels.moments.central import is_narrow
from microveil.run.afar import Afar, Rows, after_times, beside, matrix, normals, ones, standardised


def ipso_afar(records: Afar, variant: Variant, freedom: int) -> Rows:
    """How `kernels.draws.linear.ipso` redraws rows, without a stated correlation of new and old residuals."""
    n = records.records
    Q, kept = records.basis(beside(ones, records.kept_columns()))
    refuse_too_few(n, kept, freedom)
    mean, V = records.moments(matrix)
    scale = np.where(np.diag(V) > 0, np.sqrt(np.diag(V)), 1.0)
    residual = records.project_off(standardised(matrix, mean, scale), Q)
    ends = records.extremes(matrix)
    refuse_explained(records.norms(residual), n, is_narrow(ends.low, ends.high), records.table.names)
    new = _new_residuals(records, residual, Q, kept, variant)
    return lambda block, its: np.asarray(block.matrix() + scale * (new(block, its) - residual(block, its)))


def _new_residuals(records: Afar, residual: Rows, Q: Rows, kept: int, variant: Variant) -> Rows:
    if variant == "A0":
        return lambda block, _: np.zeros((block.rows, len(block.names)))
    F = factor(records.product(residual))
    if variant == "C":
        return after_times(records.new_frame(normals(len(F)), len(F), Q, kept), F)
    drawn = after_times(normals(len(F)), F / np.sqrt(records.records))
    return drawn if variant == "A" else records.project_off(drawn, Q)
