"""Fully synthetic files by multiple imputation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np

from microveil.core.errors import BadInput
from microveil.core.parameters import Range
from microveil.core.streams import Key, Streams
from microveil.data.microdata import Microdata
from microveil.data.table import Table, Values
from microveil.run.method import Job, MissingPolicy, Outcome, Target
from microveil.run.release import Release
from microveil.run.state import State
from microveil.synth.base import FullSynthesiser, no_origin
from microveil.synth.sequential import SequentialSynthesiser
from microveil.synth.sequential_regression import SequentialRegression


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
    default_roles: ClassVar[tuple[str, ...]] = ("confidential",)
    reference = "Rubin 1993; Raghunathan, Reiter & Rubin 2003"

    def validate(self) -> None:
        """Partial synthesis is another thing."""
        if self.model.cells or self.model.records is not None:
            raise BadInput("the model of multiple imputation draws whole new records: leave its cells and records out")

    def run(self, table: Table, job: Job) -> Outcome:
        """New background records, and the other columns imputed for them."""
        records = table.rows if self.records is None else self.records
        background = self.background(job.given, records, job.streams.at("background").generator())
        columns, notes = self.model.synthesise(table, job.given, background, job.streams)
        return Outcome({**background.columns, **columns}, origin=no_origin(records), notes=notes)

    def background(self, given: Table, records: int, generator: np.random.Generator) -> Table:
        """Background rows of new records by Bayesian bootstrap (Rubin 1981)."""
        edges = np.cumsum(generator.standard_exponential(given.rows))
        rows = np.searchsorted(edges, generator.random(records) * edges[-1], side="right")
        return given.take(np.minimum(rows, given.rows - 1).astype(np.int64))

    def files(
        self,
        data: Any,
        m: Annotated[int, Range(ge=1)] = 5,
        *,
        columns: Sequence[str] | str | None = None,
        given: Sequence[str] | str | None = None,
        by: Sequence[str] | str | None = None,
        seed: int | str | bytes | Key | None = None,
        missing: MissingPolicy = "error",
        population: Any = None,
    ) -> tuple[Release, ...]:
        """`m` synthetic files, each with parameters drawn anew.

        `population` is a frame with the given columns of the units that were not sampled; each file draws its
        units from it without replacement.
        """
        if m < 1:
            raise BadInput(f"m={m} is outside [1, inf)")
        source, key = Microdata.of(data), Key.of(seed)
        target = Target.of(columns, given, by, missing)
        method: MultipleImputation = self
        if population is not None:
            method = _FrameImputation(records=self.records, model=self.model)
            object.__setattr__(method, "population", _population(source, population, self.resolve(source, target)[1]))
        streams = Streams(key)
        return tuple(
            Release.finish(State.begin(source).advance(method, target, streams.at("file", number)), key)
            for number in range(1, m + 1)
        )


@dataclass(frozen=True, kw_only=True)
class _FrameImputation(MultipleImputation):
    """Multiple imputation whose new records are units of a population frame."""

    population: ClassVar[Table]

    def background(self, given: Table, records: int, generator: np.random.Generator) -> Table:
        units = self.population.rows
        if records > units:
            raise BadInput(f"{records} records are asked for and the population frame has {units} units")
        return self.population.take(generator.choice(units, size=records, replace=False))


_FrameImputation.name = MultipleImputation.name


def _population(source: Microdata, frame: Any, given: dict[str, str]) -> Table:
    """The background columns of the population in the coding of the source."""
    if not given:
        raise BadInput("a population frame needs background columns: name them with given=...")
    units = Microdata(frame) if not isinstance(frame, Microdata) else frame
    lacking = [name for name in given if name not in units.columns]
    if lacking:
        raise BadInput(f"the population frame lacks the columns {lacking}")
    columns = {}
    for name, kind in given.items():
        here = source.values(name, kind)
        there = units.values(name, "continuous" if kind == "continuous" else None)
        columns[name] = there if here.levels is None else _recoded(name, here, units)
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
