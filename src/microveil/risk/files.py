"""Two files as an intruder holds them: comparable numbers, and (for the measure only) who is who."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from microveil.core.parameters import Grid
from microveil.data.table import Values
from microveil.measure import Pair
from microveil.risk.base import first_rows

Int = NDArray[np.int64]
Float = NDArray[np.float64]
Codes = NDArray[Any]  # int32: half the memory, and no file has more distinct values

Direction = Annotated[
    Literal["original", "masked"],
    Grid(("original", "masked")),
    "which file's records look for their nearest in the other: the original's or the masked one's",
]
Standardise = Annotated[
    Literal["own", "original"],
    Grid(("own", "original")),
    "each file by its own mean and standard deviation, or both by those of the original",
]
Metric = Annotated[
    Literal["euclid", "mahalanobis", "manhattan"], Grid(("euclid", "mahalanobis", "manhattan")), "distance of records"
]

_RANK_TOLERANCE = 1e-12


@dataclass(frozen=True)
class LinkedFiles:
    """Records that search, records that are searched, and the true pairs among them.

    Cells are standardised; `query_codes` and `target_codes` number the distinct values of each column,
    so that equal rows are told exactly. `released_rows` is the protected row in view of each true pair.
    """

    queries: Float
    targets: Float
    query_codes: Codes
    target_codes: Codes
    searching: Int
    partner: Int
    nominal: NDArray[np.bool_]
    released_rows: Int
    notes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many records have a true partner."""
        return len(np.unique(self.searching))

    @property
    def chance(self) -> float:
        """Per cent of records that guessing links."""
        return 100.0 / len(self.targets)

    def ties(self, subset: Sequence[int], metric: str = "euclid") -> tuple[Int, Int]:
        """For each distinct (query, partner) the number of records as near as the partner, and how often it occurs.

        0 where another record is nearer.
        """
        ties, _, multiplicity = self._ties(subset, metric)
        return ties, multiplicity

    def credits(self, subset: Sequence[int], metric: str = "euclid") -> Float:
        """For each true pair the probability that the nearest record is the partner: 1/ties, or 0."""
        ties, which, _ = self._ties(subset, metric)
        return np.divide(1.0, ties, out=np.zeros(len(ties)), where=ties > 0)[which]

    def _ties(self, subset: Sequence[int], metric: str) -> tuple[Int, Int, Int]:
        from microveil.kernels.linkage import nominal_steps, tied_with_partner
        from microveil.kernels.tables import group_rows

        columns = list(subset)
        points, labels, counts = distinct_rows(self.targets, self.target_codes, columns)
        rows, of_query, _ = distinct_rows(self.queries, self.query_codes, columns)
        both = np.column_stack([of_query[self.searching], labels[self.partner]])
        which, multiplicity = group_rows(both)
        pairs = both[first_rows(which, len(multiplicity))]
        asked = rows if len(pairs) == len(rows) and (pairs[:, 0] == np.arange(len(rows))).all() else rows[pairs[:, 0]]
        wanted = pairs[:, 1]
        nominal = self.nominal[columns]
        if metric == "mahalanobis":
            asked, points = whitened(asked, multiplicity, points, counts)
            nominal = np.zeros(points.shape[1], dtype=np.bool_)
        ties = tied_with_partner(asked, points, wanted, counts, nominal_steps(nominal), metric == "manhattan")
        return ties, which, multiplicity


