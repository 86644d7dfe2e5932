"""k-anonymity and its refinements, enforced by classes of records that share what stands for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim
from microveil.core.arrays import Ints, Labels
from microveil.core.errors import BadInput
from microveil.core.parameters import Grid
from microveil.data.table import Table, Values
from microveil.kernels.tables.classes import first_rows
from microveil.mask.base import depends
from microveil.mask.group_values import group_averages, group_ranges, tell_range_ends
from microveil.mask.modelled import ModelledMask
from microveil.partition import MDAV, Mondrian, Partition
from microveil.run.contract import Passes
from microveil.run.counted import KeyRows
from microveil.run.method import Job, Outcome

# groups of two: their size is left to the model
_BOXES = Mondrian(k=2, variant="published")
_RELAXED = Mondrian(k=2, variant="published", strict=False)
_SIMILAR = MDAV(k=2)


@dataclass(frozen=True, kw_only=True)
class KAnonymise(ModelledMask, name="k-anonymise"):
    """Make the keys of every record equal to those of at least k - 1 others, and more where asked.

    `k` alone is short for `model=Anonymity(k=k)`; a model may ask for more: sensitive columns that are diverse or
    distributed as in the file, classes that stand for enough people. `partition` forms the classes: boxes by default
    (least loss on many keys), groups of similar records with `MDAV` or `KModes`. Of its k and the model's the larger
    counts, and groups that break the model join their nearest. `range` releases what a class spans, `average` its mean,
    median or mode. `Lattice` finds generalisations that nest and stay comparable.
    """

    partition: Annotated[Partition, Grid((_BOXES, _RELAXED, _SIMILAR)), "how the classes are formed"] = field(
        default_factory=lambda: _BOXES
    )
    release: Annotated[Literal["range", "average"], "what stands for a class"] = "range"

    counts: ClassVar[bool] = depends(
        True, lambda mask: isinstance(mask.partition, Mondrian) and mask.partition.by_counts
    )
    # averages of other classes are plain sums: their last bit follows the order of the records
    passes: ClassVar[Passes] = depends(
        "counts",
        lambda mask: "counts" if mask.counts else mask.partition.passes if mask.release == "range" else "file",
    )
    way_out: ClassVar[str] = (
        "give partition='mondrian' with strict boxes, which follow from the different rows of the keys"
    )
    random: ClassVar[bool] = depends(False, lambda mask: mask.partition.random)
    coarsens: ClassVar[bool] = depends(True, lambda mask: mask.release == "range")
    attacks: ClassVar[tuple[str, ...]] = ("attribute-inference", "downcoding", "weight-inference")
    also_try = ({"partition": _SIMILAR, "release": "average"},)
    reference = "Samarati 2001; LeFevre, DeWitt & Ramakrishnan 2006; Domingo-Ferrer & Torra 2005"

    @property
    def smallest(self) -> int:
        """The smallest class: of the k of the model and that of the partition the larger."""
        return max(self.model.smallest, self.partition.k)

    def validate(self) -> None:
        """What no class can satisfy by itself, or what is asked of some of the keys, is left to a search."""
        super().validate()
        if self.model.limits_file or self.model.key_sets or self.model.needs_register:
            raise BadInput(
                "k-anonymise forms classes of all keys one by one; use lattice for average_risk, share_at_risk, "
                "uniqueness, key_sets and what counts a register"
            )

    def learn(self, table: Table, job: Job) -> _Classes:
        """Classes of the different rows, and what stands for each."""
        counted = self.counted(table, job)
        rule, rows = self.rule_on(counted), counted.table
        labels = self.partition.classes_of(rows, job.streams.at("block", 0), rule)
        found = self._released(rows, labels, counted.counts)
        released = {name: _of_classes(values, labels) for name, values in found.items()}
        notes = () if self.release == "average" else tell_range_ends(rows, labels, counted.counts)
        return _Classes(counted.keys, labels[counted.first_of_keys], released, notes, self.promises(table, rule))

    def act(self, table: Table, job: Job, known: _Classes) -> Outcome:
        """What stands for the classes of some records; gaps in averaged amounts stay."""
        labels = known.of_keys[known.keys.places(table)]
        columns = {name: values.take(labels) for name, values in known.columns.items()}
        for name, values in columns.items():
            if values.levels is None:
                columns[name] = values.with_data(np.where(table[name].missing, np.nan, values.data))
        return Outcome(columns, groups=labels, claims=known.claims)

    def settle(self, found: Outcome, table: Table, job: Job, known: _Classes) -> Outcome:
        """What the ranges give away."""
        return replace(found, notes=known.notes)

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Form classes of records that satisfy the model and release what stands for them."""
        rule = self.rule(table, job)
        labels = self.partition.classes_of(table, job.streams.at("block", 0), rule)
        notes = () if self.release == "average" else tell_range_ends(table, labels)
        return Outcome(self._released(table, labels), groups=labels, notes=notes, claims=self.promises(table, rule))

    def _released(self, table: Table, labels: Labels, times: Ints | None = None) -> dict[str, Values]:
        if self.release == "average":
            return group_averages(table, labels, times)
        return group_ranges(table, labels, times)


def _of_classes(values: Values, labels: Labels) -> Values:
    """What stands for each class, from what stands for its rows: alike but for gaps of their own in amounts."""
    classes = int(labels.max()) + 1
    if values.levels is not None:
        return values.take(first_rows(labels, classes))
    found, observed = np.full(classes, np.nan), ~values.missing
    found[labels[observed]] = values.data[observed]
    return values.with_data(found)


@dataclass(frozen=True)
class _Classes:
    """The class of every row of the keys, what stands for each class, and what is told and claimed of them."""

    keys: KeyRows
    of_keys: Labels
    columns: Mapping[str, Values]
    notes: tuple[str, ...]
    claims: tuple[Claim, ...]
