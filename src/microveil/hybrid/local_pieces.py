"""Clusters of a mixture cut into pieces that fit into memory: where each record belongs follows from it and chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from microveil.claims import Claim
from microveil.core.arrays import AnyArray, Floats, Ints
from microveil.core.words import counted
from microveil.data.table import Table, Values
from microveil.hybrid.groups import tell_unchanged_in_groups
from microveil.hybrid.groups.ranges import outcome_counting, tell_tallies
from microveil.hybrid.groups.unchanged import find_unchanged_cells
from microveil.hybrid.local_categories import categories_in_piece, tell_classes
from microveil.hybrid.local_columns import by_kind, kept_indicators, numbers_beside
from microveil.hybrid.local_models import LocalModels
from microveil.hybrid.nesting_notes import broken_nestings
from microveil.kernels.summaries.counts import Counts
from microveil.kernels.summaries.extremes import Extremes
from microveil.run.by_cuts import CutPart
from microveil.run.job import Job, Outcome
from microveil.run.random_part import RandomPart

_SAME, _HEAVY = "same", "heavy"  # tallies: records that came back, pieces drawn with heavy tails

_SPANS = 32  # of random words, in which the records of a piece lie
_MOST_BITS = 13  # of their number: every task sends its counts of all spans to one place


class Drawn(NamedTuple):
    """New columns, what is claimed of them, the degrees of freedom in each cluster, and notes."""

    columns: dict[str, Values]
    claims: tuple[Claim, ...]
    degrees: Floats
    notes: tuple[str, ...]


@dataclass(frozen=True)
class LocalPieces:
    """The clusters of a file, and the pieces of those that have many records."""

    models: LocalModels
    cluster: Ints  # of each component of the mixture
    piece: Ints  # of each cluster (row) and span of random words (column)
    sizes: tuple[int, ...]
    degrees: Floats  # of freedom of each cluster
    seen: Mapping[str, Ints]  # the categories of kept columns in the file
    ends: Extremes  # of the numbers that are replaced, in the file
    said: tuple[str, ...]  # what is told of clusters and pieces

    word: ClassVar[str] = "piece"

    def notes(self, tallies: Mapping[str, int]) -> tuple[str, ...]:
        """What is told of clusters and pieces, and of the new records in all of them."""
        records = sum(self.sizes)
        chance = "" if len(self.ends.low) else ": drawn so by chance"
        told = [*self.said, f"{tallies.get(_SAME, 0):,} of {records:,} records came back unchanged{chance}"]
        heavy = tallies.get(_HEAVY, 0)
        if heavy:
            drawn = f"{'were' if heavy > 1 else 'was'} drawn with heavier tails than normal ones"
            told.append(f"{heavy} of {counted(len(self.sizes), 'group')} {drawn}")
        return (*told, *tell_tallies(tallies))

    def called(self, number: int) -> CutPart:
        """How a piece is called."""
        cluster = int(np.searchsorted(self._first, number, side="right")) - 1
        alone = np.diff(self._first, append=len(self.sizes))[cluster] == 1
        what = f"cluster {cluster}" if alone else f"a piece of cluster {cluster}"
        return CutPart(("piece", number), "", f"{what} with {counted(self.sizes[number], 'record')}")

    @cached_property
    def _first(self) -> Ints:
        """The first piece of each cluster: pieces are numbered cluster by cluster."""
        first: Ints = self.piece.min(axis=1)
        return first

    def blocks_of(self, table: Table, job: Job) -> Ints:
        """The piece of each of some records."""
        return self.piece[self.clusters_of(table, job.given), _spans(table, job, self.piece.shape[1])]

    def clusters_of(self, table: Table, given: Table) -> Ints:
        """The cluster of each of some records."""
        return self.cluster[self.models.mixture.most_likely(numbers_beside(table, given))]

    def new_categories(
        self, table: Table, job: Job, x: Floats, new_x: Floats, *, k: int, exact: bool
    ) -> dict[str, Values]:
        """New categories for the records of a piece, from their numbers before and after, and from those kept."""
        assert self.models.categories is not None
        kept = kept_indicators(job.given, table.rows, self.seen)
        return categories_in_piece(
            by_kind(table)[1],
            np.hstack([x, kept]),
            np.hstack([new_x, kept]),
            self.models.categories,
            k=k,
            exact=exact,
            streams=job.streams.at("categories"),
        )

    def counted(self, table: Table, drawn: Drawn) -> Outcome:
        """What became of a piece, which is one group: what all pieces have is counted, to be told once of the file."""
        numbers = by_kind(table)[0]
        judged = {name: drawn.columns[name] for name in numbers.names or table.names}
        labels = np.zeros(table.rows, dtype=np.int64)
        came = tell_unchanged_in_groups(numbers, judged, labels)[1:] if numbers.names else ()
        found = outcome_counting(drawn.columns, numbers.names, self.ends.low, self.ends.high)
        tallies = {
            **found.tallies,
            _SAME: int(find_unchanged_cells(table, judged).all(axis=1).sum()),
            _HEAVY: int(np.isfinite(drawn.degrees).any()),
        }
        notes = (*drawn.notes, *came, *broken_nestings(table, drawn.columns))
        return Outcome(drawn.columns, labels, notes=notes, claims=drawn.claims, tallies=tallies)


def deal(
    table: Table, job: Job, models: LocalModels, part: RandomPart, least: int, most: int, notes: tuple[str, ...]
) -> LocalPieces:
    """The pieces of a file, from one count of all records: of at least `least` records, and `most` if that allows it.

    `notes` are told before those on the pieces.
    """
    model = models.mixture
    bits = min(_MOST_BITS, (_SPANS * -(-table.rows // most)).bit_length())
    spans = 1 << bits

    def count(block: Table, its: Job) -> Counts:
        components = model.most_likely(numbers_beside(block, its.given))
        return Counts.of(components * spans + _spans(block, its, spans), model.groups * spans)

    counts = job.engine.gather(table, job, count).counts.reshape(model.groups, spans)
    root = join_small(counts.sum(axis=1), model.at_means(), least)
    own = np.flatnonzero(root == np.arange(len(root)))
    cluster = np.searchsorted(own, root)
    clusters = np.zeros((len(own), spans), dtype=np.int64)
    np.add.at(clusters, cluster, counts)
    pieces, first = np.empty_like(clusters), 0
    for number, row in enumerate(clusters):
        found = dealt(row, least, most)
        pieces[number] = found + first
        first += int(found.max()) + 1
    sizes = np.bincount(pieces.ravel(), weights=clusters.ravel()).astype(np.int64)
    told = _told(clusters, pieces, len(root), least)
    if models.categories is not None:
        told.append(tell_classes(models.categories))
    degrees, said = model.degrees[own], (*notes, *told)
    return LocalPieces(models, cluster, pieces, tuple(sizes.tolist()), degrees, part.seen, part.ends, said)


def join_small(counts: Ints, near: Floats, least: int) -> Ints:
    """The component that each component is joined to, itself where it has enough records or others join it.

    The smallest that is too small goes first, and joins the one that is most likely at its mean (`near`, its row).
    """
    root, sizes = np.arange(len(counts)), counts.copy()
    while (root != root[0]).any():
        roots = np.flatnonzero(root == np.arange(len(root)))
        small = int(roots[np.argmin(sizes[roots])])
        if sizes[small] >= least:
            break
        others = np.flatnonzero(root != small)
        into = int(root[others[np.argmax(near[small, others])]])
        sizes[into] += sizes[small]
        root[root == small] = into
    return root


def dealt(counts: Ints, least: int, most: int) -> Ints:
    """The piece of each span, which holds so many records: neighbours are one piece, and pieces are nearly equal."""
    total = int(counts.sum())
    before = 2 * np.cumsum(counts) - counts  # twice the records before the middle of each span
    pieces = -(-total // most)

    def shared(number: int) -> Ints:
        found: Ints = np.minimum(before * number // (2 * total), number - 1)
        return found

    def sizes(number: int) -> AnyArray:
        return np.bincount(shared(number), weights=counts, minlength=number)

    while pieces < len(counts) and sizes(pieces).max() > most:
        pieces += 1
    while pieces > 1 and sizes(pieces).min() < least:
        pieces -= 1
    return shared(pieces)


def _spans(table: Table, job: Job, spans: int) -> Ints:
    """The span of the random word of each record: as many spans as a power of two says."""
    words = job.streams.at("pieces").words(0, table.rows)[:, 0]
    return (words >> np.uint64(64 - (spans.bit_length() - 1))).astype(np.int64)


def _told(clusters: Ints, pieces: Ints, components: int, least: int) -> list[str]:
    sizes = clusters.sum(axis=1)
    notes = [f"the smallest cluster has {int(sizes.min())} records"] if len(sizes) > 1 else []
    joined = components - len(sizes)
    if joined:
        notes.append(
            f"{counted(joined, 'cluster')} with fewer than {least} records joined the cluster that is most likely at "
            "the centre"
        )
    own = (pieces.max(axis=1) - pieces.min(axis=1) + 1).tolist()
    if max(own) > 1:
        cut = sum(number > 1 for number in own)
        notes.append(
            f"{cut} of {counted(len(own), 'cluster')} {'are' if cut > 1 else 'is'} redrawn in pieces, to which the "
            f"records are dealt at random: {sum(own)} groups in all"
        )
    return notes
