"""Attacks that need more than two files, with what the command line has of it, or in its words what is lacking."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from microveil.attack import Composition, FileLeaks, SeedSearch
from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured, NotApplicable
from microveil.data.microdata import Microdata
from microveil.measure import Measure
from microveil.plan import Evaluation
from microveil.run import Release

_NEEDS_LOG = "it runs the plan again and again, which only the private log knows: give --log LOG"
_NEEDS_RELEASES = (
    "it combines several releases, and evaluate looks at one; in Python mv.attack.Composition()(data, [first, second])"
)


def with_asides(figures: Evaluation, original: Microdata, protected: Path, release: Release | None) -> Evaluation:
    """The figures with what attacks on the file as written and on its seed say, where these were asked for."""
    lines = [
        replace(line, result=found) if (found := _said(line.measure, original, protected, release)) else line
        for line in figures.lines
    ]
    return replace(figures, lines=tuple(lines))


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
