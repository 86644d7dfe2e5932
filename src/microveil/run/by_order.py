"""Methods that give each value of a column what follows from its rank: the order need not be in memory as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Protocol

import numpy as np

from microveil.core.arrays import Ints, Vector
from microveil.core.streams import Streams
from microveil.data.table import Table
from microveil.run.job import Outcome
from microveil.run.method import Method

STRETCH = 1 << 20  # ranks that are taken at a time

Drawn = Callable[[int, int], Ints]  # whole numbers of the ranks from one to another
PartsOf = Callable[[int, int], Sequence[Ints]]  # the ranks of each part among those from one to another, rising


class Stretch(NamedTuple):
    """Some values of a column in their order, their ranks from 0 on, and the places of the records that have them."""

    ranks: Ints
    values: Vector
    places: Ints


class Ordered(Protocol):
    """The values of a column from the least on."""

    @property
    def count(self) -> int:
        """How many values there are."""

    def values(self, start: int, stop: int) -> Vector:
        """The values from one rank to another."""

    def stretch(self, start: int, stop: int) -> Stretch:
        """The same with the places of their records."""

    def split(self, parts_of: PartsOf, step: int) -> Iterator[Stretch]:
        """The ranks of each part in turn; `parts_of` is asked from multiples of `step` on."""

    def rising(self, drawn: Drawn) -> Iterator[Ints]:
        """Whole numbers below `count` of which one was drawn for each rank, from the least on, some at a time."""


@dataclass(frozen=True)
class OrderedHere:
    """A column that is in memory."""

    ordered: Vector
    order: Ints

    @property
    def count(self) -> int:
        """How many values there are."""
        return len(self.ordered)

    def values(self, start: int, stop: int) -> Vector:
        """The values from one rank to another."""
        return self.ordered[start:stop]

    def stretch(self, start: int, stop: int) -> Stretch:
        """The same with the places of their records."""
        return Stretch(np.arange(start, stop), self.ordered[start:stop], self.order[start:stop])

    def split(self, parts_of: PartsOf, step: int) -> Iterator[Stretch]:
        """The ranks of each part in turn."""
        return (Stretch(ranks, self.ordered[ranks], self.order[ranks]) for ranks in parts_of(0, self.count))

    def rising(self, drawn: Drawn) -> Iterator[Ints]:
        """All numbers at once."""
        return iter([np.sort(drawn(0, self.count))])


@dataclass(frozen=True, kw_only=True)
class ByOrder(Method):
    """A method that takes each column by itself, in the order of its values, some ranks at a time (`along`).

    In memory and on a file larger than memory the same is called, with the same numbers: draws go by rank, and ties
    are ordered by a word of each record's position, or by the position itself.
    """

    ties: ClassVar[Literal["drawn", "file"]] = "drawn"
    tie_path: ClassVar[tuple[str, ...]] = ()  # below the column's, to the stream whose words order equal values
    in_stretches: ClassVar[bool] = True  # whether `along` takes a bounded number of ranks at a time

    def along(self, ordered: Ordered, streams: Streams) -> Iterator[tuple[Ints, Vector]]:
        """New values, with the places of the records that get them."""
        raise TypeError(f"{type(self).__name__} must implement along()")

    def tell(self, found: Outcome, table: Table) -> Outcome:
        """What is told and claimed of all columns together; of the table no value is looked at."""
        return found

    def in_order(self, x: Vector, streams: Streams) -> Vector:
        """One column without gaps that is in memory."""
        from microveil.core.ordering import stable_order
        from microveil.kernels.ranks.scores import random_rank_order

        if self.ties == "drawn":
            order = random_rank_order(x, streams.at(*self.tie_path))
        elif streams.positions is None:
            order = stable_order(x)
        else:  # ties as they stand in the file: the order of the records at hand does not matter
            order = np.lexsort((streams.places(len(x)), x))
        new = np.empty_like(x)
        for places, values in self.along(OrderedHere(x[order], order), streams):
            new[places] = values
        return new
