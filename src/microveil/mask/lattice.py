"""The best common level of generalisation of each key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Anonymity
from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.core.parameters import Example, FrozenDict, OfColumns, Range, When
from microveil.core.streams import Key
from microveil.core.words import counted
from microveil.data.class_rule import ClassRule
from microveil.data.extremes import tell_published_ends
from microveil.data.microdata import AnyData, Microdata
from microveil.data.schema import check_names
from microveil.data.table import Table, Values
from microveil.kernels.tables.classes import count_up, group_rows
from microveil.mask.ladders import Ladder, ladder_of
from microveil.mask.lattice_judge import Judge
from microveil.mask.lattice_losses import LossKind, NodeLoss, make_loss
from microveil.mask.lattice_register import ladders_with_register, refuse_without_register
from microveil.mask.lattice_release import Chosen, Released, release_parts
from microveil.mask.lattice_rows import LatticeRows, Levels
from microveil.mask.lattice_search import Found, Limits, Node, search
from microveil.mask.lattice_solutions import BY_RULE, Solution, Solutions
from microveil.mask.modelled import ModelledMask
from microveil.run.contract import MissingPolicy, Passes
from microveil.run.method import Job, Outcome, Step
from microveil.run.release import Release
from microveil.run.steps import run_steps

_NODES_APART = 20_000  # combinations of levels tried for records that are generalised apart
_REGISTER = "register"  # the name under which a register stands aside


@dataclass(frozen=True, kw_only=True)
class Lattice(ModelledMask, name="lattice"):
    """Generalise every key to one level for all records, the levels of least loss at which the model holds.

    Use it where released categories must nest and stay comparable: a key climbs its hierarchy, or intervals joined two
    by two. The optimum over all combinations of levels is found, unless `nodes` or `seconds` end the search before;
    then the best so far is released, and a note says how much less any other could lose. `max_dropped` lets it leave
    out some records where that saves generalisation: those in classes that break the model, then, until limits on the
    file hold, those in the smallest classes. For k, l, people and the highest risk no other choice of records keeps
    more. For limits on the file, t and beta against the release, `drop_price` below 1 and records that stay in the file
    levels are the best for this rule, and another choice of records might lose less. `dropped="recode"` chooses levels
    as if those left out were starred; generalised apart they lose less. `k` alone is short for
    `model=Anonymity(k=k)`. `KAnonymise` loses less, with boxes of its own for every class.
    """

    max_dropped: Annotated[float, Range(ge=0, lt=1, grid=(0.0, 0.05)), "share of records that may be left out"] = 0.0
    dropped: Annotated[
        Literal["remove", "star", "recode"],
        When(max_dropped=Range(gt=0)),
        "what becomes of records left out: removed, kept with * in all keys, or generalised further among themselves; "
        "where they stay they satisfy the model, too",
    ] = "remove"
    loss: Annotated[
        LossKind,
        "what is minimised: values that can no longer be told apart (ncp; geometric: by the geometric mean of keys), "
        "lost information (entropy, non-uniform-entropy in bits), steps climbed (precision: mean of keys; height: of "
        "all steps), or large classes (discernibility, class-size)",
    ] = "ncp"
    weights: Annotated[
        Mapping[str, float],
        Range(gt=0),
        OfColumns("keys"),
        Example({"age": 2}),
        "how much the loss of a key counts, 1 if nothing says it",
    ] = field(default_factory=FrozenDict)
    drop_price: Annotated[
        float,
        Range(gt=0),
        When(max_dropped=Range(gt=0)),
        "what a record left out costs, where 1 is all that could be lost by generalising it",
    ] = 1.0
    limits: Annotated[
        Mapping[str, tuple[int, int]],
        Range(ge=0),
        OfColumns("keys"),
        Example({"age": [1, 3]}),
        "the lowest and the highest level of a key",
    ] = field(default_factory=FrozenDict)
    levels: Annotated[
        Mapping[str, int],
        Range(ge=0),
        OfColumns("keys"),
        Example({"age": 2}),
        "the level of a key where it is chosen, not searched",
    ] = field(default_factory=FrozenDict)
    nodes: Annotated[int | None, Range(ge=1), "combinations of levels after which the search ends"] = None
    seconds: Annotated[
        float | None, Range(gt=0), "time after which the search ends; what is found then depends on the machine"
    ] = None

    attacks: ClassVar[tuple[str, ...]] = (
        "attribute-inference",
        "weight-inference",
    )
    also_try = (
        {"model": Anonymity(k=2, population=6.0)},
        {"max_dropped": 0.1, "dropped": "star", "nodes": 2000},  # a search that is cut short, too
        {"max_dropped": 0.1, "dropped": "recode", "nodes": 2000},
    )
    passes: ClassVar[Passes] = "counts"
    reference = (
        "Samarati 2001; LeFevre, DeWitt & Ramakrishnan 2005; El Emam et al. 2009; Kohlmayer, Prasser, Eckert, Kemper & "
        "Kuhn 2012"
    )

    def validate(self) -> None:
        """Each key has one statement about its level."""
        super().validate()
        if self.dropped != "remove" and self.model.key_sets:
            raise BadInput(f"dropped={self.dropped!r} keeps classes of all keys together; leave key_sets out")
        if self.dropped == "recode" and self.model.needs_register:
            raise BadInput("dropped='recode' makes classes that the register was not counted for; use 'star'")
        if self.dropped == "recode" and self.model.limits_file:
            raise BadInput("dropped='recode' makes classes that no limit on the file was judged with; use 'star'")
        both = [name for name in self.levels if name in self.limits]
        if both:
            raise BadInput(f"{both} stand in levels and in limits; state each key in one of them")
        for name, (low, high) in self.limits.items():
            if low > high:
                raise BadInput(f"limits[{name!r}] is [{low}, {high}]; give the lower level first")

    @property
    def drops(self) -> bool:
        """Whether records may be left out of the file."""
        return self.max_dropped > 0 and self.dropped == "remove"

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The keys; a clock that ends many searches leaves nothing that a log could repeat."""
        if step.by and self.seconds is not None:
            raise BadInput(
                "seconds ends the search in each subdomain where the clock says, which no log repeats; give nodes in "
                "place of seconds, or leave by out"
            )
        return super().resolve(data, step)

    def takes_gaps(self, values: Values) -> bool:
        """A number with a stated hierarchy climbs it as a category does, and its gaps are a class of their own."""
        return bool(values.hierarchy)

    def apply(
        self,
        data: AnyData,
        *,
        columns: Sequence[str] | str | None = None,
        given: Sequence[str] | str | None = None,
        by: Sequence[str] | str | None = None,
        seed: int | str | bytes | Key | None = None,
        missing: MissingPolicy = "error",
        register: AnyData | None = None,
    ) -> Release:
        """Protect the keys of the data and return a Release, as every method does.

        `register` holds the keys of the people of whom the file is a sample, where the model counts them. What it is
        asked for is enforced and noted, not promised: the register is no part of the release. To replay the log, give
        it again: `aside={"register": ...}`.
        """
        people = None if register is None else Microdata.of(register)
        refuse_without_register(self.model.needs_register, people, by)
        aside = {} if people is None else {_REGISTER: people}
        return run_steps(data, [Step(self, columns, given, by, missing)], Key.of(seed), aside=aside)

    def count_nodes(self, data: AnyData, *, on: Sequence[str] | None = None) -> int:
        """How many combinations of levels a search over the keys `on` has before it: it looks at few of them."""
        known = Microdata.of(data)
        chosen = self.resolve(known, Step(self, on))[0]
        ladders = [ladder_of(known.values(name, kind), name) for name, kind in chosen.items()]
        return self._limits(ladders, tuple(chosen)).size

    def explore(
        self, data: AnyData, *, on: Sequence[str] | None = None, best: int = 10, register: AnyData | None = None
    ) -> Solutions:
        """The best combinations of levels of the keys `on`, with what each loses and the risks it leaves.

        Private: made from the original. Nothing is released; `Lattice(levels=solution.levels, ...)` applies one.
        """
        if best < 1:
            raise BadInput(f"best={best} is no number of nodes; give 1 or more")
        known = Microdata.of(data)
        chosen, given = self.resolve(known, Step(self, on))
        table = known.table(tuple(chosen), chosen)
        rule = ClassRule.of(self.model.in_sample(table.rows), known.table(tuple(given), given), known.weights)
        people = None if register is None else Microdata.of(register)
        judge = self._judge(table, rule, people)
        found = self._search(judge, table.names, best)
        return Solutions(
            tuple(_solution(judge, node, table.names) for node in found.best),
            self.loss,
            self.model.asked,
            known.narwhal.implementation,
            found.bound,
            found.complete,
            found.size,
            found.looked_at,
            found.counted,
            self._is_by_rule(judge),
        )

    def learn(self, table: Table, job: Job) -> Chosen:
        """Search the levels on the different rows of the keys; what becomes of each of them."""
        refuse_without_register(self.model.needs_register, job.aside.get(_REGISTER), None)
        file = self.counted(table, job)
        rule, rows, times = self.rule_on(file), file.table, file.counts
        judge = self._judge(rows, rule, job.aside.get(_REGISTER))
        ladders = judge.rows.ladders
        found = self._search(judge, rows.names)
        node = found.best[0]
        kept = judge.kept_rows(judge.judge(node.levels))
        parts = [Released(node.levels, np.flatnonzero(kept))]
        notes = (*self._told(found, judge, rows.names), *self._told_register(judge, node))
        if not kept.all() and self.dropped != "remove":
            parts.append(self._beside(judge, rows.names, np.flatnonzero(~kept)))
        columns, origin = release_parts(rows.names, ladders, parts)
        labels, _ = group_rows(Table(columns, len(origin)).codes())
        if len(parts) > 1:
            notes += self._told_beside(judge, rows.names, times, parts, count_up(labels, times[origin]))
        notes += tuple(note for part in parts for note in _told_ends(rows, ladders, part.levels, times))
        # what ended by the clock is found again by the number of nodes it came to
        tallies = {} if self.seconds is None else {"nodes": found.looked_at}
        return Chosen.of(file, columns, origin, labels, notes, self.promises(rows, rule), tallies)

    def act(self, table: Table, job: Job, known: Chosen) -> Outcome:
        """Some records at the levels that were found, without those that are left out."""
        return known.among(table)

    def settle(self, found: Outcome, table: Table, job: Job, known: Chosen) -> Outcome:
        """What is told of the search."""
        return replace(found, notes=known.notes, tallies=known.tallies)

    def as_run(self, tallies: Mapping[str, int]) -> Lattice:
        """With the number of nodes it came to in place of seconds."""
        return replace(self, nodes=tallies["nodes"], seconds=None) if "nodes" in tallies else self

    def _beside(self, judge: Judge, names: Sequence[str], rows: Ints) -> Released:
        """The levels at which records that cannot be released with the others stay."""
        ladders = judge.rows.ladders
        tops = tuple(ladder.top for ladder in ladders)
        if self.dropped == "star":
            return Released(tops, rows, starred=True)
        own, rule = [ladder.take(rows) for ladder in ladders], judge.rule.take(rows)
        some = Judge(LatticeRows(own, rule), rule, 0)
        found = search(some, self._loss(some, names), Limits(tuple(0 for _ in tops), tops, _NODES_APART))
        return Released(found.best[0].levels, rows)

    def _key_sets(self, names: Sequence[str]) -> tuple[tuple[int, ...], ...]:
        """The places of the keys of each set."""
        sets = self.model.key_sets
        for one in sets:
            check_names(one, list(names), "key_sets")
        alone = [name for name in names if sets and not any(name in one for one in sets)]
        if alone:
            raise BadInput(f"{alone} stand in no key set; put each into one, or leave it out of columns")
        return tuple(tuple(names.index(name) for name in one) for one in sets)

    def _judge(self, table: Table, rule: ClassRule, register: Microdata | None) -> Judge:
        refuse_without_register(self.model.needs_register, register, None)
        ladders, people = ladders_with_register(table, register, rule.times)
        rows = LatticeRows(ladders, rule, people)
        largest_drop = int(self.max_dropped * rows.records + 1e-9)
        key_sets = self._key_sets(table.names)
        return Judge(rows, rule, largest_drop, key_sets, self.dropped != "remove")

    def _search(self, judge: Judge, names: Sequence[str], best: int = 1) -> Found:
        """The best nodes; an error where there is none."""
        for stated, what in ((self.weights, "weights"), (self.limits, "limits"), (self.levels, "levels")):
            check_names(stated, list(names), what)
        found = search(judge, self._loss(judge, names), self._limits(judge.rows.ladders, names), best)
        if found.best:
            return found
        left_out = f"at most {counted(judge.largest_drop, 'record')} left out"
        left_out += f", {BY_RULE}" if self._is_by_rule(judge) else ""
        if len(self.levels) == len(names):
            raise BadInput(
                f"at the levels chosen the records do not satisfy {self.model.asked} with {left_out}; choose higher "
                "levels or ask for less"
            )
        if not found.complete:
            raise BadInput(
                f"among the first {counted(found.looked_at, 'combination')} of levels none satisfies the model; allow "
                "more nodes or seconds, or more records to be dropped"
            )
        raise BadInput(
            f"no combination of levels satisfies {self.model.asked} with {left_out}; ask for less or allow more "
            "records to be dropped"
        )

    def _is_by_rule(self, judge: Judge) -> bool:
        """Whether what is proven of levels is so for the rule by which records are left out, and not for any choice.

        Below a price of 1 a class that satisfies the model is kept all the same, though it may cost more than it saves.
        """
        return not judge.keeps_most or (judge.largest_drop > 0 and self.drop_price < 1)

    def _loss(self, judge: Judge, names: Sequence[str]) -> NodeLoss:
        weights = [self.weights.get(name, 1.0) for name in names] if self.weights else None
        return make_loss(self.loss, judge.rows, weights, self.drop_price, judge.largest_drop, judge.starred)

    def _limits(self, ladders: Sequence[Ladder], names: Sequence[str]) -> Limits:
        lowest, highest = [], []
        for name, ladder in zip(names, ladders, strict=True):
            chosen = self.levels.get(name)
            low, high = self.limits.get(name, (0, ladder.top)) if chosen is None else (chosen, chosen)
            if high > ladder.top:
                raise BadInput(f"{name!r} has the levels 0 to {ladder.top}; {high} was given")
            lowest.append(low)
            highest.append(high)
        return Limits(tuple(lowest), tuple(highest), self.nodes, self.seconds)

    def _told_register(self, judge: Judge, node: Node) -> tuple[str, ...]:
        judged = judge.judge(node.levels)
        counts = judged.classes.counts
        if counts.register is None:
            return ()
        people = int(counts.people[judged.kept].min())
        return (
            f"keys that are released are shared by at least {people} people of file and register; this is no promise",
        )

    def _told_beside(
        self, judge: Judge, names: Sequence[str], times: Ints, parts: Sequence[Released], sizes: Ints
    ) -> tuple[str, ...]:
        """What became of the records that could not be released with the others."""
        ladders = judge.rows.ladders
        coded = [
            (part.levels, np.column_stack([ladder.codes[part.rows] for ladder in ladders]), times[part.rows])
            for part in parts
        ]
        loss = self._loss(judge, names).of_release(coded, sizes)
        apart, records = parts[1], int(times[parts[1].rows].sum())
        one = records == 1
        told = f"{records} of {counted(judge.rows.records, 'record')} "
        if self.dropped == "star":
            return (f"{told}{'has' if one else 'have'} * in all keys; the loss of the release is {loss:.4g}",)
        further = _levels_text(names, apart.levels)
        return (
            f"{told}{'was' if one else 'were'} generalised apart: {further}; the loss of the release is {loss:.4g}",
        )

    def _told(self, found: Found, judge: Judge, names: Sequence[str]) -> tuple[str, ...]:
        node = found.best[0]
        levels = _levels_text(names, node.levels)
        notes: tuple[str, ...] = (f"levels of generalisation: {levels}; loss {node.loss:.4g}",)
        if not found.complete:
            told = (
                f"the search ended after {found.looked_at:,} of {found.size:,} combinations of levels; no other loses "
                f"less than {found.bound:.4g}"
            )
            told += f", {BY_RULE}" if self._is_by_rule(judge) else ""
            if self.seconds is not None:
                told += f"; seconds depend on the machine: nodes={found.looked_at} gives the same again, and is logged"
            notes += (told,)
        if node.dropped and self.dropped == "remove":
            were = "was" if node.dropped == 1 else "were"
            notes += (f"{node.dropped} of {counted(judge.rows.records, 'record')} {were} left out",)
        return notes


def _levels_text(names: Sequence[str], levels: Levels) -> str:
    return ", ".join(f"{name} {level}" for name, level in zip(names, levels, strict=True))


def _solution(judge: Judge, node: Node, names: Sequence[str]) -> Solution:
    sizes = judge.riskiest_sizes(judge.judge(node.levels))
    return Solution(
        dict(zip(names, node.levels, strict=True)),
        node.loss,
        node.dropped,
        len(sizes),
        int(sizes.min()),
        len(sizes) / int(sizes.sum()),
        1 / int(sizes.min()),
    )


def _told_ends(table: Table, ladders: Sequence[Ladder], levels: Levels, times: Ints) -> tuple[str, ...]:
    notes: tuple[str, ...] = ()
    for name, ladder, level in zip(table.names, ladders, levels, strict=True):
        if table[name].levels is None:
            notes += tell_published_ends(name, table[name], np.array(ladder.steps[level].cuts), times)
    return notes
