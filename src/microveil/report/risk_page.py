"""The page on the risk of a file as it is: one self-contained page for the people who decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.plan.assessed_file import BINS, LEVELS, FileRisk, Special
from microveil.plan.assessment import Assessment
from microveil.plan.assessment_text import (
    TWO_MODELS,
    assumption,
    change_said,
    figure_rows,
    headline,
    proposal,
    ranking_said,
    special_said,
    why_above_keys,
)
from microveil.report.chart_columns import count_columns
from microveil.report.chart_values import ValueRow, value_bars
from microveil.report.templating import template

_MOST_CHANGES = 12
_MOST_VALUES = 15


def write_risk_page(path: str | Path, found: Assessment, *, title: str = "", notes: Sequence[str] = ()) -> None:
    """Write the page as one HTML file that needs nothing else."""
    from microveil.io import write_text

    write_text(path, render_risk(found, title=title, notes=notes))


def render_risk(found: Assessment, *, title: str = "", notes: Sequence[str] = ()) -> str:
    """The page as HTML text."""
    file, both = found.shown, found.protected is not None
    two_files = both or bool(found.withheld)
    text: str = template("risk.html").render(
        title=_title(found, title),
        file=file,
        keys=found.original.keys,
        records=format_number(found.original.records),
        both=both,
        withheld=found.withheld,
        which="protected" if both else "original",
        two_files=two_files,
        headlines=[headline(part) for part in (found.original, found.protected) if part is not None],
        cards=_cards(found),
        rows=[row.cells(two_files) for row in figure_rows(found)],
        below=_below(found),
        histogram=_histogram(found),
        assumption=assumption(file),
        riskiest=[(one.row, _percent(one.risk), one.why) for one in file.riskiest],
        combinations=[
            (format_number(one.records), format_number(one.people), _percent(one.risk), one.words)
            for one in file.combinations
        ],
        changes=_changes(file),
        change_rows=[
            (change_said(one, file), format_number(one.below_three), format_number(one.expected))
            for one in file.changes
        ],
        ranking=_ranking(file),
        ranking_said=ranking_said(file.ranking),
        contributions=_contributions(file),
        special_said=special_said(file.special),
        scenarios=found.protected_scenarios or found.scenarios,
        why_above_keys=why_above_keys(found),
        frequencies=[
            (table.key, table.values[:_MOST_VALUES], max(len(table.values) - _MOST_VALUES, 0) + table.more_values)
            for table in file.frequencies
        ],
        population=file.population,
        two_models=TWO_MODELS,
        proposal=proposal(found, "check them before relying on these figures"),
        notes=[*file.notes, *found.notes, *notes],
    )
    return text


def _title(found: Assessment, given: str) -> str:
    two = found.protected is not None or bool(found.withheld)
    title = given or ("Risk before and after protection" if two else "Risk of a file as it is")
    return f"{title}: the keys of the protected file cannot be counted" if found.withheld else title


def _percent(risk: float) -> str:
    return f"{format_number(100 * risk, 2)} %"


def _cards(found: Assessment) -> list[tuple[str, str]]:
    """The figures people look for first: the protected file's beside the original's where both can be counted."""
    wanted = {
        "records alone in the population, estimated": "of the records alone in the population, estimated",
        "records alone (below 2-anonymity)": "records alone with their keys",
        "records below 3-anonymity": "records below 3-anonymity",
        "expected re-identifications": "expected re-identifications",
        "expected re-identifications through households": "expected through households",
        "largest risk of a record": "largest risk of a record",
        "singled out by keys (SUDA)": "records singled out by some or all keys (SUDA score above 0)",
    }
    both = found.protected is not None
    rows = {row.title: row.cells(both)[1:] for row in figure_rows(found)}
    cards = [(" → ".join(rows[title]), said) for title, said in wanted.items() if title in rows]
    if not found.withheld:
        return cards
    # the other figures are the original's alone, and nobody must take them for those of the release
    cards = [(value, f"original: {said}") for value, said in cards]
    if found.linked is None:
        return cards
    shares = " → ".join(f"{format_number(share)} %" for share in (found.linked.original, found.linked.protected))
    return [(shares, "of the records linked by all compared columns, original and protected"), *cards]


def _below(found: Assessment) -> str:
    before, after = found.original, found.protected
    rows = _level_rows("", before.below, None if after is None else after.below)
    if before.gaps or (after is not None and after.gaps):
        rows += _level_rows(", missing agrees", before.below_wildcard, None if after is None else after.below_wildcard)
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


def _changes(file: FileRisk) -> str:
    if not file.changes or not file.below[2]:
        return ""
    rows = [ValueRow(change.change, change.alone) for change in file.changes[:_MOST_CHANGES]]
    now = file.below[2]
    return value_bars("Alone after one change", f"{format_number(now)} now (line at the right)", rows, reference=now)


def _ranking(file: FileRisk) -> str:
    if not isinstance(file.ranking, Measured) or not file.ranking.value:
        return ""
    rows = [ValueRow(name, value) for name, value in file.ranking.parts.items() if value > 0]
    return value_bars("Most revealing keys", "share of records that few keys leave alone", rows, unit=" %")


def _contributions(file: FileRisk) -> str:
    if not isinstance(file.special, Special) or not file.special.records:
        return ""
    ranked = sorted(file.special.contributions.items(), key=lambda item: -item[1])
    rows = [ValueRow(key, share) for key, share in ranked]
    return value_bars("Keys behind special uniques", "share of the SUDA score that involves the key", rows, unit=" %")
