"""Attacks that need more than two files, with what the command line has of it, or in its words what is lacking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from microveil.attack import Composition, FileLeaks, SeedSearch
from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured, NotApplicable
from microveil.data.microdata import Microdata
from microveil.measure import Measure
from microveil.plan import Evaluation
from microveil.plan.evaluation import Line
from microveil.run import Release
from microveil.run.release import AnyFile

_NEEDS_LOG = "it runs the plan again and again, which only the private log knows: give --log LOG"
_NEEDS_RELEASES = "it combines this release with earlier ones of the same file: give --earlier LOG, or --earlier FILE"
_NEEDS_ROWS = "it combines releases record by record, and which rows belong together is not known: give --log LOG"


def with_asides(
    figures: Evaluation,
    original: Microdata,
    protected: Path,
    release: Release | None,
    together: Sequence[AnyFile] | None = None,
) -> Evaluation:
    """The figures with what attacks on the file as written, on its seed and with earlier releases say.

    The first two where they were asked for; `together` are this release and earlier ones, None where no earlier one is
    known, and empty where nobody knows which rows of this one belong to whom.
    """
    lines = [
        replace(line, result=found) if (found := _said(line.measure, original, protected, release)) else line
        for line in figures.lines
    ]
    if together is not None:
        measure = Composition()
        combined = Line(measure, _combined(measure, original, together))
        lines = [*(line for line in lines if not isinstance(line.measure, Composition)), combined]
    return replace(figures, lines=tuple(lines))


def _combined(measure: Composition, original: Microdata, together: Sequence[AnyFile]) -> Measured | NotApplicable:
    try:
        return measure(original, list(together)) if together else measure.not_applicable(_NEEDS_ROWS)
    except MicroveilError as problem:
        return measure.not_applicable(str(problem))


def _said(
    measure: Measure, original: Microdata, protected: Path, release: Release | None
) -> Measured | NotApplicable | None:
    """What such an attack says; None for any other measure."""
    try:
        if isinstance(measure, FileLeaks):
            return measure(original, protected)
        if isinstance(measure, SeedSearch):
            return measure.not_applicable(_NEEDS_LOG) if release is None else measure(original, release)
    except MicroveilError as problem:
        # what a measure refuses is shown with its reason; it never becomes a number
        return measure.not_applicable(str(problem))
    return measure.not_applicable(_NEEDS_RELEASES) if isinstance(measure, Composition) else None
