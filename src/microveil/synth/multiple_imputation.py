"""Fully synthetic files by multiple imputation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.core.parameters import Range
from microveil.core.streams import Key, Streams
from microveil.data.microdata import AnyData, Microdata
from microveil.data.table import Table, Values
from microveil.run.afar import Afar
from microveil.run.by_ranks import ByRanks, Making
from microveil.run.contract import MissingPolicy, Passes, Step, Ties, depends
from microveil.run.job import Job, Outcome
from microveil.run.ranked import Ranked
from microveil.run.release import Release
from microveil.run.steps import run_steps
from microveil.synth.base import FullSynthesiser, no_origin
from microveil.synth.from_part import FromPart, hand_out, learn_part, make_afar, make_in_memory
from microveil.synth.in_groups import PLAINLY, InGroups
from microveil.synth.known_part import KnownPart
from microveil.synth.row_draws import ByPlace
from microveil.synth.sequential import SequentialSynthesiser
from microveil.synth.sequential_regression import SequentialRegression

_BACKGROUND = ("background", 0)  # no column is called so
_POPULATION = "population"  # the name under which a population frame stands aside


@dataclass(frozen=True, kw_only=True)
class MultipleImputation(ByRanks, FullSynthesiser, name="multiple-imputation"):
    """Draw people anew and impute what the survey asked them: records of persons who were never in the sample.

    Use it for inference from synthetic data: `files` makes several, whose estimates `combine` joins. The
    background (given) columns of new records come from the units of a population frame, or from the sample by
    Bayesian bootstrap where there is none; the other columns are imputed by the model. `apply` makes one file. Of large
    files a random part is learnt from, background included (`learn_from` of the model).
    """

    model: Annotated[SequentialSynthesiser, "the sequential synthesiser that imputes"] = field(
        default_factory=SequentialRegression
    )

    passes: ClassVar[Passes] = depends("part", lambda method: method.model.passes)
    way_out: ClassVar[str] = depends(
        "", lambda method: "state learn_from for its model to learn from a random part" if method.model.way_out else ""
    )
    also_try = ({"model": SequentialRegression(learn_from=60)},)
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

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """New background records, and the other columns imputed for them."""
        made = self.number_of(table.rows)
        if not self.model.takes_part(max(table.rows, made)):
            columns, notes = self._together(table, job.given, job)
            return Outcome(columns, origin=no_origin(made), notes=notes)
        return make_in_memory(self._learn_part(Afar(table, job)), made, job)

    def learn(self, records: Ranked) -> Making:
        """The same of records that are not all in memory."""
        made = self.number_of(records.records)
        if not self.model.takes_part(max(records.records, made)):
            part = KnownPart.of(records, records.records)
            return hand_out(self, records, *self._together(part.table, part.given, records.job))
        return make_afar(self, records, self._learn_part(records), made)

    def _together(self, table: Table, given: Table, job: Job) -> tuple[dict[str, Values], tuple[str, ...]]:
        records = self.number_of(table.rows)
        generator = job.streams.at("background").generator()
        background = _drawn_units(given, job, records, generator)
        if background is None:
            edges = np.cumsum(generator.standard_exponential(given.rows))
            background = _bootstrapped(given, edges, generator.random(records))
        columns, notes = self.model.synthesise(table, given, background, job.streams, edits=job.edits)
        return {**background.columns, **columns}, notes

    def _learn_part(self, records: Afar) -> FromPart:
        job, made = records.job, self.number_of(records.records)

        def background(part: KnownPart) -> Units | Bootstrapped:
            generator = job.streams.at(*_BACKGROUND).generator()
            units = _drawn_units(part.given, job, made, generator)
            if units is not None:
                return Units(units)
            return Bootstrapped(part.given, np.cumsum(generator.standard_exponential(part.records)))

        return learn_part(self.model, records, kept=False, background=background)

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


@dataclass(frozen=True)
class Bootstrapped:
    """Background rows of the sample, by Bayesian bootstrap (Rubin 1981)."""

    given: Table
    edges: Floats

    def drawn(self, records: int, streams: Streams) -> Table:
        """The rows of some records, each by its place."""
        return _bootstrapped(self.given, self.edges, ByPlace(streams.at(*_BACKGROUND)).uniforms(records))


@dataclass(frozen=True)
class Units:
    """Background rows that were drawn before, one for each record."""

    given: Table

    def drawn(self, records: int, streams: Streams) -> Table:
        """The rows of some records."""
        return self.given.take(streams.places(records))


def _bootstrapped(given: Table, edges: Floats, u: Floats) -> Table:
    rows = np.searchsorted(edges, u * edges[-1], side="right")
    return given.take(np.minimum(rows, given.rows - 1).astype(np.int64))


def _drawn_units(given: Table, job: Job, records: int, generator: np.random.Generator) -> Table | None:
    """Background rows of units of the population frame, if there is one."""
    if _POPULATION not in job.aside:
        return None
    units = _population(given, job.aside[_POPULATION])
    if records > units.rows:
        raise BadInput(f"{records} records are asked for and the population frame has {units.rows} units")
    return units.take(generator.choice(units.rows, size=records, replace=False))


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
