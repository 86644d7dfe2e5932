"""The internal report: what was done, what is promised, lost and at risk, as one page or one PDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from microveil.core.words import counted
from microveil.measure import Pair
from microveil.plan.advising import Advice
from microveil.plan.comparison import Trial
from microveil.plan.evaluation import Evaluation
from microveil.plan.published_totals import Stands
from microveil.plan.utility_reached import Reached
from microveil.plan.verdict import Verdict, verdict_of
from microveil.plan.worst_case import worst_said
from microveil.report.as_html import as_html
from microveil.report.decided_parts import attack_parts, before_and_after_parts, decision_part, identity_parts
from microveil.report.done_parts import done_parts
from microveil.report.identity import NamedFile, identity_of
from microveil.report.measured_parts import measured_parts
from microveil.report.parts import Heading, Items, Lines, Note, Part, Report, Text, Words
from microveil.report.section import Told
from microveil.report.sections import SECTIONS
from microveil.report.survived_parts import published_parts, survived_parts
from microveil.report.writing_reports import write_parts
from microveil.run.release import Release

TITLE = "Protected microdata: what was lost, what is at risk"
# how limits are stated, in the words of the door that the reader came through
LIMITS_IN_PROJECT = "limits of scenarios in the project file"
LIMITS_IN_PYTHON = "scenarios with limits, given as release.report(path, scenarios=[...]),"
_FOR_WHOM = "It is for the people who decide about the release, not part of it."
_INTERNAL = (Words("Internal."), f" This report holds risk figures and shapes of the original data. {_FOR_WHOM}")
_WHY_SHOWN = "This report tells of the file that the plan would have written, so that it can be seen why."
_REFUSED = (Words("Refused: nothing was released."), f" {_WHY_SHOWN}")


@dataclass(frozen=True)
class InternalContent:
    """All that an internal report tells: two files, what was measured of them, and what else is known.

    `date` is that of the release, and now unless it is given. `refused`: nothing was released. `limits` and `no_files`
    say how limits are stated and why there is no file, in the words of the door used; `changes` of the plan were tried
    against attacks that succeed; `reached` are the figures that must survive, `published` those that were published.
    The verdict on a release is worked out unless it is given.
    """

    pair: Pair
    evaluation: Evaluation
    _: KW_ONLY
    release: Release | None = None
    verdict: Verdict | None = None
    trials: Sequence[Trial] = ()
    files: Sequence[NamedFile] = ()
    title: str = TITLE
    date: str = ""
    notes: Sequence[str] = ()
    refused: bool = False
    limits: str = LIMITS_IN_PROJECT
    no_files: str = ""
    changes: Advice | None = None
    reached: Sequence[Reached] = ()
    published: Sequence[Stands] = ()


def write_report(path: str | Path, content: InternalContent) -> None:
    """Write the internal report as one HTML file that needs nothing else, or as PDF where the path ends so."""
    write_parts(path, internal_report(content))


def render(content: InternalContent) -> str:
    """The internal report as HTML text."""
    return as_html(internal_report(content))


def internal_report(content: InternalContent) -> Report:
    """The internal report as parts."""
    pair, evaluation, release, verdict = content.pair, content.evaluation, content.release, content.verdict
    compared = release.columns if release is not None else pair.columns
    shown = tuple(name for name in compared if name in pair.before.columns and name in pair.after.columns)
    told = Told(pair, shown, evaluation, release, content.trials)
    if verdict is None and release is not None:
        verdict = verdict_of(release, (), evaluation)
    identity = identity_of(pair, release, content.files, content.date)
    worst = worst_said(evaluation.worst if verdict is None else verdict.worst)
    drawn = [(section, charts) for section in SECTIONS if (charts := section.draw(told)).drawn]
    said = [*content.notes, *(release.notes if release is not None else ())]
    parts: tuple[Part, ...] = (
        Text(_size(pair, evaluation, f"{identity.date}, microveil {identity.version}"), "soft"),
        Note(_INTERNAL),
        *((Note(_REFUSED),) if content.refused else ()),
        decision_part(verdict, worst, content.limits),
        *identity_parts(identity, content.no_files),
        *attack_parts(tuple(evaluation.attacked if verdict is None else verdict.attacked), content.changes),
        *before_and_after_parts(verdict),
        *done_parts(release),
        *survived_parts(content.reached),
        *published_parts(content.published),
        *measured_parts(evaluation.lines),
        *(part for section, charts in drawn for part in section.parts(charts)),
        *((Heading("Notes"), Items(tuple(said))) if said else ()),
        Heading("Decision"),
        Lines(("prepared by", "decision", "name and function", "date and signature")),
    )
    return Report(content.title, identity.date[:10], parts, any(charts.alive for _, charts in drawn))


def _size(pair: Pair, evaluation: Evaluation, made: str) -> str:
    records = counted(evaluation.records, "original record")
    protected = counted(evaluation.protected_records, "protected record")
    return f"{records}, {protected}, {counted(len(pair.columns), 'column')} compared. {made}."
