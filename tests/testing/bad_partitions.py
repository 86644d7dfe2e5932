"""Partitions with one planted fault each; `bad_methods.planted` registers one for the time of a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.core.streams import Streams
from microveil.data.table import Table
from microveil.partition import MDAV, Partition


@dataclass(frozen=True, kw_only=True)
class SmallGroupsOfTies(MDAV):
    """Put equal records into a group of their own, however few they are."""

    def promised(self, labels):
        return labels

    def kernel(self, X, streams):
        _, inverse, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
        inverse = inverse.reshape(-1)
        tied = counts[inverse] > 1
        labels = super().kernel(X, streams)
        return np.unique(np.where(tied, len(X) + inverse, labels), return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class SmallGroupsOfCategories(MDAV):
    """Split groups by the first category, however few records that leaves."""

    def groups_of(self, table: Table, streams: Streams):
        labels = super().groups_of(table, streams)
        codes = [values.data for values in table.columns.values() if values.levels is not None]
        split = labels * 100 + codes[0] if codes else labels
        return np.unique(split, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class GroupsByLot(Partition):
    """Draw the groups from the system, whatever the key."""

    random: ClassVar[bool] = True
    reference = "none"

    def kernel(self, X, streams):
        places = np.random.default_rng().permutation(len(X))
        return np.minimum(places // self.k, len(X) // self.k - 1).astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class UnitsDecide(MDAV):
    """Forget the common scale."""

    def on_common_scale(self, X):
        return np.ascontiguousarray(X)


@dataclass(frozen=True, kw_only=True)
class AllPairs(MDAV):
    """Hold the distances of all pairs of records at once."""

    def kernel(self, X, streams):
        np.subtract.outer(X[:, 0], X[:, 0]).sum()
        return super().kernel(X, streams)
