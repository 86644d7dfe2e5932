"""Checks of engines: neither threads, nor chunks, nor who else is in a chunk decide what becomes of a record."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from microveil.core.errors import NothingHidden
from microveil.plan.plan import Plan
from microveil.run.engine import LocalEngine
from microveil.run.method import Method
from microveil.testing.runs import sample
from microveil.testing.samples import numbers_of


@dataclass(frozen=True)
class Interleaving(LocalEngine):
    """An engine that takes every third record at a time: two of three are left out."""

    def split(self, rows: int) -> Iterator[slice]:
        """Every third row, beginning at each of the first three."""
        return (slice(start, None, 3) for start in range(3))


ENGINES = (LocalEngine(chunk_rows=1), LocalEngine(2, 7), LocalEngine(4, 64), Interleaving(2))


def check_any_engine(method: Method) -> None:
    """The release depends neither on threads and chunks nor on which records are taken together."""
    data = sample()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingHidden)
        whole, *others = (Plan([method]).run(data, seed=4, engine=engine) for engine in (LocalEngine(), *ENGINES))
    expected = numbers_of(whole.frame, whole.columns)
    for engine, other in zip(ENGINES, others, strict=True):
        assert numbers_of(other.frame, whole.columns) == expected, f"another engine gives other numbers: {engine}"
        assert other.notes == whole.notes, f"another engine tells something else: {engine}"
