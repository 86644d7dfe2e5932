"""What a step did to all blocks of a file: what it claims and counts, and how many cells came back as they were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from microveil.claims import Claim
from microveil.core.arrays import AnyArray, Bools, Ints
from microveil.core.errors import BrokenPromise
from microveil.core.open_types import Cell
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.engines.merging import merged
from microveil.engines.passing import LearntStep, Passed
from microveil.run.by_ranks import ByRanks
from microveil.run.by_rows import ByRows
from microveil.run.contract import StepRecord
from microveil.run.found_before import FoundBefore
from microveil.run.job import Outcome
from microveil.run.parts import Ran, join_rows
from microveil.run.state import State
from microveil.run.unchanged import FEW, Unchanged, chance_of_agreement

_SAMPLED = 20_000  # records, evenly spaced over the file, that tell how many cells agree by chance

_NO_ROWS: Ints = np.zeros(0, dtype=np.int64)
_NOWHERE = Streams(Key(b"nothing is drawn by it"))

Facts = tuple[str, tuple[Cell, ...] | None]  # of a column after a step: its kind and its levels


@dataclass(frozen=True)
class DomainSeen:
    """What a step claims and counted in one subdomain."""

    names: tuple[str, ...]
    claims: tuple[Claim, ...] | None
    tallies: Mapping[str, int]

    def merge(self, other: DomainSeen) -> DomainSeen:
        """Of both; what is not claimed of every block is not claimed."""
        claims = None if self.claims is None else tuple(claim for claim in self.claims if claim in (other.claims or ()))
        return DomainSeen(self.names, claims, dict(Counter(self.tallies) + Counter(other.tallies)))


@dataclass(frozen=True)
class SameCells:
    """How many observed cells of a column came back, in all and in each subdomain; the ends of the column."""

    cells: int
    same: int
    low: float
    high: float
    # cells before the step and their subdomains, by the place of their block
    sampled: tuple[tuple[int, AnyArray, Ints | None], ...] = ()
    of_domains: Ints | None = None
    same_of_domains: Ints | None = None

    def merge(self, other: SameCells) -> SameCells:
        """Of the cells of both."""
        return SameCells(
            self.cells + other.cells,
            self.same + other.same,
            min(self.low, other.low),
            max(self.high, other.high),
            self.sampled + other.sampled,
            None if self.of_domains is None or other.of_domains is None else self.of_domains + other.of_domains,
            None
            if self.same_of_domains is None or other.same_of_domains is None
            else self.same_of_domains + other.same_of_domains,
        )

    @property
    def all_same(self) -> bool:
        """Whether every cell came back although they differ."""
        return 0 < self.cells == self.same and self.low < self.high


@dataclass(frozen=True)
class StepSeen:
    """A step on all blocks."""

    domains: Mapping[int, DomainSeen]
    columns: Mapping[str, Facts]
    rows: int
    same_rows: bool
    new_rows: bool
    cells: Mapping[str, SameCells]

    @classmethod
    def of(cls, passed: Passed, number: int, records: int) -> StepSeen:
        """A step on one block of a file of so many records."""
        before, found = passed.before(number), passed.steps[number]
        record = found.state.steps[-1]
        changed = [name for one in found.ran.values() for name in one.outcome.columns]
        return cls(
            {
                domain: DomainSeen(one.names, one.outcome.claims, dict(one.outcome.tallies))
                for domain, one in found.ran.items()
            },
            {name: (found.state.changed[name].kind, found.state.changed[name].levels) for name in changed},
            len(found.state.origin),
            bool(np.array_equal(found.where, np.arange(len(before.origin)))),
            bool((found.where < 0).any()),
            _count_cells(record, before, found.state, found.where, frozenset(changed), passed.first, records),
        )

    def merge(self, other: StepSeen) -> StepSeen:
        """On the blocks of both."""
        return StepSeen(
            merged(self.domains, other.domains, DomainSeen.merge),
            merged(self.columns, other.columns, _same_facts),
            self.rows + other.rows,
            self.same_rows and other.same_rows,
            self.new_rows or other.new_rows,
            merged(self.cells, other.cells, SameCells.merge),
        )

    def values(self) -> dict[str, Values]:
        """The columns that the step changed, without records."""
        return {name: _header(kind, levels) for name, (kind, levels) in self.columns.items()}

    def outcome(self, record: StepRecord, learnt: LearntStep, state: State, labels: Mapping[int, str]) -> Outcome:
        """What came of the step, without records: what it claims, tells and counted."""
        method, table = record.method, state.table(dict(zip(record.columns, record.kinds, strict=True)))
        ran = []
        for number, one in sorted(self.domains.items()):
            part = Table(
                {name: values.take(slice(0, 0)) for name, values in table.columns.items()}, learnt.sizes[number]
            )
            known = learnt.known[learnt.paths[number]]
            if isinstance(known, FoundBefore):
                found = replace(known.told, columns=self.values())
            else:
                found = Outcome(self.values(), claims=one.claims, tallies=one.tallies)
                if isinstance(method, ByRows | ByRanks):
                    found = method.settle(found, part, state.prepare(learnt.step, _NOWHERE).job, known)
            claims = method.claims(record.columns) if found.claims is None else found.claims
            ran.append(Ran(_NO_ROWS, one.names, replace(found, claims=claims), labels[number]))
        return join_rows(Table({name: values.take(slice(0, 0)) for name, values in table.columns.items()}, 0), ran)

    def unchanged(self, record: StepRecord, number: int, texts: Sequence[str], before: State) -> list[Unchanged]:
        """How much of what the step was to protect came back."""
        found = []
        for name, kind in zip(record.columns, record.kinds, strict=True):
            if name not in self.cells:
                continue
            seen = self.cells[name]
            one = Unchanged(
                number,
                record.method.name,
                name,
                seen.cells,
                seen.same,
                spares=record.method.may_spare(kind),
                constant=seen.same == seen.cells and not seen.low < seen.high,
            )
            if one.share >= FEW:
                sampled = sorted(seen.sampled, key=lambda some: some[0])
                sample = before.values(name, kind).with_data(np.concatenate([cells for _, cells, _ in sampled]))
                expected = record.method.expected_unchanged(name, sample)
                if expected is None and len(sample.data):
                    domains = [of for _, _, of in sampled if of is not None]
                    expected = chance_of_agreement(
                        sample, np.concatenate(domains) if domains else None, seen.of_domains
                    )
                one = replace(one, chance=expected or 0.0)
            if seen.of_domains is not None and seen.same_of_domains is not None:
                shares, whole = _by_domain(seen.of_domains, seen.same_of_domains, texts)
                one = replace(one, domains=shares, whole_domains=whole)
            found.append(one)
        return found


def _count_cells(
    record: StepRecord, before: State, after: State, where: Ints, changed: frozenset[str], first: int, records: int
) -> dict[str, SameCells]:
    found = {}
    compared = np.flatnonzero(where >= 0)
    rows, by = where[compared], record.step.by
    domains = before.domain_of_rows(by)[rows] if by else None
    texts = before.source.domains(by)[1] if by else ()
    for name, kind in zip(record.columns, record.kinds, strict=True):
        if name not in changed and record.method.may_spare(kind):
            continue
        was = before.values(name, kind).at(rows)
        now = after.changed[name].at(compared) if name in changed else was
        found[name] = count_same(was, before.same_cells(name, was, now), domains, len(texts), first + rows, records)
    return found


def count_same(was: Values, same: Bools, domains: Ints | None, number: int, places: Ints, records: int) -> SameCells:
    """The cells of one block that came back, and some of those that were."""
    observed = ~was.missing
    data = was.numbers[observed]
    step = max(1, records // _SAMPLED)
    picked = observed & (places % step == 0)
    counts = (
        (None, None)
        if domains is None
        else (
            np.bincount(domains[observed], minlength=number),
            np.bincount(domains[observed & same], minlength=number),
        )
    )
    return SameCells(
        int(observed.sum()),
        int(np.count_nonzero(same & observed)),
        float(data.min(initial=np.inf)),
        float(data.max(initial=-np.inf)),
        ((int(places[0]) if len(places) else -1, was.data[picked], None if domains is None else domains[picked]),),
        *counts,
    )


def _by_domain(cells: Ints, same: Ints, texts: Sequence[str]) -> tuple[dict[str, float], dict[str, int]]:
    shares = {texts[i]: float(same[i] / cells[i]) for i in np.flatnonzero(cells).tolist()}
    whole = {texts[i]: int(cells[i]) for i in np.flatnonzero((cells > 0) & (same == cells)).tolist()}
    return shares, whole


def _header(kind: str, levels: tuple[Cell, ...] | None) -> Values:
    return Values(kind, np.zeros(0, dtype=np.float64 if levels is None else np.int64), levels)


def _same_facts(one: Facts, other: Facts) -> Facts:
    if one != other:
        raise BrokenPromise("a method gave blocks of one file unlike levels; nothing is released")
    return one
