"""What the engine asks of a Spark context, in this process: work and what comes of it travel as bytes, as in Spark."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any


class Collection:
    """Items in partitions, and what is to be done with them."""

    def __init__(self, parts: Sequence[Sequence[Any]]) -> None:
        self._parts = [pickle.dumps(list(part)) for part in parts]

    def mapPartitionsWithIndex(self, work: Callable[[int, Iterable[Any]], Iterator[Any]]) -> Collection:
        from pyspark import cloudpickle

        sent = cloudpickle.dumps(work)
        return Collection([list(pickle.loads(sent)(at, iter(self._items(at)))) for at in range(len(self._parts))])

    def mapPartitions(self, work: Callable[[Iterable[Any]], Iterator[Any]]) -> Collection:
        return self.mapPartitionsWithIndex(lambda _, items: work(items))

    def map(self, work: Callable[[Any], Any]) -> Collection:
        return self.mapPartitions(lambda items: map(work, items))

    def flatMap(self, work: Callable[[Any], Iterable[Any]]) -> Collection:
        return self.mapPartitions(lambda items: (one for item in items for one in work(item)))

    def partitionBy(self, count: int, home: Callable[[Any], int]) -> Collection:
        parts: list[list[Any]] = [[] for _ in range(count)]
        for pair in reversed(self.collect()):  # Spark keeps no order of what it moves
            parts[home(pair[0])].append(pair)
        return Collection(parts)

    def collect(self) -> list[Any]:
        return [item for at in range(len(self._parts)) for item in self._items(at)]

    def _items(self, at: int) -> list[Any]:
        found: list[Any] = pickle.loads(self._parts[at])
        return found


class FakeSession:
    """A session whose context works in this process."""

    defaultParallelism = 2  # noqa: N815
    _jsc = object()
    applicationId = "here"  # noqa: N815

    @property
    def sparkContext(self) -> FakeSession:
        return self

    def parallelize(self, items: Sequence[Any], parts: int) -> Collection:
        items = list(items)
        cuts = [number * len(items) // parts for number in range(parts + 1)]
        return Collection([items[start:stop] for start, stop in pairwise(cuts)])

    def __reduce__(self) -> Any:
        raise TypeError("a Spark context cannot be sent along")
