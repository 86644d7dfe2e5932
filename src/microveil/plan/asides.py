"""Attacks that need more than two tables, with what a door has of it, or in its words what is lacking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from microveil.attack import Composition, FileLeaks, SeedSearch
from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured, NotApplicable
from microveil.data.microdata import Microdata
from microveil.measure import Measure
from microveil.plan.evaluation import Evaluation, Line
from microveil.run.release import AnyFile, Release


@dataclass(frozen=True)
class Lacking:
    """Why such an attack cannot be made, in the words of the door that the user came through."""

    log: str
    releases: str
    rows: str


def with_asides(
    figures: Evaluation,
    original: Microdata,
    protected: Path,
    release: Release | None,
    lacking: Lacking,
    together: Sequence[AnyFile] | None = None,
) -> Evaluation:
    """The figures with what attacks on the file as written, on its seed and with earlier releases say.

    The first two where they were asked for; `together` are this release and earlier ones, None where no earlier one is
    known, and empty where nobody knows which rows of this one belong to whom.
    """
    lines = [
        replace(line, result=found) if (found := _said(line.measure, original, protected, release, lacking)) else line
        for line in figures.lines
    ]
    if together is not None:
        measure = Composition()
        combined = Line(measure, _combined(measure, original, together, lacking))
        lines = [*(line for line in lines if not isinstance(line.measure, Composition)), combined]
    return replace(figures, lines=tuple(lines))


def _combined(
    measure: Composition, original: Microdata, together: Sequence[AnyFile], lacking: Lacking
) -> Measured | NotApplicable:
    try:
        return measure(original, list(together)) if together else measure.not_applicable(lacking.rows)
    except MicroveilError as problem:
        return measure.not_applicable(str(problem))


def _said(
    measure: Measure, original: Microdata, protected: Path, release: Release | None, lacking: Lacking
) -> Measured | NotApplicable | None:
    """What such an attack says; None for any other measure."""
    try:
        if isinstance(measure, FileLeaks):
            return measure(original, protected)
        if isinstance(measure, SeedSearch):
            return measure.not_applicable(lacking.log) if release is None else measure(original, release)
    except MicroveilError as problem:
        # what a measure refuses is shown with its reason; it never becomes a number
        return measure.not_applicable(str(problem))
    return measure.not_applicable(lacking.releases) if isinstance(measure, Composition) else None
