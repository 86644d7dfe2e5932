"""The charts of the risk page, each with its place there: another is a function and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.plan.assessed_file import BINS, LEVELS, Special
from microveil.plan.assessment import Assessment
from microveil.report.chart_columns import count_columns
from microveil.report.chart_values import ValueRow, value_bars

Place = Literal["figures", "changes", "ranking"]
_MOST_CHANGES = 12


@dataclass(frozen=True)
class RiskChart:
    """A chart and the section of the page in which it stands; empty text where it does not apply."""

    place: Place
    draw: Callable[[Assessment], str]


def charts_by_place(found: Assessment) -> dict[Place, list[str]]:
    """The charts of each section of the page, those that apply."""
    drawn = [(chart.place, chart.draw(found)) for chart in RISK_CHARTS]
    return {place: [svg for where, svg in drawn if where == place and svg] for place in get_args(Place)}


def _below(found: Assessment) -> str:
    before, after = found.original, found.protected
    rows = _level_rows("", before.below, None if after is None else after.below)
    if before.gaps or (after is not None and after.gaps):
        rows += _level_rows(", missing as any", before.below_wildcard, None if after is None else after.below_wildcard)
    return value_bars("Too few alike", "records that share their keys with fewer than 2, 3, 5 in all", rows)


def _level_rows(said: str, before: Mapping[int, int], after: Mapping[int, int] | None) -> list[ValueRow]:
    return [
        ValueRow(
            f"alone{said}" if k == LEVELS[0] else f"below {k}{said}", before[k], None if after is None else after[k]
        )
        for k in LEVELS
    ]


def _histogram(found: Assessment) -> str:
    after = None if found.protected is None else found.protected.histogram
    labels = [f"≤{format_number(100 * high)}" for _, high in pairwise(BINS)]
    return count_columns(
        "Individual risk", "records by their risk", "risk of a record, %", labels, found.original.histogram, after
    )


def _changes(found: Assessment) -> str:
    file = found.shown
    if not file.changes or not file.below[2]:
        return ""
    rows = [ValueRow(change.change, change.alone) for change in file.changes[:_MOST_CHANGES]]
    now = file.below[2]
    return value_bars("Alone after one change", f"{format_number(now)} now (line at the right)", rows, reference=now)


def _ranking(found: Assessment) -> str:
    file = found.shown
    if not isinstance(file.ranking, Measured) or not file.ranking.value:
        return ""
    rows = [ValueRow(name, value) for name, value in file.ranking.parts.items() if value > 0]
    return value_bars("Most revealing keys", "share of records that few keys leave alone", rows, unit=" %")


def _contributions(found: Assessment) -> str:
    file = found.shown
    if not isinstance(file.special, Special) or not file.special.records:
        return ""
    ranked = sorted(file.special.contributions.items(), key=lambda item: -item[1])
    rows = [ValueRow(key, share) for key, share in ranked]
    return value_bars("Keys behind special uniques", "share of the SUDA score that involves the key", rows, unit=" %")


RISK_CHARTS = (
    RiskChart("figures", _below),
    RiskChart("figures", _histogram),
    RiskChart("changes", _changes),
    RiskChart("ranking", _ranking),
    RiskChart("ranking", _contributions),
)
