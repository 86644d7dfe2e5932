"""Matrix masks undone by their public matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.guesses import Answer
from microveil.attack.masked import Masked, find_masked
from microveil.attack.nearest import nearest_readings
from microveil.attack.view import View
from microveil.core.arrays import Floats
from microveil.mask.matrix_mask import MatrixMask

_INVERTIBLE = 1e-10  # of the largest singular value


@dataclass(frozen=True, kw_only=True)
class MatrixInversion(Attack, name="matrix-inversion"):
    """Per cent of records found by one who undoes a matrix mask by its public matrices.

    Use it for Z = XB + C: what was displaced by one row for all is put back, and what B mixed is taken apart by its
    inverse, so that the originals come out. Where A mixes records, or each has a row of C of its own, the order of the
    records would have to be known, which no release tells.
    """

    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many records tell the share
    title: ClassVar[str] = "Matrices undone"
    reference: ClassVar[str] = "Duncan & Pearson 1991"
    advice: ClassVar[str] = (
        "The matrices of the mask are public and undo it. Add noise by a key that is kept, or protect records in "
        "groups."
    )

    def guess(self, view: View) -> Answer | str:
        """Undo what every such step did to columns of its own, and take the nearest."""
        masked = find_masked(view, self.name, None, type(self).__name__)
        if isinstance(masked, str):
            return masked
        undone = [(one.columns, _undone(view, one)) for one in masked]
        reasons = [found for _, found in undone if isinstance(found, str)]
        if reasons:
            return "; ".join(reasons)
        x = view.known.matrix([name for names, _ in undone for name in names])
        y = np.column_stack([found for _, found in undone])
        scale = np.nanstd(y, axis=0)
        scale = np.where(scale > 0, scale, 1.0)
        return nearest_readings(view, x / scale, y / scale)


def _undone(view: View, masked: Masked) -> Floats | str:
    """The columns as they were before the mask, those that the intruder knows; or why they cannot be told."""
    method, columns = masked.method, masked.replaced
    assert isinstance(method, MatrixMask)
    if method.A is not None or (method.C is not None and len(method.C) > 1):
        return "records were mixed or displaced each by a row of its own, and nobody knows their order"
    if any(name not in view.released.names or view.released[name].levels is not None for name in columns):
        return "a column of the mask is not there any more"
    if view.plan is not None and any(len(view.plan.steps_on(name)) > 1 for name in columns):
        return "another step changed columns that the matrix mixed"
    Y = view.released.matrix(columns)
    if method.C is not None:
        Y = Y - np.broadcast_to(np.array(method.C, dtype=np.float64), (1, len(columns)))
    if method.B is not None:
        B = np.array(method.B, dtype=np.float64)
        sizes = np.linalg.svd(B, compute_uv=False)
        if sizes.min() <= _INVERTIBLE * sizes.max():
            return "the matrix has no inverse"
        Y = Y @ np.linalg.inv(B)
    return np.asarray(Y[:, [columns.index(name) for name in masked.columns]])
