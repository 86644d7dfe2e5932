"""The promises of a release in blocks, judged on the values as they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from microveil.claims import Claim, Evidence, Verdict
from microveil.core.arrays import Floats
from microveil.data.coding import in_common
from microveil.engines.asking import Question, ask_together
from microveil.engines.held import Held
from microveil.engines.judging import BlockEvidence, can_be_judged, judge
from microveil.engines.judging_groups import Side, Sides, judge_in_groups
from microveil.engines.judging_order import BothSides, judge_in_order
from microveil.engines.ordering import Sampled, in_one_pass
from microveil.engines.passing import InBlocks, Passed
from microveil.engines.refusing import MOST_IN_COLUMN
from microveil.engines.released_columns import Columns
from microveil.engines.verdicts_of_parts import worst_of_all, worst_of_subdomains
from microveil.engines.workers import in_this_process
from microveil.io.rounding import doubles
from microveil.kernels.summaries.together import Together
from microveil.run.promises import Promise

Judged = list[tuple[Promise, Verdict]]


class _Group(NamedTuple):
    """Promises of one step about the same columns in the same subdomains, which look at the same evidence."""

    step: int
    columns: tuple[str, ...]
    by: tuple[str, ...]
    given: tuple[str, ...]
    whole: bool = False  # judged on all records at once where parts were run one by one

    @classmethod
    def of(cls, promise: Promise) -> _Group:
        """Those of a promise; kept columns where it speaks of them."""
        given = promise.given if promise.claim.uses_given else ()
        return cls(promise.step, promise.claim.columns, promise.by, given)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (*self.columns, *self.by, *self.given)


class _Key(NamedTuple):
    group: _Group
    domain: int


@dataclass(frozen=True)
class Judging:
    """Judges promises by passes over the blocks."""

    passing: InBlocks
    columns: Columns

    def can_judge(self, promise: Promise) -> bool:
        """Whether blocks tell it, or subdomains do that were in memory one by one."""
        promise = self._as_released(promise)
        return can_be_judged(promise.claim) or self._in_groups(promise) or self._by_column(promise)

    def _as_released(self, promise: Promise) -> Promise:
        """What is looked at: records that a later step made are in no subdomain and have no gap of an original."""
        if self._made_later(promise):
            return replace(promise, by=(), claim=promise.claim.without_gaps())
        if not self._in_groups(promise) and self.passing.source.complete.issuperset(promise.claim.columns):
            return replace(promise, claim=promise.claim.without_gaps())
        return promise

    def _made_later(self, promise: Promise) -> bool:
        return any(one.made is not None for one in self.passing.learnt[promise.step + 1 :])

    def _by_passes(self, promise: Promise) -> bool:
        """Whether summaries of blocks tell it; classes in parts that were in memory one by one are looked at there."""
        in_parts = promise.claim.seen_by == "classes" and self._in_groups(promise)
        return can_be_judged(promise.claim) and not in_parts

    def _by_column(self, promise: Promise) -> bool:
        """Whether it says the same of each column, which is in memory by itself or looked at in its order."""
        told = self.passing.source.n <= MOST_IN_COLUMN or _told_in_order(promise.claim)
        return told and promise.claim.by_column and not promise.by and not self._in_groups(promise)

    def _by_columns(self, promises: Sequence[Promise], exact: bool) -> Judged:
        """The verdicts on promises about columns, each of which is in memory by itself if it is not too long."""
        if self.passing.source.n > self.passing.order_in_memory:
            long = [promise for promise in promises if _told_in_order(promise.claim)]
            others = [promise for promise in promises if promise not in long]
            return [*self._in_order(long, exact), *self._in_memory(others, exact)]
        return self._in_memory(promises, exact)

    def _in_order(self, promises: Sequence[Promise], exact: bool) -> Judged:
        """The verdicts on promises about columns, from the order of each on disk."""
        asked: dict[_Group, list[Promise]] = {}
        for promise in promises:
            for name in promise.claim.columns:
                asked.setdefault(_Group(promise.step, (name,), (), (), whole=True), []).append(promise)
        here = replace(self.passing, workers=in_this_process(self.passing.workers))

        def both(groups: Sequence[_Group], passed: Passed) -> dict[_Group, BothSides]:
            return {group: BothSides.of(self._sides(group, exact, passed)) for group in groups}

        def sample(passed: Passed) -> Together[_Group, Together[str, Sampled]]:
            return Together({group: one.sample(here.source.n) for group, one in both(list(asked), passed).items()})

        found: dict[int, list[Verdict]] = {id(promise): [] for promise in promises}
        sampled = here.gather(sample, [group.columns[0] for group in asked]).parts if asked else {}
        files = {group: sum(one.files for one in sides.parts.values()) for group, sides in sampled.items()}
        for groups in in_one_pass(files):
            assert self.passing.folder is not None
            verdicts = judge_in_order(
                {group: [replace(one.claim, columns=group.columns) for one in asked[group]] for group in groups},
                here.each(partial(both, groups), [group.columns[0] for group in groups]),
                sampled,
                self.passing.folder / "judging",
                self.passing.workers,
            )
            for group in groups:
                for promise, verdict in zip(asked[group], verdicts[group], strict=True):
                    found[id(promise)].append(replace(verdict, claim=promise.claim))
        return [(promise, worst_of_all(found[id(promise)])) for promise in promises]

    def _in_memory(self, promises: Sequence[Promise], exact: bool) -> Judged:
        """The verdicts on promises about columns, each of which is in memory by itself."""
        judged: Judged = []
        for promise in promises:
            each = []
            for name in promise.claim.columns:
                alone = replace(promise, claim=replace(promise.claim, columns=(name,)))
                each += [replace(verdict, claim=promise.claim) for _, verdict in self._by_groups([alone], exact)]
            judged.append((promise, worst_of_all(each)))
        return judged

    def _in_groups(self, promise: Promise) -> bool:
        """Whether its parts were in memory one by one: subdomains, or blocks, of which the file is the union."""
        if self.passing.learnt[promise.step].held is None or self._made_later(promise):
            return False
        cut = not self.passing.learnt[promise.step].step.by
        return bool(promise.by) or (cut and promise.claim.in_unions == "yes" and promise.claim.about == "release")

    def verdicts(self, promises: Sequence[Promise], exact: bool = False) -> Judged:
        """What was found of each promise that can be judged; `exact`: before values were rounded.

        Nothing is found of classes of which there are too many.
        """
        asked = [self._as_released(promise) for promise in promises]
        by_sums = [promise for promise in asked if self._by_passes(promise)]
        others = [promise for promise in asked if not self._by_passes(promise)]
        in_groups = [promise for promise in others if self._in_groups(promise)]
        by_columns = [promise for promise in others if self._by_column(promise)]
        found = [
            *self._by_blocks(by_sums, exact),
            *self._as_union(self._by_groups(in_groups, exact), exact),
            *self._by_columns(by_columns, exact),
        ]
        place = {id(promise): number for number, promise in enumerate(asked)}
        told = sorted(found, key=lambda one: place[id(one[0])])
        own = [(promises[place[id(promise)]], verdict) for promise, verdict in told]
        return [(promise, replace(verdict, claim=promise.claim)) for promise, verdict in own]

    def _as_union(self, found: Judged, exact: bool) -> Judged:
        """The same where blocks of near records do not keep a promise: later steps may have moved values among them.

        What each block keeps their union keeps; what one does not is counted in the file, where that can be done.
        """
        plain = {
            id(promise): replace(promise, claim=promise.claim.without_gaps())
            for promise, verdict in found
            if not verdict.holds and not promise.by
        }
        told = self._by_blocks([one for one in plain.values() if can_be_judged(one.claim)], exact)
        kept = {id(one): verdict for one, verdict in told if verdict.holds}
        return [(promise, kept.get(id(plain.get(id(promise))), verdict)) for promise, verdict in found]

    def _by_groups(self, promises: Sequence[Promise], exact: bool) -> Judged:
        """The verdicts on promises in subdomains, each of which is in memory by itself."""
        groups: dict[_Group, list[Promise]] = {}
        for promise in promises:
            group = _Group.of(promise)._replace(whole=not self._in_groups(promise))
            groups.setdefault(group, []).append(promise)
        judged: Judged = []
        here = replace(self.passing, workers=in_this_process(self.passing.workers))
        for group, asked in groups.items():
            assert self.passing.folder is not None
            half_units = np.array([0.0 if exact else self.columns.half_units.get(name, 0.0) for name in group.columns])
            each = judge_in_groups(
                [promise.claim for promise in asked],
                group.columns,
                here.each(partial(self._sides, group, exact), group.names),
                self._sizes(group),
                half_units,
                self.passing.folder / "judging",
            )
            for number, promise in enumerate(asked):
                of_all = [verdicts[number] for verdicts in each]
                # blocks of near records are nobody's subdomains: one sentence is said of all of them
                told = worst_of_subdomains(of_all) if promise.by else [worst_of_all(of_all)]
                judged += [(promise, verdict) for verdict in told]
        return judged

    def _sides(self, group: _Group, exact: bool, passed: Passed) -> Sides:
        """The evidence of one block, by subdomains."""
        state, source, seen = passed.state, passed.begun.source, self._seen(passed, group)
        table = self.columns.table(state, group.columns) if len(state.origin) else None
        evidence, before_rounding = self._evidence(passed, group, table), _exact(passed, group)
        if group.by:
            own = source.domains(group.by)[0]
            before, after = own[np.maximum(seen, 0)], state.domain_of_rows(group.by)
        elif group.whole:
            before, after = np.zeros(len(seen), dtype=np.int64), np.zeros(len(state.origin), dtype=np.int64)
        else:
            held, places = self._held(group), passed.places_at(group.step)
            before = held.domains_at(places.before[passed.steps[group.step].seen])
            after = held.domains_at(places.released)
        originals = Side(
            passed.first + seen,
            np.where(seen >= 0, before, -1),  # made records are no originals
            evidence.original,
            [] if evidence.given is None else list(evidence.given.T),
        )
        released = Side(
            np.where(state.origin >= 0, passed.first + state.origin, -1),
            after,
            before_rounding if exact else evidence.released,
            before_rounding,
            state.groupings.get(group.step),
        )
        return Sides(originals.table(), released.table())

    def _sizes(self, group: _Group) -> Mapping[int, int]:
        """How many records the parts have that are judged one by one."""
        return {0: self.passing.source.n} if group.whole else self._held(group).sizes

    def _held(self, group: _Group) -> Held:
        held = self.passing.learnt[group.step].held
        assert held is not None
        return held

    def _by_blocks(self, promises: Sequence[Promise], exact: bool) -> Judged:
        """The verdicts on promises that sums, records or pairs of values tell."""
        groups: dict[_Group, list[Promise]] = {}
        for promise in promises:
            groups.setdefault(_Group.of(promise), []).append(promise)
        calls = {
            _Key(group, domain): self._call(group, asked, exact)
            for group, asked in groups.items()
            for domain in (sorted(self.passing.learnt[group.step].sizes) if group.by else [-1])
        }
        found = ask_together(calls, self._answer)
        judged: Judged = []
        for group, asked in groups.items():
            each = [verdicts for key, verdicts in found.items() if key.group == group]
            for number, promise in enumerate(asked):
                told = [verdict for verdicts in each if (verdict := verdicts[number]) is not None]
                if len(told) == len(each):
                    judged += [(promise, verdict) for verdict in worst_of_subdomains(told)]
        return judged

    def _call(self, group: _Group, promises: Sequence[Promise], exact: bool) -> Any:
        half_units = np.array([self.columns.half_units.get(name, 0.0) for name in group.columns])
        return lambda ask: judge([promise.claim for promise in promises], group.columns, ask, half_units, exact)

    def _answer(self, asked: Mapping[_Key, Question]) -> Mapping[_Key, Any]:
        names = dict.fromkeys(name for key in asked for name in key.group.names)

        def of(passed: Passed) -> Together[_Key, Any]:
            table = self.columns.table(passed.state, names) if len(passed.state.origin) else None
            held: dict[_Group, Evidence] = {}
            found = {}
            for key, question in asked.items():
                if key.group not in held:
                    held[key.group] = self._evidence(passed, key.group, table)
                evidence, exact = held[key.group], _exact(passed, key.group)
                places = passed.places
                if key.domain >= 0:
                    source, state = passed.begun.source, passed.state
                    seen = self._seen(passed, key.group)
                    mine = state.domain_of_rows(key.group.by) == key.domain
                    theirs = source.domains(key.group.by)[0][seen] == key.domain
                    if not mine.any() and not theirs.any():
                        continue
                    evidence, places = evidence.rows(theirs, mine), places[mine]
                    exact = [column[mine] for column in exact]
                found[key] = question(BlockEvidence(evidence, exact, places, self.passing.source.n))
            return Together(found)

        return self.passing.gather(of, names).parts

    def _seen(self, passed: Passed, group: _Group) -> Any:
        return passed.before(group.step).origin[passed.steps[group.step].seen]

    def _evidence(self, passed: Passed, group: _Group, table: pa.Table | None) -> Evidence:
        state, source, seen = passed.state, passed.begun.source, self._seen(passed, group)
        before, after = [], []
        for name in group.columns:
            kind = state.changed[name].kind if name in state.changed else source.kinds[name]
            if kind == "continuous":
                before.append(source.values(name, "continuous").numbers)
                after.append(np.zeros(0) if table is None else _numbers(table, name))
                continue
            now = state.values(name)
            if source.kinds[name] == "continuous":
                # an amount that was recoded: which became which is all that can be asked
                both: tuple[Floats, Floats] = (source.values(name).numbers, now.numbers)
            else:
                one, two = in_common([source.values(name), now])
                both = (one.numbers, two.numbers)
            before.append(both[0])
            after.append(both[1])
        place = np.full(source.n + 1, -1, dtype=np.int64)
        place[seen] = np.arange(len(seen))
        place[-1] = -1  # of made records, which have no original
        half_units = np.array([self.columns.half_units.get(name, 0.0) for name in group.columns])
        kept = [source.values(name) for name in group.given]
        beside = [values.numbers[seen] for values in kept if values.levels is None]
        given = np.column_stack(beside) if beside else None
        grouped = state.groupings.get(group.step)
        return Evidence(
            group.columns, [x[seen] for x in before], after, half_units, place[state.origin], grouped, given
        )


def _told_in_order(claim: Claim) -> bool:
    """Whether the order of a column on disk tells it."""
    return type(claim).deviation_in_order is not Claim.deviation_in_order


def _exact(passed: Passed, group: _Group) -> list[Floats]:
    state = passed.state
    return [state.values(name, _kind(passed, name)).numbers for name in group.columns]


def _kind(passed: Passed, name: str) -> str | None:
    used = passed.state.changed.get(name)
    return used.kind if used is not None else None


def _numbers(table: pa.Table, name: str) -> Floats:
    column = table[str(name)].combine_chunks()
    if column.type == pa.float32():
        return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)
    return doubles(column)
