"""Orders of numbers that records have, wherever the records are, and what follows from them for every record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from microveil.core.arrays import Floats, Ints, Vector
from microveil.core.streams import Streams
from microveil.data.table import Table, Values
from microveil.kernels.moments.central import finish_moments
from microveil.run.afar import Afar, Rows
from microveil.run.by_order import STRETCH, Ordered, Stretch
from microveil.run.job import Job
from microveil.run.statistics import gather_observed

Found = Iterator[tuple[Ints, Vector]]  # places of some records, and a number for each
Read = Callable[[Vector, int, Vector], Vector]

_NO_SPREAD = 1e-12


class Orders(Protocol):
    """Puts numbers of records in order where not all of them are in memory, and numbers back to their records."""

    def ordered(self, of: Rows, words: Sequence[Streams | None]) -> list[Ordered]:
        """The columns of a matrix from their least numbers on, gaps left out.

        Equal numbers stand in the order of words of their records, or as in the file where there are no `words`.
        """

    def held(self, found: Iterable[tuple[Ints, Vector]]) -> Rows:
        """A column of numbers that were found for records at some places; a gap where none was."""

    def kept(self, of: Rows, columns: int) -> Rows:
        """A matrix of so many columns whose rows are made once, and looked up then."""

    def drop(self, ordered: Sequence[Ordered]) -> None:
        """Some orders are not looked at again."""

    def made(self, records: int) -> Ranked:
        """So many records that are made in place of these: they have no columns, and numbers of their own."""


@dataclass(frozen=True)
class Ranked(Afar):
    """The records of a run, wherever they are: what sums of rows made of them are, and their orders."""

    orders: Orders

    def ordered(self, of: Rows, words: Sequence[Streams | None]) -> list[Ordered]:
        """The columns of a matrix from their least numbers on."""
        return self.orders.ordered(of, words) if words else []

    def held(self, found: Iterable[tuple[Ints, Vector]]) -> Rows:
        """A column of numbers that were found for records at some places; a gap where none was."""
        return self.orders.held(found)

    def made(self, records: int) -> Ranked:
        """So many records that are made in place of these."""
        return self.orders.made(records)

    def kept(self, of: Rows, columns: int) -> Rows:
        """A matrix of so many columns whose rows are made once, and looked up then."""
        return self.orders.kept(of, columns)

    def drop(self, ordered: Sequence[Ordered]) -> None:
        """Some orders are not looked at again."""
        self.orders.drop(ordered)

    def average_ranks(self, ordered: Sequence[Ordered]) -> Rows:
        """The average ranks of the records in some orders, side by side."""
        return side_by_side([self.held(average_ranks(one)) for one in ordered])

    def standardised(self, X: Rows) -> Rows:
        """Columns of mean 0 and variance 1 over their observed numbers; gaps and columns without spread are 0."""
        found = gather_observed(self.table, self.job, lambda block, its: as_table(X(block, its)))
        scales = []
        for one in found.values():
            mean, spread = 0.0, 0.0
            if one.moments.records:
                start, shift, variance = finish_moments(*one)
                mean, spread = (start + shift).item(), float(np.sqrt(variance.item()))
            scales.append((mean, spread))
        return _scaled(X, scales)


def side_by_side(columns: Sequence[Rows]) -> Rows:
    """Columns as one matrix; without any it has no columns."""
    return lambda block, its: np.hstack([np.zeros((block.rows, 0)), *(one(block, its) for one in columns)])


def as_table(X: Floats) -> Table:
    """The columns of a matrix, called by their numbers."""
    return Table({str(j): Values("continuous", X[:, j]) for j in range(X.shape[1])}, len(X))


def _scaled(X: Rows, scales: Sequence[tuple[float, float]]) -> Rows:
    def rows(block: Table, its: Job) -> Floats:
        given = X(block, its)
        out = np.zeros(given.shape)
        for j, (mean, spread) in enumerate(scales):
            if spread > _NO_SPREAD:
                seen = ~np.isnan(given[:, j])
                out[seen, j] = (given[seen, j] - mean) / spread
        return out

    return rows


# -- along orders ----------------------------------------------------------------------------------


class _Runs(NamedTuple):
    """Some values in their order: the ranks, from 0 on, at which those equal to each begin and end, and how many of
    the values at hand they are."""

    own: Stretch
    starts: Ints
    ends: Ints
    sizes: Ints


def _runs(ordered: Ordered) -> Iterator[_Runs]:
    """Equal values of an order, which may reach over the ends of what is looked at."""
    last, left = np.nan, 0
    for begin in range(0, ordered.count, STRETCH):
        own = ordered.stretch(begin, min(begin + STRETCH, ordered.count))
        changes = np.flatnonzero(own.values[1:] != own.values[:-1]) + 1
        starts = begin + np.concatenate([[0], changes])
        ends = begin + np.append(changes, len(own.values))
        sizes = ends - starts
        if own.values[0] == last:
            starts[0] = left
        last, left = own.values[-1], int(starts[-1])
        ends[-1] = _end_of_ties(ordered, int(ends[-1]), last)
        yield _Runs(own, starts, ends, sizes)


def _end_of_ties(ordered: Ordered, low: int, value: float) -> int:
    """The first rank from `low` on that has another value, found by halving."""
    high = ordered.count
    while low < high:
        middle = (low + high) // 2
        if ordered.values(middle, middle + 1)[0] == value:
            low = middle + 1
        else:
            high = middle
    return low


def average_ranks(ordered: Ordered) -> Found:
    """The rank of every value from 1 on, equal ones with the average of theirs."""
    for own, starts, ends, sizes in _runs(ordered):
        yield own.places, np.repeat((starts + ends + 1) / 2, sizes)


def spread_ranks(ordered: Ordered, drawn: Streams) -> Found:
    """The middle of the rank of every value, counted from 0; equal ones somewhere in what is theirs together."""
    for own, starts, ends, sizes in _runs(ordered):
        ranks = own.ranks.astype(np.float64) + 0.5
        counts = np.repeat(ends - starts, sizes)
        tied = counts > 1
        uniform = drawn.of_rows(own.places[tied]).uniforms(0, int(tied.sum()))[:, 0]
        ranks[tied] = np.repeat(starts, sizes)[tied] + counts[tied] * uniform
        yield own.places, ranks


def handed_out(drawn: Ordered, values: Ordered) -> Found:
    """The values of one order to the records of another: the least to the first, and so on."""
    for begin in range(0, drawn.count, STRETCH):
        own = drawn.stretch(begin, min(begin + STRETCH, drawn.count))
        yield own.places, values.values(begin, begin + len(own.values))


def read_off(drawn: Ordered, values: Ordered, at: Callable[[Vector], Vector], read: Read) -> Found:
    """Values that stand where drawn numbers say, which rise with these.

    `at` says where among the values each of some drawn numbers stands, counted from 0; `read` what is there, given
    these numbers, the rank of the first value that it gets, and values to beyond the places on both sides.
    """
    top = values.count - 1
    for begin in range(0, drawn.count, STRETCH):
        own = drawn.stretch(begin, min(begin + STRETCH, drawn.count))
        below = np.clip(np.floor(at(own.values)), 0, top).astype(np.int64)
        # few numbers may reach over many values: no more than some of these are in memory
        cuts = np.flatnonzero(np.diff(below // STRETCH)) + 1
        for some in np.split(np.arange(len(below)), cuts):
            low, high = max(int(below[some].min()) - 1, 0), min(int(below[some].max()) + 3, values.count)
            yield own.places[some], read(own.values[some], low, values.values(low, high))
