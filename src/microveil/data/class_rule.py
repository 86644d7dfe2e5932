"""An anonymity model on the records of one file: which classes of them break it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from microveil.claims import Anonymity
from microveil.core.arrays import Bools, Floats, Labels
from microveil.core.errors import BadInput
from microveil.data.table import Table
from microveil.kernels.tables.closeness import class_distance
from microveil.kernels.tables.diversity import class_diversity


@dataclass(frozen=True)
class ClassRule:
    """A model with what it needs to know of each record.

    `sensitive` holds the codes of each sensitive column, from 0 and each of them in use; `ordered` whether its values
    have an order; `weights` are there where the model asks for a population.
    """

    model: Anonymity
    sensitive: tuple[Labels, ...] = ()
    ordered: tuple[bool, ...] = ()
    weights: Floats | None = None

    @classmethod
    def of(cls, model: Anonymity, given: Table, weights: Floats | None) -> ClassRule:
        """The model on records whose sensitive columns are among those given."""
        if model.population is not None and weights is None:
            raise BadInput("population adds up weights; give a column the role 'weight'")
        columns = [given[name] for name in model.sensitive]
        # only values that occur count as steps between ordered ones, a missing one as the lowest of them
        codes = (given.codes([name])[:, 0] for name in model.sensitive)
        return cls(
            model,
            tuple(np.unique(column, return_inverse=True)[1].reshape(-1).astype(np.int64) for column in codes),
            tuple(model.ordered(values.kind) for values in columns),
            weights if model.population is not None else None,
        )

    def broken(self, labels: Labels, classes: int) -> Bools:
        """Which classes of a labelling break the model; joining classes never breaks it."""
        model = self.model
        bad = np.bincount(labels, minlength=classes) < model.k
        if model.population is not None and self.weights is not None:
            bad |= np.bincount(labels, weights=self.weights, minlength=classes) < model.population * (1 - 1e-12)
        for codes, ordered in zip(self.sensitive, self.ordered, strict=True):
            if model.l is not None:
                bad |= class_diversity(labels, codes, model.diversity, model.c) < model.l * (1 - 1e-12)
            if model.t is not None:
                bad |= class_distance(labels, codes, ordered) > model.t + 1e-12
        return bad

    def among(self, rows: Bools) -> ClassRule:
        """The model on some of the records: these alone are the file then."""
        codes = tuple(np.unique(column[rows], return_inverse=True)[1].astype(np.int64) for column in self.sensitive)
        return replace(self, sensitive=codes, weights=None if self.weights is None else self.weights[rows])

    def holds_among(self, rows: Bools, labels: Labels) -> bool:
        """Whether the classes still satisfy the model when only these records are left of the file."""
        left = np.unique(labels[rows], return_inverse=True)[1].astype(np.int64)
        return not len(left) or not self.among(rows).broken(left, int(left.max()) + 1).any()

    def refuse_impossible(self, rows: int) -> None:
        """Refuse a model that not even one class of all records satisfies."""
        if self.broken(np.zeros(rows, dtype=np.int64), 1).any():
            raise BadInput(f"all {rows} records together do not satisfy {self.model.asked}; ask for less")
