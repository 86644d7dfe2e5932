"""Records that stand in a release as they are: some released records beside all originals, taken in blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.kernels.tables.classes import group_rows
from microveil.measure import Pair
from microveil.measure.in_blocks import PairInBlocks
from microveil.measure.keys import common_codes


class Copies(NamedTuple):
    """Of each record of a sample of the release how many originals equal it, in all columns and in each."""

    equal: Ints
    in_columns: Ints


def copies_in_blocks(files: PairInBlocks, names: tuple[str, ...]) -> Copies:
    """How many originals equal each record of a random sample of the release."""
    found = files.beside_originals(names, "after", lambda first, pair: _Equal.of(pair, names, 0, first))
    return Copies(found.equal, found.in_columns)


def copies_among_originals(files: PairInBlocks, names: tuple[str, ...]) -> Ints:
    """How many originals of the second half equal each of a random sample of the first half."""
    half = files.records[0] // 2
    return files.beside_originals(names, "before", lambda first, pair: _Equal.of(pair, names, half, first)).equal


def expected_by_chance(in_columns: Ints, originals: int) -> float:
    """The per cent of released records that some original would equal if its columns were independent."""
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(in_columns / originals).sum(axis=1)
        misses = originals * np.log1p(-np.exp(logs))
    return abs(100.0 * float(np.expm1(misses).mean()))


@dataclass(frozen=True)
class _Equal:
    """How many originals of some blocks equal each record of a sample, in all columns and in each of them."""

    equal: Ints
    in_columns: Ints

    @classmethod
    def of(cls, pair: Pair, names: tuple[str, ...], start: int, first: int) -> _Equal:
        """One block, of which `first` originals stand before; only those from `start` on count."""
        known, shown = common_codes(*pair.tables(names))
        known = known[max(0, start - first) :]
        labels = group_rows(np.vstack([known, shown]))[0]
        size = int(labels.max(initial=-1)) + 1
        equal = np.bincount(labels[: len(known)], minlength=size)[labels[len(known) :]]
        columns = [
            np.bincount(known[:, j] + 1, minlength=int(shown[:, j].max(initial=-1)) + 2)[shown[:, j] + 1]
            for j in range(len(names))
        ]
        return cls(equal, np.column_stack(columns))

    def merge(self, other: _Equal) -> _Equal:
        return _Equal(self.equal + other.equal, self.in_columns + other.in_columns)