def linked_files(pair: Pair, direction: str, standardise: str | None) -> LinkedFiles | str:
    """The two files of a pair for linkage, without incomplete records; or why nothing is left.

    `standardise` None leaves the values as they are.
    """
    before, after = pair.tables(pair.columns)
    X, Y = before.matrix(), after.matrix()
    keep_x, keep_y = ~before.incomplete, ~after.incomplete
    left, right = pair.linked_rows
    whole = np.asarray(keep_x[left] & keep_y[right])
    notes: tuple[str, ...] = ()
    if not whole.all():
        notes = (f"{int((~whole).sum())} of {len(whole)} records with missing values were left out",)
    if not whole.any():
        return "every record has a missing value"
    place_x, place_y = np.cumsum(keep_x) - 1, np.cumsum(keep_y) - 1
    released = right[whole]
    left, right = place_x[left[whole]], place_y[released]
    X, Y = X if keep_x.all() else X[keep_x], Y if keep_y.all() else Y[keep_y]
    codes_x, codes_y = _codes(X), _codes(Y)
    nominal = np.array([before[name].kind == "nominal" for name in pair.columns])
    if standardise is not None:
        for j, name in enumerate(pair.columns):
            _rescale(X, Y, j, before[name], standardise)
    if direction == "original":
        return LinkedFiles(X, Y, codes_x, codes_y, left, right, nominal, released, notes)
    return LinkedFiles(Y, X, codes_y, codes_x, right, left, nominal, released, notes)


def _rescale(X: Float, Y: Float, j: int, values: Values, standardise: str) -> None:
    if values.kind == "nominal":
        return
    if values.kind == "ordinal":
        levels = len(values.levels or ())
        X[:, j] /= levels
        Y[:, j] /= levels
        return
    centre, scale = _centre_and_scale(X[:, j])
    other = (centre, scale) if standardise == "original" else _centre_and_scale(Y[:, j])
    X[:, j] = _scaled(X[:, j], centre, scale)
    Y[:, j] = _scaled(Y[:, j], *other)


def _centre_and_scale(x: Float) -> tuple[float, float]:
    from microveil.kernels.standardise import standardise

    # sorted first: sums of the same values in another order differ in the last bits
    found = standardise(np.sort(x)[:, None])
    return float(found.centre[0]), float(found.scale[0])


def _scaled(x: Float, centre: float, scale: float) -> Float:
    return (x - centre) / scale if scale > 0 else x - centre


def _codes(X: Float) -> Codes:
    out = np.empty(X.shape, dtype=np.int32)
    for j in range(X.shape[1]):
        out[:, j] = np.unique(X[:, j], return_inverse=True)[1]
    return out


def distinct_rows(X: Float, codes: Codes, columns: Sequence[int], ordered: bool = False) -> tuple[Float, Int, Int]:
    """The distinct rows in some columns, which of them each row is, and how often each occurs.

    `ordered` puts them in the order of their values even where all rows differ.
    """
    from microveil.kernels.tables import group_rows

    whole = list(columns) == list(range(X.shape[1]))
    labels, counts = group_rows(codes if whole else codes[:, columns])
    if whole and not ordered and len(counts) == len(X):
        # all differ: no copy of a large file
        return X, np.arange(len(X)), counts
    first = first_rows(labels, len(counts))
    return X[first] if whole else X[first[:, None], list(columns)], labels, counts


def whitened(A: Float, a_counts: Int, B: Float, b_counts: Int) -> tuple[Float, Float]:
    """Both files in coordinates in which Euclidean distance is Mahalanobis distance.

    The covariance is the sum of the two files' (Torra, Abowd & Domingo-Ferrer 2006, whose term for the
    unknown covariance between the files is zero), inverted on its range.
    """
    from microveil.kernels.moments import mean_and_covariance

    V = sum(mean_and_covariance(X, counts.astype(np.float64))[1] for X, counts in ((A, a_counts), (B, b_counts)))
    values, vectors = np.linalg.eigh(V)
    kept = values > len(values) * _RANK_TOLERANCE * max(values.max(), 0.0)
    if not kept.any():
        return np.zeros((len(A), 1)), np.zeros((len(B), 1))
    W = vectors[:, kept] / np.sqrt(values[kept])
    return A @ W, B @ W


def expected_links(ties: Int, multiplicity: Int) -> float:
    """Expected number of correct links; summed by number of ties, so the same for any order of the rows."""
    linked = ties > 0
    counts = np.bincount(ties[linked], weights=multiplicity[linked].astype(np.float64))
    return float((counts[1:] / np.arange(1, max(len(counts), 1))).sum())
