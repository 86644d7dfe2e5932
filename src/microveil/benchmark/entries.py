"""The fixed catalogue of a benchmark: published maskings, their good performers, and every method at its grid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from microveil.data.microdata import Microdata
from microveil.plan import Plan
from microveil.plan.plan_words import words_of
from microveil.plan.space import Space, canonical_text
from microveil.run.contract import Step
from microveil.run.method import Method

PUBLISHED = "published maskings"
GOOD = "good performers"
_COLUMNS_OF_THE_FOUR = 4
_SIZES_OF_THE_FOUR = (3, 4, 5, 6)


@dataclass(frozen=True)
class Entry:
    """A plan of the catalogue: its name for people, the group that it is listed with, and its text."""

    label: str
    group: str
    plan: Plan

    @property
    def text(self) -> str:
        """The same for equal plans, on any machine."""
        return canonical_text(self.plan)


def entries_for(data: Microdata) -> tuple[Entry, ...]:
    """Every plan of the catalogue that suits the data, each once; published ones first: they keep their names."""
    found: dict[str, Entry] = {}
    for entry in (*_published(), *_good_performers(), *_of_all_methods(data)):
        found.setdefault(entry.text, entry)
    return tuple(found.values())


def published_maskings() -> tuple[Method, ...]:
    """As many maskings as Table 2 of the probabilistic measures rests on, 109.

    The paper takes them from an earlier study and does not list them. 105 are those of the reproduced table; MDAV on
    four attributes at a time, another of the earlier study's kinds, makes up the number.
    """
    from microveil import mask, partition
    from microveil.reproduce.pil_tables import many_maskings

    more = [
        mask.Microaggregation(partition=partition.MDAV(k=k), blocks=_COLUMNS_OF_THE_FOUR) for k in _SIZES_OF_THE_FOUR
    ]
    return (*many_maskings(), *more)


def _published() -> Iterator[Entry]:
    for method in published_maskings():
        yield _entry(PUBLISHED, _plan(method))


def _good_performers() -> Iterator[Entry]:
    """The maskings of Table 3; those that are not rescaled are among the published ones already."""
    from microveil.reproduce.pil_tables import seven_maskings

    for name, method in seven_maskings().items():
        yield Entry(name, GOOD, _plan(method))


def _of_all_methods(data: Microdata) -> Iterator[Entry]:
    for candidate in Space.of(data).grid():
        yield _entry(candidate.plan.steps[0].method.family, candidate.plan)


def _entry(group: str, plan: Plan) -> Entry:
    return Entry(words_of(plan), group, plan)


def _plan(method: Method) -> Plan:
    return Plan([Step(method)])
