"""An anonymity model on the records of one file: which classes of them break it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from microveil.claims import Anonymity
from microveil.claims.anonymity import SensitiveColumn, smallest_class_at
from microveil.core.arrays import Bools, Floats, Ints, Labels
from microveil.core.errors import BadInput
from microveil.data.class_counts import ClassCounts
from microveil.data.constraints import (
    AverageRisk,
    ClassConstraint,
    Closeness,
    Diverse,
    FewAlone,
    FileLimit,
    InRegister,
    Likeness,
    People,
    Presence,
    ShareAtRisk,
    Size,
)
from microveil.data.sensitive import SensitiveValues
from microveil.data.table import Table

NEEDS_WEIGHTS = "population adds up weights; give a column the role 'weight'"

Order = Callable[[], Ints]  # the place of each class by its keys, asked for where classes of one size must be chosen


@dataclass(frozen=True)
class ClassRule:
    """A model with what it needs to know of each record: sensitive columns, and weights where it asks for people.

    `times` says how many records stand behind each of them, where these are the different rows of a file.
    """

    model: Anonymity
    sensitive: tuple[SensitiveValues, ...] = ()
    weights: Floats | None = None
    times: Ints | None = None

    @classmethod
    def of(cls, model: Anonymity, given: Table, weights: Floats | None, times: Ints | None = None) -> ClassRule:
        """The model on records whose sensitive columns are among those given."""
        if model.population is not None and weights is None:
            raise BadInput(NEEDS_WEIGHTS)
        columns = tuple(SensitiveValues.of(model, given, name).counted(times) for name in model.sensitive)
        return cls(model, columns, weights if model.population is not None else None, times)

    def take(self, rows: Ints) -> ClassRule:
        """The model on some of the records, held against the whole file."""
        weights = None if self.weights is None else self.weights[rows]
        times = None if self.times is None else self.times[rows]
        sensitive = tuple(column.take(rows) for column in self.sensitive)
        return replace(self, sensitive=sensitive, weights=weights, times=times)

    @cached_property
    def constraints(self) -> tuple[ClassConstraint, ...]:
        """What each class must satisfy, held against all records."""
        model = self.model
        found: list[ClassConstraint] = [Size(model.smallest)]
        if model.population is not None:
            found.append(People(model.population))
        if model.register is not None:
            found.append(InRegister(model.register))
        if model.presence is not None:
            found.append(Presence(model.presence))
        for place, column in enumerate(self.sensitive):
            if model.l is not None:
                found.append(Diverse(place, model.l, model.diversity, model.c))
            if model.t is not None:
                found.append(Closeness(place, model.t, column, column.shares))
            if model.beta is not None:
                found.append(Likeness(place, model.beta, column.shares))
        return tuple(found)

    @cached_property
    def limits(self) -> tuple[FileLimit, ...]:
        """What all released classes together must satisfy."""
        model = self.model
        found: list[FileLimit] = []
        if model.average_risk is not None:
            found.append(AverageRisk(model.average_risk))
        if model.share_at_risk is not None:
            found.append(ShareAtRisk(model.share_at_risk, smallest_class_at(model.at_risk)))
        if model.uniqueness is not None:
            found.append(ShareAtRisk(model.uniqueness, 2))
        if model.population_uniqueness is not None:
            found.append(FewAlone(model.population_uniqueness))
        return tuple(found)

    @property
    def is_hereditary(self) -> bool:
        """Whether a class that breaks the model breaks it in any part, whatever it is held against."""
        return all(constraint.hereditary for constraint in self.constraints) and not self.limits

    @property
    def keeps_most(self) -> bool:
        """Whether `keep` leaves out only what must be: classes that break the model whatever else is left out.

        Limits on the file, and distributions held against the release, hold or not by which classes go: the rule takes
        the smallest, or those that are far, and another choice may keep more.
        """
        by_release = self.model.t_against != "file" and (self.model.t is not None or self.model.beta is not None)
        return not self.limits and not by_release

    @property
    def told(self) -> dict[str, SensitiveColumn]:
        """How t is measured on each sensitive column, as claims want to know it."""
        out: dict[str, SensitiveColumn] = {}
        for name, column in zip(self.model.sensitive, self.sensitive, strict=True):
            above = zip(*(level.tolist() for level in column.tree[1:]), strict=True)
            nodes = list(above) or [()] * len(column.numbers)
            tree = tuple(zip(column.numbers, nodes, strict=True)) if column.tree else ()
            out[name] = (column.how, tree)
        return out

    def counts(self, labels: Labels, classes: int) -> ClassCounts:
        """What is known of the classes of a labelling."""
        codes = [column.codes for column in self.sensitive]
        return ClassCounts.of_labels(labels, classes, codes, self.weights, self.times)

    def broken(self, labels: Labels, classes: int) -> Bools:
        """Which classes of a labelling break the model; joining classes never breaks it."""
        return self.broken_of(self.counts(labels, classes))

    def broken_of(self, counts: ClassCounts) -> Bools:
        """Which classes break the model, held against all records."""
        return _broken(self.constraints, counts)

    def broken_in_any_part(self, counts: ClassCounts) -> Bools:
        """Which classes break what no part of them can satisfy either."""
        return _broken([constraint for constraint in self.constraints if constraint.hereditary], counts)

    def keep(self, counts: ClassCounts, order: Order) -> Bools | None:
        """The classes that can be released; None where what is left does not satisfy the model.

        Against the file, classes that break the model go, and against the release those that are left must satisfy it
        among themselves. Against the release alone, classes go until all that are left satisfy it. Limits on the file
        then take the smallest classes, those of one size in the `order` of their keys, until they hold.
        """
        kept = self._that_hold(counts, np.ones(len(counts.sizes), dtype=np.bool_))
        while kept is not None:
            fewer = _without_smallest(counts, kept, order, lambda some: self._is_within_limits(counts.only(some)))
            if fewer is None or fewer is kept:
                return fewer
            kept = self._that_hold(counts, fewer)
        return None

    def _that_hold(self, counts: ClassCounts, among: Bools) -> Bools | None:
        """The classes, among some, that satisfy what is asked of each; None where the others spoil what is left."""
        if self.model.t_against == "release":
            plain = [one for one in self.constraints if not isinstance(one, Closeness | Likeness)]
            kept = among & ~_broken(plain, counts)
            while kept.any():
                bad = self._broken_among(counts.only(kept))
                if not bad.any():
                    return kept
                kept[np.flatnonzero(kept)[bad]] = False
            return None
        kept = among & ~self.broken_of(counts)
        if not kept.any():
            return None
        spoilt = self._lacks_records(counts.sizes[kept]) and self._broken_among(counts.only(kept)).any()
        return None if spoilt else kept

    def _lacks_records(self, kept: Ints) -> bool:
        """Whether the release is held against itself, too, and is not the file: other sets of keys may drop records."""
        if self.model.t_against != "both" or not self.sensitive:
            return False
        codes = self.sensitive[0].codes
        return int(kept.sum()) < (len(codes) if self.times is None else int(self.times.sum()))

    def keep_beside(self, counts: ClassCounts, order: Order, join: Callable[[Bools], ClassCounts]) -> Bools | None:
        """The classes that can be released beside one class of all others, which is released, too.

        All records are released, so that all classes are held against the file. The smallest classes join the others
        until these satisfy the model, too, and limits on the file hold: `join` tells what is known of the others.
        """

        def holds(kept: Bools) -> bool:
            if kept.all():
                return self._is_within_limits(counts)
            others = join(~kept)
            return not self.broken_of(others).any() and self._is_within_limits(counts.only(kept).beside(others))

        kept = ~self.broken_of(counts)
        return _without_smallest(counts, kept, order, holds) if kept.any() else None

    def _is_within_limits(self, released: ClassCounts) -> bool:
        return all(limit.holds(released) for limit in self.limits)

    def _broken_among(self, counts: ClassCounts) -> Bools:
        """Which classes break the model when these are the whole file."""
        return _broken([constraint.among(counts) for constraint in self.constraints], counts)

    def holds_for_all(self, records: int) -> bool:
        """Whether one class of all records satisfies the model."""
        rows = records if self.times is None else len(self.times)
        return not self.broken(np.zeros(rows, dtype=np.int64), 1).any()

    def refuse_impossible(self, records: int) -> None:
        """Refuse a model that not even one class of all records satisfies."""
        if not self.holds_for_all(records):
            raise BadInput(f"all {records} records together do not satisfy {self.model.asked}; ask for less")


def _broken(constraints: tuple[ClassConstraint, ...] | list[ClassConstraint], counts: ClassCounts) -> Bools:
    bad = np.zeros(len(counts.sizes), dtype=np.bool_)
    for constraint in constraints:
        bad |= constraint.broken(counts)
    return bad


def _without_smallest(counts: ClassCounts, kept: Bools, order: Order, holds: Callable[[Bools], bool]) -> Bools | None:
    """The kept classes less the fewest of the smallest without which something holds; None where it never does.

    Where it holds without some of the smallest it also does without more of them: then halving finds the fewest.
    """
    if holds(kept):
        return kept
    numbers = np.flatnonzero(kept)
    rising = numbers[np.lexsort((order()[numbers], counts.people[numbers], counts.sizes[numbers]))]

    def without(fewest: int) -> Bools:
        some = kept.copy()
        some[rising[:fewest]] = False
        return some

    broken, held = 0, len(rising)
    while held - broken > 1:
        middle = (broken + held) // 2
        if holds(without(middle)):
            held = middle
        else:
            broken = middle
    return without(held) if held < len(rising) else None
