"""Matrix masking Z = AXB + C, the common view of perturbation methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from microveil.core.arrays import Floats, Ints, Matrix
from microveil.core.errors import BadInput
from microveil.core.open_types import Stated
from microveil.core.parameters import Example
from microveil.data.table import Table
from microveil.mask.base import MatrixMethod
from microveil.run import Release
from microveil.run.by_rows import ByRows
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, depends

_LARGEST = 5_000


class MatrixForm(NamedTuple):
    """A (records), B (attributes) and C (displacement) with Z = AXB + C; A may differ by attribute (a stack)."""

    A: Floats
    B: Matrix
    C: Matrix

    def of(self, X: Matrix) -> Matrix:
        """The masked matrix."""
        if self.A.ndim == 2:
            return np.asarray(self.A @ X @ self.B + self.C)
        swapped = np.column_stack([A @ x for A, x in zip(self.A, X.T, strict=True)])
        return np.asarray(swapped @ self.B + self.C)


@dataclass(frozen=True, kw_only=True)
class MatrixMask(ByRows, MatrixMethod, name="matrix-mask"):
    """Release A X B + C for matrices that you give.

    Use it to try an own linear mask or to reproduce one: A mixes records (n x n), B mixes attributes, C
    displaces by one number, by one row for all records, or by one row each; what is left out is the identity
    or zero. If A has rows and columns of sum 1 means are kept; if A is orthogonal with rows of sum 1
    covariances too.
    """

    A: Annotated[
        tuple[tuple[float, ...], ...] | None, Example([[0.5, 0.5], [0.5, 0.5]]), "n x n matrix on the records"
    ] = None
    B: Annotated[tuple[tuple[float, ...], ...] | None, Example([[1, 0], [0, 1.1]]), "matrix on the attributes"] = None
    C: Annotated[
        tuple[tuple[float, ...], ...] | None,
        Example([[10, -5]]),
        "displacement: one number, one row, or one row per record",
    ] = None

    # matrix products by a library: their last bits depend on how many rows there are
    passes: ClassVar[Passes] = depends(
        "row",
        lambda mask: "row" if mask.A is None and mask.B is None and len(mask.C or ((0.0,),)) == 1 else "file",
    )
    depends_on_processor: ClassVar[bool] = depends(False, lambda mask: mask.A is not None or mask.B is not None)
    random: ClassVar[bool] = False
    attacks: ClassVar[tuple[str, ...]] = ("matrix-inversion",)
    example: ClassVar[Stated] = {"C": ((1000.0,),)}
    reference = "Duncan & Pearson 1991"

    def validate(self) -> None:
        """Rows of one length."""
        for name in ("A", "B", "C"):
            rows = getattr(self, name)
            if rows is not None and (not rows or len({len(row) for row in rows}) != 1):
                raise BadInput(f"{name} must be a matrix: rows of one length")

    def act(self, table: Table, job: Job, known: None) -> Outcome:
        """Some records, where nothing mixes them."""
        return MatrixMethod.run(self, table, job)

    def run(self, table: Table, job: Job) -> Outcome:
        """All records at once where a matrix mixes them or displaces each by a row of its own."""
        return super().run(table, job) if self.passes == "row" else MatrixMethod.run(self, table, job)

    def matrix(self, X: Matrix, job: Job) -> Matrix:
        """A X B + C."""
        n, p = X.shape
        A = None if self.A is None else _shaped(self.A, (n, n), "A")
        B = None if self.B is None else _shaped(self.B, (p, p), "B")
        out = X if A is None else A @ X
        out = out if B is None else out @ B
        if self.C is not None:
            out = out + self._displacement(n, p)
        return np.array(out)

    def _displacement(self, n: int, p: int) -> Matrix:
        rows = self.C or ()
        if len(rows) == 1 and len(rows[0]) == 1:
            return np.full((1, p), rows[0][0])
        return _shaped(rows, (1, p) if len(rows) == 1 else (n, p), "C")


def _shaped(rows: ArrayLike | None, shape: tuple[int, int], name: str) -> Matrix:
    M = np.array(rows, dtype=np.float64)
    if M.shape != shape:
        raise BadInput(f"{name} has shape {M.shape}; {shape} is needed for these data")
    return M


def matrix_form(release: Release) -> MatrixForm:
    """The matrices of the last step of a release of few records: A, B and C with Z = AXB + C.

    For microaggregation of one block (A averages), swapping (A permutes, one for each attribute), noise (C holds
    it) and sampling (A selects).
    """
    step = release.steps[-1]
    names = step.columns or release.original.names(kind="continuous")
    X = release.original.table(names, dict.fromkeys(names, "continuous")).matrix()
    Z = release.data.table(names, dict.fromkeys(names, "continuous")).matrix()
    form = getattr(step.method, "form", "")
    if form == "average" and release.groups is not None:
        return averaging_form(release.groups, len(names))
    if form == "swap":
        return swapping_form(X, Z)
    if form == "noise":
        return noise_form(X, Z)
    if form == "sample":
        return sampling_form(release.origin, len(X), len(names))
    raise BadInput(f"{step.method.name} on these columns has no matrix form")


def averaging_form(labels: Ints, columns: int) -> MatrixForm:
    """Microaggregation in matrix form: A averages inside groups."""
    _small_enough(len(labels))
    member = np.equal.outer(labels, labels).astype(np.float64)
    return MatrixForm(member / member.sum(axis=1, keepdims=True), np.eye(columns), np.zeros((len(labels), columns)))


def swapping_form(X: Matrix, Z: Matrix) -> MatrixForm:
    """Swapping in matrix form: for each attribute a permutation matrix that takes X to Z."""
    n, p = X.shape
    _small_enough(n)
    A = np.zeros((p, n, n))
    for j in range(p):
        source, target = np.argsort(X[:, j], kind="stable"), np.argsort(Z[:, j], kind="stable")
        if not np.array_equal(X[source, j], Z[target, j]):
            raise BadInput(f"attribute {j} of Z does not hold the values of X: it is no swapping")
        A[j, target, source] = 1.0
    return MatrixForm(A, np.eye(p), np.zeros((n, p)))


def noise_form(X: Matrix, Z: Matrix, shrink: float = 1.0) -> MatrixForm:
    """Additive noise in matrix form: A = c I, and C holds the noise and the part of the mean."""
    _small_enough(len(X))
    return MatrixForm(shrink * np.eye(len(X)), np.eye(X.shape[1]), Z - shrink * X)


def sampling_form(rows: Ints, n: int, columns: int) -> MatrixForm:
    """Sampling in matrix form: A selects rows."""
    _small_enough(n)
    return MatrixForm(np.eye(n)[rows], np.eye(columns), np.zeros((len(rows), columns)))


def _small_enough(n: int) -> None:
    if n > _LARGEST:
        raise BadInput(f"the matrix form has n x n entries and is for at most {_LARGEST} records: {n} given")
