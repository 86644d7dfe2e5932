"""Fully synthetic files by multiple imputation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from microveil.core.errors import BadInput
from microveil.core.parameters import Range
from microveil.core.streams import Key
from microveil.data.microdata import AnyData, Microdata
from microveil.data.table import Table, Values
from microveil.run.contract import MissingPolicy, Step, Ties
from microveil.run.job import Job, Outcome
from microveil.run.release import Release
from microveil.run.steps import run_steps
from microveil.synth.base import FullSynthesiser, no_origin
from microveil.synth.in_groups import PLAINLY, InGroups
from microveil.synth.sequential import SequentialSynthesiser
from microveil.synth.sequential_regression import SequentialRegression

_POPULATION = "population"  # the name under which a population frame stands aside


@dataclass(frozen=True, kw_only=True)
class MultipleImputation(FullSynthesiser, name="multiple-imputation"):
    """Draw people anew and impute what the survey asked them: records of persons who were never in the sample.

    Use it for inference from synthetic data: `files` makes several, whose estimates `combine` joins. The
    background (given) columns of new records come from the units of a population frame, or from the sample by
    Bayesian bootstrap where there is none; the other columns are imputed by the model. `apply` makes one file.
    """

    model: Annotated[SequentialSynthesiser, "the sequential synthesiser that imputes"] = field(
        default_factory=SequentialRegression
    )

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    conditions: ClassVar[bool] = True
    ties_record: ClassVar[Ties] = "none"
    default_roles: ClassVar[tuple[str, ...]] = ("confidential",)
    least_records: ClassVar[tuple[int, int]] = (5, 0)
    reference = "Rubin 1993; Raghunathan, Reiter & Rubin 2003"

    def validate(self) -> None:
        """Partial synthesis is another thing."""
        if self.model.cells or self.model.records is not None:
            raise BadInput("the model of multiple imputation draws whole new records: leave its cells and records out")

    def refuse_in_groups(self, how: InGroups = PLAINLY) -> None:
        """The records of a group keep what it would draw."""
        raise BadInput(
            f"{self.name} draws the kept columns anew and the records of a group keep theirs; use its model, "
            f"{self.model.name}, as the synthesiser"
        )

    def run(self, table: Table, job: Job) -> Outcome:
        """New background records, and the other columns imputed for them."""
        records = table.rows if self.records is None else self.records
        background = _background(job, records)
        columns, notes = self.model.synthesise(table, job.given, background, job.streams, edits=job.edits)
        return Outcome({**background.columns, **columns}, origin=no_origin(records), notes=notes)

    def files(
        self,
        data: AnyData,
        m: Annotated[int, Range(ge=1)] = 5,
        *,
        columns: Sequence[str] | str | None = None,
        given: Sequence[str] | str | None = None,
        by: Sequence[str] | str | None = None,
        seed: int | str | bytes | Key | None = None,
        missing: MissingPolicy = "error",
        population: AnyData | None = None,
    ) -> tuple[Release, ...]:
        """`m` synthetic files, each with parameters drawn anew.

        `population` is a frame with the given columns of the units that were not sampled; each file draws its
        units from it without replacement.
        """
        if m < 1:
            raise BadInput(f"m must be 1 or more; {m} was given")
        key, step = Key.of(seed), Step(self, columns, given, by, missing)
        aside = {} if population is None else {_POPULATION: Microdata.of(population)}
        return tuple(run_steps(data, [step], key, paths=[("file", number)], aside=aside) for number in range(1, m + 1))


def _background(job: Job, records: int) -> Table:
    """Background rows of new records: of the population frame, or the sample's by Bayesian bootstrap (Rubin 1981)."""
    generator = job.streams.at("background").generator()
    if _POPULATION in job.aside:
        units = _population(job.given, job.aside[_POPULATION])
        if records > units.rows:
            raise BadInput(f"{records} records are asked for and the population frame has {units.rows} units")
        return units.take(generator.choice(units.rows, size=records, replace=False))
    edges = np.cumsum(generator.standard_exponential(job.given.rows))
    rows = np.searchsorted(edges, generator.random(records) * edges[-1], side="right")
    return job.given.take(np.minimum(rows, job.given.rows - 1).astype(np.int64))


def _population(given: Table, units: Microdata) -> Table:
    """The background columns of the population in the coding of the sample."""
    if not given.names:
        raise BadInput("a population frame needs background columns: name them with given=...")
    lacking = [name for name in given.names if name not in units.columns]
    if lacking:
        raise BadInput(f"the population frame lacks the columns {lacking}")
    columns = {}
    for name, here in given.columns.items():
        columns[name] = units.values(name, "continuous") if here.levels is None else _recoded(name, here, units)
    return Table(columns, units.n)


def _recoded(name: str, here: Values, units: Microdata) -> Values:
    encoded = units.encoded(name)
    known = {level: code for code, level in enumerate(here.levels or ())}
    unknown = [level for level in encoded.levels if level not in known]
    if unknown:
        raise BadInput(
            f"the population frame has values of {name!r} that the sample lacks: {unknown[:5]}; merge them first"
        )
    return here.with_data(np.array([*(known[level] for level in encoded.levels), -1], dtype=np.int64)[encoded.codes])
