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


@dataclass(frozen=True)
class ClassRule:
    """A model with what it needs to know of each record: sensitive columns, and weights where it asks for people."""

    model: Anonymity
    sensitive: tuple[SensitiveValues, ...] = ()
    weights: Floats | None = None

    @classmethod
    def of(cls, model: Anonymity, given: Table, weights: Floats | None) -> ClassRule:
        """The model on records whose sensitive columns are among those given."""
        if model.population is not None and weights is None:
            raise BadInput("population adds up weights; give a column the role 'weight'")
        columns = tuple(SensitiveValues.of(model, given, name) for name in model.sensitive)
        return cls(model, columns, weights if model.population is not None else None)

    def take(self, rows: Ints) -> ClassRule:
        """The model on some of the records, held against the whole file."""
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, sensitive=tuple(column.take(rows) for column in self.sensitive), weights=weights)

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
        return ClassCounts.of_labels(labels, classes, [column.codes for column in self.sensitive], self.weights)

    def broken(self, labels: Labels, classes: int) -> Bools:
        """Which classes of a labelling break the model; joining classes never breaks it."""
        return self.broken_of(self.counts(labels, classes))

    def broken_of(self, counts: ClassCounts) -> Bools:
        """Which classes break the model, held against all records."""
        return _broken(self.constraints, counts)

    def broken_in_any_part(self, counts: ClassCounts) -> Bools:
        """Which classes break what no part of them can satisfy either."""
        return _broken([constraint for constraint in self.constraints if constraint.hereditary], counts)

    def keep(self, counts: ClassCounts) -> Bools | None:
        """The classes that can be released; None where what is left does not satisfy the model.

        Against the file, classes that break the model go, and against the release those that are left must satisfy it
        among themselves. Against the release alone, classes go until all that are left satisfy it.
        """
        against = self.model.t_against
        if against == "release":
            kept = ~_broken([one for one in self.constraints if not isinstance(one, Closeness | Likeness)], counts)
            while kept.any():
                bad = self._broken_among(counts.only(kept))
                if not bad.any():
                    break
                kept[np.flatnonzero(kept)[bad]] = False
        else:
            kept = ~self.broken_of(counts)
        left = counts.only(kept)
        if not kept.any() or (against == "both" and not kept.all() and self._broken_among(left).any()):
            return None
        return kept if all(limit.holds(left) for limit in self.limits) else None

    def keep_beside(self, counts: ClassCounts, join: Callable[[Bools], ClassCounts]) -> Bools | None:
        """The classes that can be released beside one class of all others, which is released, too.

        All records are released, so that all classes are held against the file. None where the others together break
        the model: `join` tells what is known of them.
        """
        kept = ~self.broken_of(counts)
        if not kept.any():
            return None
        left = counts.only(kept)
        sizes, register = left.sizes, left.register
        if not kept.all():
            others = join(~kept)
            if self.broken_of(others).any():
                return None
            sizes = np.append(sizes, others.sizes)
            register = None if register is None or others.register is None else np.append(register, others.register)
        released = ClassCounts(sizes, register=register)
        return kept if all(limit.holds(released) for limit in self.limits) else None

    def _broken_among(self, counts: ClassCounts) -> Bools:
        """Which classes break the model when these are the whole file."""
        return _broken([constraint.among(counts) for constraint in self.constraints], counts)

    def holds_for_all(self, rows: int) -> bool:
        """Whether one class of all records satisfies the model."""
        return not self.broken(np.zeros(rows, dtype=np.int64), 1).any()

    def refuse_impossible(self, rows: int) -> None:
        """Refuse a model that not even one class of all records satisfies."""
        if not self.holds_for_all(rows):
            raise BadInput(f"all {rows} records together do not satisfy {self.model.asked}; ask for less")


def _broken(constraints: tuple[ClassConstraint, ...] | list[ClassConstraint], counts: ClassCounts) -> Bools:
    bad = np.zeros(len(counts.sizes), dtype=np.bool_)
    for constraint in constraints:
        bad |= constraint.broken(counts)
    return bad
