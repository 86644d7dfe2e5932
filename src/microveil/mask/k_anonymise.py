"""k-anonymity and its refinements, enforced by classes of records that share what stands for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from microveil.core.errors import BadInput
from microveil.core.parameters import Grid
from microveil.data.table import Table
from microveil.mask.base import depends
from microveil.mask.group_values import group_averages, group_ranges, tell_range_ends
from microveil.mask.modelled import ModelledMask
from microveil.partition import MDAV, Mondrian, Partition
from microveil.run.contract import Passes
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

    # averages of classes are plain sums: their last bit follows the order of the records
    passes: ClassVar[Passes] = depends(
        "counts", lambda mask: mask.partition.passes if mask.release == "range" else "file"
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

    def run(self, table: Table, job: Job) -> Outcome:
        """Form classes that satisfy the model and release what stands for them."""
        rule = self.rule(table, job)
        labels = self.partition.classes_of(table, job.streams.at("block", 0), rule)
        claims = self.promises(table, rule)
        if self.release == "average":
            return Outcome(group_averages(table, labels), groups=labels, claims=claims)
        notes = tell_range_ends(table, labels)
        return Outcome(group_ranges(table, labels), groups=labels, notes=notes, claims=claims)
