"""Linkage of a sample of originals with all records of the other file, which is taken in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.kernels.tables.classes import count_up, group_rows
from microveil.measure import Pair
from microveil.measure.in_blocks import PairInBlocks, Rescale, Side, SomeLinked
from microveil.risk.files import link_files
from microveil.risk.ways import Way

Subset = tuple[int, ...]
_EXACT_RANKS = 1 << 15  # records up to which every value cuts its column


@dataclass(frozen=True)
class TiesSeen:
    """Of each pair of the sample: how many records are as near as the partner, and whether one is nearer."""

    ties: Ints
    beaten: Bools

    def merge(self, other: TiesSeen) -> TiesSeen:
        """Among the records of both."""
        return TiesSeen(self.ties + other.ties, self.beaten | other.beaten)

    @property
    def credits(self) -> Floats:
        """The probability that the nearest record is the partner: 1/ties, or 0."""
        return np.where(self.beaten, 0.0, 1.0 / np.maximum(self.ties, 1))


@dataclass(frozen=True)
class SampleLinked:
    """What a sample says: for every subset of attributes the ties of its pairs; notes, and the pairs themselves."""

    found: Sequence[TiesSeen]
    sample: Pair
    notes: tuple[str, ...]


def link_in_blocks(
    files: PairInBlocks,
    names: Sequence[str],
    subsets: Sequence[Subset],
    way: Way,
    metric: str = "euclid",
    partial: bool = False,
) -> SampleLinked | str:
    """Link a sample of originals by some subsets of the columns; or why that is impossible."""
    sample = files.sampled(names)
    if isinstance(sample, str):
        return sample
    if metric == "mahalanobis":
        return "not applicable in blocks: the covariance of all records is not at hand; use metric='euclid'"
    by = files.scaling(names, way.standardise, way.scale)
    begun = link_files(sample, way.direction, way.standardise, False, way.scale, partial, by)
    if isinstance(begun, str):
        return begun
    searched: Side = "after" if way.direction == "original" else "before"

    def look(some: SomeLinked) -> _TiesOfSubsets:
        return _TiesOfSubsets.of(some, subsets, way, metric, partial, by)

    seen = files.linked(names, searched, look)
    size = f"{len(sample.rows_after):,} of {files.records[0]:,} originals, drawn at random,"
    said = f"{size} were searched for in all {files.records[1]:,} protected records"
    if searched == "before":
        said = f"the protected records of {size} looked for their own among all {files.records[0]:,} originals"
    notes = [said, *begun.notes, *begun.gap_notes]
    if way.scale == "ranks" and max(files.records) > _EXACT_RANKS:
        notes.append(
            "ranks between values that cut the columns into stretches are as if values were spread evenly there"
        )
    return SampleLinked(seen.of_subset, sample, tuple(notes))


@dataclass(frozen=True)
class _TiesOfSubsets:
    of_subset: tuple[TiesSeen, ...]

    @classmethod
    def of(
        cls, some: SomeLinked, subsets: Sequence[Subset], way: Way, metric: str, partial: bool, by: Rescale
    ) -> _TiesOfSubsets:
        """One block: records of the block count `each`, those of the sample that were added to it 1."""
        files = link_files(some.pair, way.direction, way.standardise, False, way.scale, partial, by)
        assert not isinstance(files, str)  # the sample itself could be linked
        files = replace(files, stands_for=some.stands_for)
        found = []
        for subset in subsets:
            ties = files.ties_of_pairs(subset, metric)
            # the partner itself was added, so that 0 means that some record is nearer
            found.append(TiesSeen(ties // some.each, ties == 0))
        return cls(tuple(found))

    def merge(self, other: _TiesOfSubsets) -> _TiesOfSubsets:
        return _TiesOfSubsets(tuple(one.merge(two) for one, two in zip(self.of_subset, other.of_subset, strict=True)))


def count_alike(files: PairInBlocks, names: Sequence[str]) -> Ints:
    """For each protected record of the sample how many of all protected records equal it in some columns."""

    def look(some: SomeLinked) -> _Alike:
        codes = some.pair.tables(names)[1].codes()
        labels, counts = group_rows(codes)
        added = some.stands_for == 1
        found = count_up(labels, (~added).astype(np.int64), len(counts))
        return _Alike(found[labels[added]])

    return files.linked(names, "after", look).records


@dataclass(frozen=True)
class _Alike:
    records: Ints

    def merge(self, other: _Alike) -> _Alike:
        return _Alike(self.records + other.records)
