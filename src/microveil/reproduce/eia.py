"""The EIA file as the Cholesky hybrid's tables use it: masks, measures, subdomains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from microveil.core.arrays import Ints, Matrix
from microveil.core.measured import Measured, NotApplicable

Figures = dict[str, float]

ATTRIBUTES = (
    "RESREVENUE",
    "RESSALES",
    "COMREVENUE",
    "COMSALES",
    "INDREVENUE",
    "INDSALES",
    "OTHREVENUE",
    "OTHRSALES",
    "TOTREVENUE",
    "TOTSALES",
)
MEASURES = ("PIL(Q)", "PIL(m1)", "PIL(m2)", "PIL(m11)", "PIL(r)", "DLD", "RID", "SDID")
_PARTS = {
    "PIL(Q)": "quantile",
    "PIL(m1)": "mean",
    "PIL(m2)": "variance",
    "PIL(m11)": "covariance",
    "PIL(r)": "correlation",
}
_DOMAIN = "subdomain"


def original() -> Matrix:
    """The ten revenues and sales of the 4092 records."""
    from microveil import datasets

    frame: Any = datasets.load("eia")
    return np.column_stack([frame.column(name).to_numpy().astype(np.float64) for name in ATTRIBUTES])


def frame_of(X: Matrix) -> Any:
    """A matrix of these attributes as a frame."""
    import pyarrow as pa

    return pa.table({name: X[:, j] for j, name in enumerate(ATTRIBUTES)})


def matrix_of(release: Any) -> Matrix:
    """A release of these attributes as a matrix."""
    return np.column_stack([release.frame.column(name).to_numpy().astype(np.float64) for name in ATTRIBUTES])


def masks() -> dict[str, Any]:
    """The three masking methods of the paper."""
    from microveil import mask, partition

    return {
        "mic": mask.Microaggregation(partition=partition.MDAV(k=3)),
        "sw": mask.RankSwap(p=7, pairing="argus"),
        "rn": mask.UncorrelatedNoise(p=0.16),
    }


def figures(
    X: Matrix,
    Y: Matrix,
    *,
    combinations: int | None = None,
    seed: int = 0,
    domains: Ints | None = None,
) -> Figures:
    """Loss and risk of Y against X by column of the paper's tables; the mean over subdomains where there are any.

    `combinations` attribute sets are drawn for each number of attributes an intruder knows; None: all of them.
    """
    from microveil import loss, risk

    widths = tuple(range(1, 11))
    linkage = (
        risk.DistanceLinkage(sizes=widths, subsets="all")
        if combinations is None
        else risk.DistanceLinkage(sizes=widths, subsets="random", draws=combinations, seed=seed)
    )
    measures = {
        "PIL": loss.PIL(quantiles="own-record", detail="none"),
        "DLD": linkage,
        "RID": risk.RankInterval(widths=widths),
        "SDID": risk.SDInterval(widths=widths, sd="masked"),
    }
    before, after = frame_of(X), frame_of(Y)
    by = None
    if domains is not None:
        before, by = before.append_column(_DOMAIN, [domains]), _DOMAIN
    found = {name: measure(before, after, columns=ATTRIBUTES, by=by) for name, measure in measures.items()}
    values = {name: _value(result) for name, result in found.items() if name != "PIL"}
    return {**_losses(found["PIL"]), **values}


def _value(result: Measured | NotApplicable) -> float:
    return result.value


def _losses(result: Measured | NotApplicable) -> Figures:
    if not isinstance(result, Measured):
        return {}
    each: Sequence[Mapping[str, float]] = [part.parts for part in result.domains.values()] or [result.parts]
    return {column: float(np.mean([parts[part] for parts in each])) for column, part in _PARTS.items()}


def size_blocks(X: Matrix, number: int) -> Ints:
    """Subdomains of equal size: records sorted by the sum of their standardised attributes, cut into blocks."""
    score = ((X - X.mean(axis=0)) / X.std(axis=0)).sum(axis=1)
    block = np.empty(len(X), dtype=np.int64)
    for label, rows in enumerate(np.array_split(np.argsort(score, kind="stable"), number)):
        block[rows] = label
    return block
