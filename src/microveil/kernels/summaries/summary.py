"""What every summary of records can do: become that of more records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, Self, TypeVar

from microveil.core.errors import BadInput

S = TypeVar("S", bound="Summary")


class Summary(Protocol):
    """What is to be known of some records; `merge` gives that of two sets of them.

    Merging is pure, associative, commutative and exact: what a summary says at the end does not depend on how the
    records were split, nor on which part came first.
    """

    def merge(self, other: Self) -> Self:
        """The summary of the records of both."""


def merge_all(summaries: Iterable[S]) -> S:
    """One summary of all; neighbours of about equal size are merged, so that each record is merged few times."""
    waiting: list[tuple[int, S]] = []  # how many parts each stands for, the larger ones first
    for summary in summaries:
        waiting.append((1, summary))
        while len(waiting) > 1 and waiting[-2][0] == waiting[-1][0]:
            _join_last(waiting)
    if not waiting:
        raise BadInput("there is no summary to merge; give at least one, of no record if there are none")
    while len(waiting) > 1:
        _join_last(waiting)
    return waiting[0][1]


def _join_last(waiting: list[tuple[int, S]]) -> None:
    (few, left), (more, right) = waiting[-2:]
    waiting[-2:] = [(few + more, left.merge(right))]
