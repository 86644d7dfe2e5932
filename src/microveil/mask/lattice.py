"""The best common level of generalisation of each key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from microveil.claims import Anonymity
from microveil.core.parameters import Range
from microveil.core.words import counted
from microveil.data.extremes import tell_published_ends
from microveil.data.table import Table
from microveil.mask.ladders import LossKind, ladder_of
from microveil.mask.lattice_search import best_node
from microveil.mask.modelled import ModelledMask
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome


@dataclass(frozen=True, kw_only=True)
class Lattice(ModelledMask, name="lattice"):
    """Generalise every key to one level for all records, the levels of least loss at which the model holds.

    Use it where released categories must nest and stay comparable: a key climbs its hierarchy, or intervals joined two
    by two. The optimum over all combinations of levels is found. `max_dropped` lets it leave out some records where
    that saves generalisation; with `t`, classes are near to the file with and without them. `k` alone is short for
    `model=Anonymity(k=k)`. `KAnonymise` loses less, with boxes of its own for every class.
    """

    max_dropped: Annotated[float, Range(ge=0, lt=1, grid=(0.0, 0.05)), "share of records that may be left out"] = 0.0
    loss: Annotated[
        LossKind, "what is minimised: values that can no longer be told apart, lost information, or steps climbed"
    ] = "ncp"

    also_try = ({"model": Anonymity(k=2, population=6.0)},)
    passes: ClassVar[Passes] = "counts"
    reference = "Samarati 2001; LeFevre, DeWitt & Ramakrishnan 2005; El Emam et al. 2009"

    def run(self, table: Table, job: Job) -> Outcome:
        """Search the levels and release the keys at them."""
        from microveil.kernels.tables.classes import group_rows

        rule = self.rule(table, job)
        ladders = [ladder_of(values, name) for name, values in table.columns.items()]
        # records left out change the distribution of the file: classes must be near to that of the others too
        near = rule.holds_among if self.model.t is not None else None
        node = best_node(ladders, rule.broken, int(self.max_dropped * table.rows + 1e-9), self.loss, near)
        kept = np.flatnonzero(node.kept)
        columns = {
            name: ladder.at(level).take(kept)
            for name, ladder, level in zip(table.names, ladders, node.levels, strict=True)
        }
        labels = group_rows(Table(columns, len(kept)).codes())[0]
        levels = ", ".join(f"{name} {level}" for name, level in zip(table.names, node.levels, strict=True))
        notes: tuple[str, ...] = (f"levels of generalisation: {levels}; loss {node.loss:.4g}",)
        if len(kept) < table.rows:
            gone = table.rows - len(kept)
            notes += (f"{gone} of {counted(table.rows, 'record')} {'was' if gone == 1 else 'were'} left out",)
        for name, ladder, level in zip(table.names, ladders, node.levels, strict=True):
            if table[name].levels is None:
                notes += tell_published_ends(name, table[name], np.array(ladder.steps[level].cuts))
        return Outcome(columns, groups=labels, origin=kept, notes=notes, claims=self.promises(table, job))
