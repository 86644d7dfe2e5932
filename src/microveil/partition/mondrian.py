"""Boxes by recursive halving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.partition.base import Labels, Matrix, Partition, Standardise, check_table


@dataclass(frozen=True, kw_only=True)
class Mondrian(Partition, name="mondrian"):
    """Halve the file at the median of its most spread attribute as long as both halves have at least k records.

    Use it to release intervals instead of means, on any kind of columns, and on large files. `strict` groups are
    disjoint boxes: equal values of a cut attribute stay together; otherwise ties are divided and no group has 2k
    records or more. The spread of an attribute is its range on the common scale (for categories without order, the
    share of them that is present) or the entropy of its values. A gap is a value of its own below
    all others.

    >>> Mondrian(k=2).labels([[0.0], [0.1], [0.2], [9.0], [9.1]]).tolist()
    [0, 0, 0, 1, 1]
    """

    standardise: Standardise = "range"
    strict: Annotated[bool, "equal values of the attribute that is cut stay together"] = True
    split: Annotated[Literal["range", "entropy"], "how the attribute to cut is chosen"] = "range"

    reference = "LeFevre, DeWitt & Ramakrishnan 2006"

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a standardised matrix."""
        return self._boxes(X, np.zeros(X.shape[1], dtype=np.bool_))

    def groups_of(self, table: Table, streams: Streams) -> Labels:
        """The groups of a table; categories are cut by their codes."""
        from microveil.kernels.moments.scales import standardise

        check_table(table, self.k, self.name)
        X = np.column_stack([_with_gaps_apart(table[column]) for column in table.names])
        nominal = np.array([table[column].kind == "nominal" for column in table.names])
        return self.promised(self._boxes(standardise(X, self.standardise).values, nominal))

    def _boxes(self, X: Matrix, nominal: np.ndarray) -> Labels:
        from microveil.kernels.grouping.mondrian import mondrian_groups

        boxes = mondrian_groups(np.ascontiguousarray(X), nominal, self.k, self.strict, self.split == "entropy")
        return np.asarray(boxes, dtype=np.int64)


def _with_gaps_apart(values: Values) -> Matrix:
    """The numbers of a column with gaps as far below the values as these are wide."""
    x = values.numbers
    gaps = np.isnan(x)
    if not gaps.any():
        return x
    observed = x[~gaps]
    if not len(observed):
        return np.zeros(len(x))
    low, high = observed.min(), observed.max()
    return np.where(gaps, low - (high - low if high > low else 1.0), x)
