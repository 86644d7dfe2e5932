"""A slow measure told from a sample of a large file, with the interval in which the figure for the file lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured, NotApplicable
from microveil.measure import Measure, Pair
from microveil.measure.sampling import PARTS, Sample, draw_pair

_T = 3.182446305284263  # of Student with three degrees of freedom, 97.5 %: four parts


def take_sample(
    measure: Measure, pair: Pair, by: str | Sequence[str] | None = None, sampled: bool = True
) -> Measured | NotApplicable:
    """What a measure says of a pair, of a large one from a sample if `sampled`."""
    sample = measure.sample_of_many if sampled and by is None else None
    try:
        if sample is not None and sample.applies(pair) and (measure.alone or not pair.one_file):
            return on_sample(measure, pair, sample)
        return measure.of_pair(pair, by)
    except MicroveilError as problem:
        # what a measure refuses is shown with its reason; it never becomes a number
        return NotApplicable(measure.name, str(problem))


def on_sample(measure: Measure, pair: Pair, sample: Sample) -> Measured | NotApplicable:
    """What a measure says of a sample; the note says which, the interval holds the figure for the whole file."""
    drawn = draw_pair(pair, sample, measure.choose(pair))
    result = measure.on(drawn.pair)
    if not isinstance(result, Measured):
        return result
    interval = result.interval
    if drawn.parts:
        found = [measure.on(part) for part in drawn.parts]
        interval = interval_of(result, [part.value for part in found if isinstance(part, Measured)])
    return replace(result, interval=interval, notes=(drawn.said, *result.notes))


def interval_of(result: Measured, parts: Sequence[float]) -> tuple[float, float] | None:
    """95 % around the figure, by how much the parts of the sample differ; None where a part has no figure."""
    if len(parts) < PARTS:
        return None
    half = _T * float(np.std(parts, ddof=1)) / PARTS**0.5
    low, high = result.bounds
    return max(result.value - half, low), min(result.value + half, high)
