"""The page on the risk of a file as it is: one self-contained page for the people who decide."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from microveil.core.numbers import format_number
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
from microveil.report.risk_charts import charts_by_place
from microveil.report.templating import template

_MOST_VALUES = 15


def write_risk_page(path: str | Path, found: Assessment, *, title: str = "", notes: Sequence[str] = ()) -> None:
    """Write the page as one HTML file that needs nothing else."""
    from microveil.io import write_text

    write_text(path, render_risk(found, title=title, notes=notes))


def render_risk(found: Assessment, *, title: str = "", notes: Sequence[str] = ()) -> str:
    """The page as HTML text."""
    return _filled("risk.html", found, title, notes)


def risk_body(found: Assessment, *, notes: Sequence[str] = ()) -> str:
    """What the page says, without its head: for a page that has one."""
    return _filled("risk_body.html", found, "", notes)


def _filled(name: str, found: Assessment, title: str, notes: Sequence[str]) -> str:
    file, both = found.shown, found.protected is not None
    two_files = both or bool(found.withheld)
    text: str = template(name).render(
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
        charts=charts_by_place(found),
        assumption=assumption(file),
        riskiest=[(one.row, _percent(one.risk), one.why) for one in file.riskiest],
        combinations=[
            (format_number(one.records), format_number(one.people), _percent(one.risk), one.words)
            for one in file.combinations
        ],
        change_rows=[
            (change_said(one, file), format_number(one.below_three), format_number(one.expected))
            for one in file.changes
        ],
        ranking_said=ranking_said(file.ranking),
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
