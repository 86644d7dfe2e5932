"""Boxes by recursive halving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from microveil.claims import Anonymity
from microveil.core.arrays import Bools, Labels, Matrix
from microveil.core.parameters import When
from microveil.core.streams import Streams
from microveil.data.class_rule import ClassRule
from microveil.data.table import Table, Values
from microveil.partition.base import Partition, Standardise, check_table
from microveil.run.contract import Passes
from microveil.run.method import depends

_DIVERSITIES = {"distinct": 1, "entropy": 2, "recursive": 3}


@dataclass(frozen=True, kw_only=True)
class Mondrian(Partition, name="mondrian"):
    """Halve the file at the median of its most spread attribute as long as both halves have at least k records.

    Use it to release intervals instead of means, on any kind of columns, and on large files. `strict` groups are
    disjoint boxes: equal values of a cut attribute stay together; otherwise ties are divided and no group has 2k
    records or more. The spread of an attribute is its range on the common scale (for categories without order, the
    share of them that is present) or the entropy of its values. A gap is a value of its own below
    all others. `balanced` cuts where it is nearest to the middle; `published` always cuts above the median where that
    is possible, and never divides equal records. Given an anonymity model, it halves as long as both halves satisfy it.

    >>> Mondrian(k=2).labels([[0.0], [0.1], [0.2], [9.0], [9.1]]).tolist()
    [0, 0, 0, 1, 1]
    """

    standardise: Standardise = "range"
    strict: Annotated[bool, "equal values of the attribute that is cut stay together"] = True
    split: Annotated[Literal["range", "entropy"], "how the attribute to cut is chosen"] = "range"
    variant: Annotated[
        Literal["balanced", "published"],
        When("published", standardise="range", split="range"),
        "halves as equal as ties allow, or cut above the median as published",
    ] = "balanced"

    passes: ClassVar[Passes] = depends("counts", lambda mondrian: "counts" if mondrian.strict else "file")
    reference = "LeFevre, DeWitt & Ramakrishnan 2006"

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a standardised matrix."""
        return self._boxes(X, np.zeros(X.shape[1], dtype=np.bool_), self._of_size())

    def groups_of(self, table: Table, streams: Streams) -> Labels:
        """The groups of a table; categories are cut by their codes."""
        return self.classes_of(table, streams, self._of_size())

    @property
    def by_counts(self) -> bool:
        """Whether different rows with how often each occurs tell the boxes: means would be sums over all records."""
        return self.strict and (self.variant == "published" or self.standardise in ("range", None))

    def classes_of(self, table: Table, streams: Streams, rule: ClassRule) -> Labels:
        """Boxes that satisfy an anonymity model: halving stops where a half would break it.

        Rows of the table may stand for several records each, where the rule says so and boxes go by counts.
        """
        from microveil.kernels.moments.scales import standardise

        check_table(table, 1 if rule.times is not None else self.k, self.name)
        nominal = np.array([table[column].kind == "nominal" for column in table.names])
        if self.variant == "published":
            X = np.column_stack([_with_gaps_next(table[column]) for column in table.names])
            return self.promised(self._boxes(X, nominal, rule), rule.times)
        X = np.column_stack([_with_gaps_apart(table[column]) for column in table.names])
        return self.promised(self._boxes(standardise(X, self.standardise).values, nominal, rule), rule.times)

    def _of_size(self) -> ClassRule:
        return ClassRule(Anonymity(k=self.k))

    def _boxes(self, X: Matrix, nominal: Bools, rule: ClassRule) -> Labels:
        from microveil.kernels.grouping.mondrian import mondrian_groups

        plain = self.variant == "published"
        boxes = mondrian_groups(
            np.ascontiguousarray(X),
            nominal,
            self._scale(X, nominal),
            self.strict,
            self.split == "entropy",
            plain,
            _compiled(rule, max(self.k, rule.model.smallest), len(X)),
        )
        labels = np.asarray(boxes, dtype=np.int64)
        return labels.max() - labels if plain else labels  # the published one begins at the upper end

    def _scale(self, X: Matrix, nominal: Bools) -> Matrix:
        """What the spread of each attribute is divided by: that of the file, unless a common scale did it before."""
        scale = np.ones(X.shape[1])
        if self.split == "entropy":
            return scale
        for j in range(X.shape[1]):
            if nominal[j]:
                scale[j] = len(np.unique(X[:, j])) - 1
            elif self.variant == "published":
                scale[j] = X[:, j].max() - X[:, j].min()
        return np.where(scale > 0, scale, 1.0)


def _compiled(rule: ClassRule, k: int, rows: int) -> Any:
    """The rule as arrays for the kernel."""
    from microveil.kernels.grouping.class_rules import Rules

    model, sensitive = rule.model, [column.codes for column in rule.sensitive]
    shares = [column.shares for column in rule.sensitive]
    trees = [column.tree for column in rule.sensitive]
    nodes = np.zeros((max(map(len, trees), default=0), sum(map(len, shares))), dtype=np.int64)
    start = 0
    for tree, share in zip(trees, shares, strict=True):
        for level, of_codes in enumerate(tree):
            nodes[level, start : start + len(share)] = of_codes
        start += len(share)
    return Rules(
        k,
        np.ascontiguousarray(np.column_stack(sensitive)) if sensitive else np.empty((rows, 0), dtype=np.int64),
        np.array([len(share) for share in shares], dtype=np.int64),
        np.concatenate(shares) if shares else np.empty(0),
        0 if model.l is None else _DIVERSITIES[model.diversity],
        model.l or 1,
        model.c,
        np.inf if model.t is None else model.t + 1e-12,
        np.array([column.how == "ordered" for column in rule.sensitive], dtype=np.bool_),
        np.empty(0) if rule.weights is None else rule.weights,
        model.population or 0.0,
        np.inf if model.beta is None else model.beta,
        np.array([len(tree) for tree in trees], dtype=np.int64),
        nodes,
        np.ones(rows, dtype=np.int64) if rule.times is None else rule.times,
    )


def _with_gaps_next(values: Values) -> Matrix:
    """The numbers of a column with gaps of categories as the code below the lowest, those of amounts far below."""
    x = values.numbers
    return _with_gaps_apart(values) if values.levels is None else np.where(np.isnan(x), -1.0, x)


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
