"""Two plans beside one another: what each does to distributions, correlations and the indicators that users compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from microveil.core.numbers import format_number
from microveil.core.streams import Key, Streams
from microveil.core.words import counted
from microveil.data.microdata import Microdata
from microveil.measure import Pair
from microveil.plan.indicator_estimates import Estimate, Estimated, estimate_indicators
from microveil.plan.trial import Trial
from microveil.report.correlations import correlation_chart, largest_change
from microveil.report.distributions import distribution_change, distributions_beside
from microveil.run.release import Release

MOST_COLUMNS = 8


@dataclass(frozen=True)
class SideBySide:
    """Two plans as a page shows them: charts in rows of two, each with the name of its plan, and a table of indicators.

    `indicators` has a row for each: its text, the original, then each plan.
    """

    labels: tuple[str, str]
    distributions: tuple[tuple[tuple[str, str], ...], ...]
    correlations: tuple[tuple[str, str], ...]
    indicators: tuple[tuple[str, ...], ...]
    left_out: str = ""


def beside(source: Microdata, trials: Sequence[Trial], key: Key, indicators: Sequence[str] = ()) -> SideBySide | None:
    """The first two of the trials that could be run, on the draws that they were measured by; none with fewer."""
    ran = [trial for trial in trials if trial.steps][:2]
    if len(ran) < 2:
        return None
    releases = {trial.label: trial.plan.run(source, seed=key) for trial in ran}
    pairs = {label: Pair.of(source, release) for label, release in releases.items()}
    columns = _compared(source, list(releases.values()))
    ranked = sorted(columns, key=lambda name: -max(distribution_change(pair, name) for pair in pairs.values()))
    reach = max(largest_change(pair, columns) for pair in pairs.values())
    related = tuple((label, correlation_chart(pair, columns, reach)) for label, pair in pairs.items())
    left = len(ranked) - MOST_COLUMNS
    estimated = estimate_indicators(indicators, pairs, Streams(key).at("side by side"))
    first, second = pairs
    return SideBySide(
        (first, second),
        tuple(
            tuple(zip(pairs, distributions_beside(list(pairs.values()), name), strict=True))
            for name in ranked[:MOST_COLUMNS]
        ),
        related if all(chart for _, chart in related) else (),
        tuple(_row(one) for one in estimated),
        f"{counted(left, 'more column')} {'is' if left == 1 else 'are'} not drawn." if left > 0 else "",
    )


def _compared(source: Microdata, releases: Sequence[Release]) -> list[str]:
    """The columns that either plan changed and both release, in the order of the file."""
    changed = {name for release in releases for name in release.columns}
    there = [set(release.narwhal.columns) for release in releases]
    return [name for name in source.columns if name in changed and all(name in names for names in there)]


def _row(found: Estimated) -> tuple[str, ...]:
    told = (_told(one, found.original) for one in found.releases.values())
    return (found.expression, _interval(found.original), *told)


def _told(one: Estimate, original: Estimate) -> str:
    """A release's figure, and whether somebody could tell it from the original's."""
    if one.value != one.value or original.value != original.value:
        return "has no value"
    place = "inside" if original.holds(one.value) else "outside"
    return f"{_interval(one)}; {place} the original's interval"


def _interval(one: Estimate) -> str:
    if one.value != one.value:
        return "has no value"
    return f"{format_number(one.value, 4)} ({format_number(one.low, 4)} to {format_number(one.high, 4)})"
