"""Base of masks that enforce an anonymity model on the keys."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

from microveil.claims import Anonymity, Claim, GroupsAtLeast
from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.parameters import Example, Range, Safer
from microveil.data.class_rule import ClassRule
from microveil.data.microdata import Microdata
from microveil.data.schema import KINDS, check_names
from microveil.data.table import Table
from microveil.mask.base import Mask
from microveil.run.by_rows import ByCounts
from microveil.run.counted import CountedFile, count_rows
from microveil.run.method import Job, Step


@dataclass(frozen=True, kw_only=True)
class ModelledMask(ByCounts, Mask):
    """A mask whose release satisfies an anonymity model on the columns it replaces, the keys."""

    k: Annotated[
        int | None,
        Range(ge=2, grid=(3, 5)),
        Safer("twice"),
        "how many records share their keys, 3 if nothing says it; short for model",
    ] = None
    model: Annotated[
        Anonymity,
        Example({"anonymity": {"k": 5, "l": 2, "sensitive": ["illness"]}}),
        "what every class of equal keys must satisfy",
    ] = field(default_factory=Anonymity)

    kinds: ClassVar[tuple[str, ...]] = KINDS
    random: ClassVar[bool] = False
    conditions: ClassVar[bool] = True
    default_roles: ClassVar[tuple[str, ...]] = ("key",)
    spares: ClassVar[bool] = True
    coarsens: ClassVar[bool] = True

    def validate(self) -> None:
        """k and the model say one thing; the short form and the long one are the same value."""
        model = self.model
        if self.k is not None and self.k != model.k:
            # a model that does not mention k has the least one; never less than what it may have said
            if model.k != Anonymity().k or (self.k < model.k and not model.only_k):
                raise BadInput(f"k={self.k} and the k={model.k} of the model differ; say k in the model alone")
            model = replace(model, k=self.k)
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "k", model.k if model.only_k else None)

    def to_spec(self) -> Any:
        """This value in JSON terms, in the short form where that says it."""
        spec = super().to_spec()
        settings = {} if isinstance(spec, str) else dict(spec[self.name])
        if self.k is not None:
            settings.pop("model", None)
        if self.k == Anonymity().k:
            settings.pop("k")
        return {self.name: settings} if settings else self.name

    @property
    def smallest(self) -> int:
        """The smallest class."""
        return self.model.smallest

    @property
    def drops(self) -> bool:
        """Whether records may be left out."""
        return False

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """k, and what else the model asks for."""
        return self._promises(columns, None)

    def promises(self, table: Table, rule: ClassRule) -> tuple[Claim, ...]:
        """What is promised on these data: sensitive columns say how t is measured."""
        return self._promises(table.names, rule)

    def _promises(self, columns: tuple[str, ...], rule: ClassRule | None) -> tuple[Claim, ...]:
        # a partition may form larger classes than the model asks for
        model = self.model if rule is None else rule.model
        model = replace(model, k=self.smallest) if self.smallest > model.smallest else model
        found = model.claims(columns, None if rule is None else rule.told, self.drops)
        if model.key_sets or model.smallest < 2:
            return found
        return (*found, GroupsAtLeast(columns=columns, k=model.smallest))

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The keys; beside them the sensitive columns and nothing else."""
        if step.given:
            raise BadInput(f"{self.name} reads the columns named in sensitive; leave given out")
        if step.by and self.model.population_size is not None:
            raise BadInput("population_size is that of the whole file; leave by out, or give weights in its place")
        check_names(self.model.sensitive, list(data.columns), "sensitive")
        chosen = super().resolve(data, replace(step, given=self.model.sensitive))[0]
        return chosen, {name: data.kinds[name] for name in self.model.sensitive}

    def rule(self, table: Table, job: Job) -> ClassRule:
        """The model on these records, if they can satisfy it."""
        return self._rule(table.rows, job.given, job.weights)

    def counted(self, table: Table, job: Job) -> CountedFile:
        """The different rows of the keys, and of what else the model looks at."""
        weighted = self.model.in_sample(table.rows).population is not None
        return count_rows(table, job, self.name, self.model.sensitive, weighted)

    def rule_on(self, counted: CountedFile) -> ClassRule:
        """The model on the different rows of a file, if its records can satisfy it."""
        return self._rule(counted.records, counted.given, counted.weights, counted.counts)

    def _rule(self, records: int, sensitive: Table, weights: Floats | None, times: Ints | None = None) -> ClassRule:
        model = self.model.in_sample(records)
        smallest = max(self.smallest, model.smallest)
        if records < smallest:
            raise NotEnoughRecords(f"{self.name} needs at least k={smallest} records: {records} given")
        rule = ClassRule.of(model, sensitive, weights, times)
        # where records may be left out, those that are left may satisfy what all together do not; what counts the
        # people of a register is judged where that is at hand
        if not model.needs_register and (not self.drops or rule.is_hereditary):
            rule.refuse_impossible(records)
        return rule
