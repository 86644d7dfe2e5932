"""The section of the report on the rules of the data: each with the records that break it before and after."""

from __future__ import annotations

from microveil.claims import EditHolds
from microveil.core.edits import Edit
from microveil.measure import RuleCount, count_broken_rules
from microveil.report.parts import Column, Row, Table
from microveil.report.section import Charts, Section, Told

_HEAD = tuple(map(Column, ("rule", "records that break it before", "after", "promised")))


def _draw(told: Told) -> Charts:
    stated = told.pair.before.edits
    found = {one.edit: one for one in count_broken_rules(told.pair).rules}
    rows = tuple(Row(_cells(edit, found.get(edit), told)) for edit in stated)
    return Charts((Table(_HEAD, rows, "figures"),) if stated else ())


def _cells(edit: Edit, counts: RuleCount | None, told: Told) -> tuple[str, ...]:
    if counts is None:
        return str(edit), "", "", "not compared: the protected file lacks a column, or has classes of it"
    return str(edit), f"{counts.before:,}", f"{counts.after:,}", _promised(edit, told)


def _promised(edit: Edit, told: Told) -> str:
    release = told.release
    if release is None:
        return "not known: nobody gave the private log"
    if EditHolds.of(edit) in release.claims:
        return "yes"
    if told.pair.before.is_of_days(edit):
        return "no: it is about dates, which are counted"
    changed = any(name in release.changed for name in edit.columns)
    return "no" if changed else "no: its columns are as they were"


RULES = Section(
    "Rules of the data",
    _draw,
    "What was stated of every record. A promised rule was checked on the released file; had one record broken it, "
    "there would be no release.",
)
