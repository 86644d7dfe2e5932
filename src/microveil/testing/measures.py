"""The common suite for measures."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np

from microveil.core.measured import Measured, NotApplicable
from microveil.data.microdata import Microdata
from microveil.measure import Measure
from microveil.testing.samples import as_microdata, backends, sample_columns, with_gaps
from microveil.testing.values import VALUE_CHECKS, check_round_trips, run_checks

ROWS = 120
DOMAIN = "region"
_RULES = ("income >= 0",)
_ROUNDING = 1e-9
_SOME = 1e-6  # more than no loss


def _masked(columns: dict[str, Any], strength: float = 0.2) -> dict[str, Any]:
    """The columns with noise on the numbers and every tenth category exchanged with its neighbour."""
    draw = np.random.default_rng(9)
    out = dict(columns)
    for name in ("income", "wealth"):
        out[name] = np.round(columns[name] + strength * np.std(columns[name]) * draw.normal(size=len(columns[name])), 2)
    for name in ("school", "place"):
        values = list(columns[name])
        for i in range(0, len(values) - 1, 10):
            values[i], values[i + 1] = values[i + 1], values[i]
        out[name] = values
    return out


def _pair(n: int = ROWS, backend: str = "pyarrow") -> tuple[Microdata, Microdata]:
    columns = sample_columns(n)
    # a rule, for measures that look at rules
    return as_microdata(columns, backend).with_(edits=_RULES), as_microdata(_masked(columns), backend)


def _figure(measure: Measure, before: Any, after: Any, **how: Any) -> Measured | NotApplicable:
    """Return a figure that lies in its bounds and has a sentence with a number, or a reason why there is none."""
    result = measure(before, after, **how)
    assert isinstance(result, Measured | NotApplicable), f"returned {type(result).__name__}"
    if isinstance(result, NotApplicable):
        assert result.reason, "neither a figure nor a reason"
        return result
    low, high = result.bounds
    assert low <= result.value <= high + _ROUNDING, f"{result.value} is outside {result.bounds}"
    odd = {name: part for name, part in {"the value": result.value, **result.parts}.items() if not math.isfinite(part)}
    assert not odd, f"not finite: {odd}"
    assert result.reading.endswith((".", ")")), "no sentence that says how to read the figure"
    assert any(map(str.isdigit, result.reading)), f"no number in the sentence: {result.reading}"
    if result.interval is not None:
        assert result.interval[0] <= result.value <= result.interval[1]
    return result


def _must_apply(measure: Measure) -> bool:
    """Return whether it is a measure of loss that needs no settings: those have a figure for every kind of file."""
    return measure.described.best_unchanged and not any(one.required for one in measure.parameters())


def check_figure(measure: Measure) -> None:
    """A figure can be written as JSON under its name, and a measure of loss has one for a file of every kind."""
    result = _figure(measure, *_pair())
    assert json.loads(json.dumps(result.to_json()))["name"] == measure.name
    assert isinstance(result, Measured) or not _must_apply(measure), f"no figure for the sample: {result}"


def check_identity(measure: Measure) -> None:
    """The original released as it is has the best figure, in a family that says so: no loss."""
    if not measure.described.best_unchanged:
        return
    before, _ = _pair()
    result = _figure(measure, before, before.with_(before.frame))
    if isinstance(result, Measured):
        assert math.isclose(result.value, _best(result), abs_tol=1e-9), f"the original loses {result.value}"


def _best(result: Measured) -> float:
    return result.bounds[0] if result.better == "lower" else result.bounds[1]


def check_row_order(measure: Measure) -> None:
    """Shuffling both files alike, or either one where rows need not correspond, changes nothing."""
    before, after = _pair()
    order = np.random.default_rng(3).permutation(before.n).tolist()
    shuffled = [data.with_(data.narwhal[order].to_native()) for data in (before, after)]
    first, again = _figure(measure, before, after), _figure(measure, *shuffled)
    _same(first, again, "the order of the rows matters")
    if not measure.paired:
        unknown = _figure(measure, before, after, linked=False)
        _same(unknown, _figure(measure, before, shuffled[1], linked=False), "the order of the protected rows matters")


def check_frames_alike(measure: Measure) -> None:
    """All frame libraries give the same figure."""
    found = [_figure(measure, *_pair(backend=backend)) for backend in backends()]
    for other in found[1:]:
        _same(found[0], other, "frame libraries differ")


def check_gaps_and_constants(measure: Measure) -> None:
    """Missing values and constant columns give a figure or a reason, never NaN."""
    columns = sample_columns(ROWS)
    masked = _masked(columns)
    gappy = ("income", "school", "place")
    pairs = [
        (with_gaps(columns, gappy), with_gaps(masked, gappy)),
        ({**columns, "wealth": np.full(ROWS, 5.0)}, {**masked, "wealth": np.full(ROWS, 5.0)}),
        ({**columns, "wealth": np.zeros(ROWS)}, {**masked, "wealth": np.arange(float(ROWS))}),
    ]
    for before, after in pairs:
        _figure(measure, as_microdata(before), as_microdata(after))


def check_few_records(measure: Measure) -> None:
    """One, two and three records give a figure or a reason, never NaN."""
    for n in (1, 2, 3):
        _figure(measure, *_pair(n))


def check_more_released(measure: Measure) -> None:
    """A release of more records than the original has a figure, or a reason where the measure needs the rows."""
    before, after = _pair()
    both = _figure(measure, before, after.with_(nw.concat([after.narwhal, after.narwhal]).to_native()))
    assert isinstance(both, NotApplicable) or not measure.paired, "a figure of rows that do not correspond"


def check_unlinked(measure: Measure) -> None:
    """Where nobody knows which rows belong together, a measure of rows says so."""
    if measure.paired:
        assert isinstance(_figure(measure, *_pair(), linked=False), NotApplicable)


def check_by_agrees(measure: Measure) -> None:
    """The figure of every subdomain is that of the measure on this part of both files alone."""
    before, after = _pair()
    whole = _figure(measure, before, after, by=DOMAIN)
    labels, texts = before.domains(DOMAIN)
    parts = {}
    for number, text in enumerate(texts):
        rows = np.flatnonzero(labels == number).tolist()
        parts[text] = _figure(measure, *(data.with_(data.narwhal[rows].to_native()) for data in (before, after)))
    measured = {text: part for text, part in parts.items() if isinstance(part, Measured)}
    if isinstance(whole, NotApplicable):
        assert not measured, f"it applies to {list(measured)} alone, and by={DOMAIN!r} it does not: {whole.reason}"
        return
    assert set(whole.domains) == set(measured), f"by={DOMAIN!r} gives {set(whole.domains)}, not {set(measured)}"
    for text, part in measured.items():
        _same(whole.domains[text], part, f"by={DOMAIN!r} says something else of {text} than the part alone")
    average = sum(part.value for part in measured.values()) / len(measured)
    assert math.isclose(whole.value, average), f"by={DOMAIN!r} the figure is {whole.value}, and {average} on average"


def check_stronger(measure: Measure) -> None:
    """Twenty times the noise is not less of what protecting costs, nor more of what it is for: loss, and risk.

    Much noise is some loss, at least to a measure with its default settings.

    A figure that may go either way with noise says so: `follows_noise = False` on its class, with the reason in its
    docstring.
    """
    if not measure.follows_noise:
        return
    columns = sample_columns(ROWS)
    before = as_microdata(columns)
    weak, strong = (_figure(measure, before, as_microdata(_masked(columns, by))) for by in (0.05, 1.0))
    if isinstance(weak, NotApplicable) or isinstance(strong, NotApplicable):
        return
    gain = (weak.value - strong.value) * (1 if weak.better == "lower" else -1)
    if measure.described.best_unchanged:
        assert gain <= _ROUNDING, f"less loss with more noise: {weak.value} and {strong.value}"
        if _must_apply(measure) and measure == type(measure)():
            assert abs(strong.value - _best(strong)) > _SOME, f"no loss with much noise: {strong.value}"
    else:
        assert gain >= -_ROUNDING, f"more risk with more noise: {weak.value} and {strong.value}"


def check_inputs_untouched(measure: Measure) -> None:
    """Neither file is changed."""
    before, after = _pair()
    kept = [nw.from_native(data.frame, eager_only=True).to_dict(as_series=False) for data in (before, after)]
    _figure(measure, before, after)
    now = [nw.from_native(data.frame, eager_only=True).to_dict(as_series=False) for data in (before, after)]
    assert now == kept


def _same(first: Measured | NotApplicable, other: Measured | NotApplicable, message: str) -> None:
    assert type(first) is type(other), message
    if isinstance(first, Measured) and isinstance(other, Measured):
        close = math.isclose(first.value, other.value, rel_tol=1e-9, abs_tol=1e-9)
        assert close, f"{message}: {first.value} and {other.value}"


CLASS_CHECKS: tuple[Callable[[Any], None], ...] = (
    *VALUE_CHECKS,
    check_frames_alike,
    check_unlinked,
    check_inputs_untouched,
)
POINT_CHECKS: tuple[Callable[[Any], None], ...] = (
    check_round_trips,
    check_figure,
    check_identity,
    check_row_order,
    check_gaps_and_constants,
    check_few_records,
    check_more_released,
    check_by_agrees,
    check_stronger,
)
MEASURE_CHECKS = (*POINT_CHECKS, *CLASS_CHECKS)


def check_measure(measure: Measure) -> None:
    """Run the whole suite on one measure; the first failure is raised with the name of its check."""
    run_checks(measure, MEASURE_CHECKS)
