"""What is known of classes of records without looking at the records: sizes, weights, values of sensitive columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints, Labels
from microveil.kernels.tables.classes import ValueCounts, count_up, value_counts


@dataclass(frozen=True)
class ClassCounts:
    """Classes by number: their records, the sum of weights, and the values of each sensitive column that occur.

    `register`: how many records of a register share their keys.
    """

    sizes: Ints
    weights: Floats | None = None
    sensitive: tuple[ValueCounts, ...] = ()
    register: Ints | None = None

    @classmethod
    def of_labels(
        cls,
        labels: Labels,
        classes: int,
        sensitive: Sequence[Labels] = (),
        weights: Floats | None = None,
        counts: Ints | None = None,
    ) -> ClassCounts:
        """The classes of a labelling of records, given the codes of the sensitive columns.

        `counts`: how many records stand behind each, where these are different rows.
        """
        people = weights if weights is None or counts is None else weights * counts
        return cls(
            count_up(labels, counts, classes),
            add_up(labels, people, classes),
            tuple(value_counts(labels, codes, counts) for codes in sensitive),
        )

    @property
    def people(self) -> Ints:
        """The people of each class; those of the file are people, whether a register has them or not."""
        return self.sizes if self.register is None else np.maximum(self.register, self.sizes)

    def beside(self, others: ClassCounts) -> ClassCounts:
        """The sizes of these classes and of others; what else is known of them is left behind."""
        register = None
        if self.register is not None and others.register is not None:
            register = np.append(self.register, others.register)
        return ClassCounts(np.append(self.sizes, others.sizes), register=register)

    def only(self, kept: Bools) -> ClassCounts:
        """Some of the classes, numbered anew."""
        if kept.all():
            return self
        number = np.cumsum(kept) - 1
        left = []
        for found in self.sensitive:
            inside = kept[found.classes]
            left.append(ValueCounts(number[found.classes[inside]], found.values[inside], found.counts[inside]))
        weights = None if self.weights is None else self.weights[kept]
        register = None if self.register is None else self.register[kept]
        return ClassCounts(self.sizes[kept], weights, tuple(left), register)


def add_up(labels: Labels, weights: Floats | None, classes: int) -> Floats | None:
    """The sum of weights in each class; nothing where there are none."""
    if weights is None:
        return None
    return np.asarray(np.bincount(labels, weights=weights, minlength=classes), dtype=np.float64)
