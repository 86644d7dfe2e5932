"""The report: one self-contained page that says what was done, what is promised, lost and at risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from microveil.core.measured import Measured
from microveil.core.numbers import format_number, format_percent
from microveil.core.words import counted
from microveil.measure import Pair
from microveil.plan.advising import Advice
from microveil.plan.attacked import Attacked, advice_lines
from microveil.plan.comparison import Trial
from microveil.plan.evaluation import Evaluation, Line
from microveil.plan.questions import by_question
from microveil.plan.verdict import Verdict, verdict_of
from microveil.plan.worst_case import worst_said
from microveil.report.identity import NamedFile, identity_of
from microveil.report.live_map import map_policy, map_script
from microveil.report.section import Told
from microveil.report.sections import SECTIONS
from microveil.report.settings_words import settings_in_words
from microveil.report.templating import template
from microveil.run.release import Release

TITLE = "Protected microdata: what was lost, what is at risk"
# how limits are stated, in the words of the door that the reader came through
LIMITS_IN_PROJECT = "limits of scenarios in the project file"
LIMITS_IN_PYTHON = "scenarios with limits, given as release.report(path, scenarios=[...]),"
_MOST_PARTS = 40


@dataclass(frozen=True)
class Figure:
    """One line of a table of the report."""

    title: str
    name: str
    before: str
    value: str
    unit: str
    reading: str
    parts: tuple[tuple[str, str], ...]
    more_parts: str
    notes: tuple[str, ...]


def write_report(
    path: str | Path,
    pair: Pair,
    evaluation: Evaluation,
    *,
    release: Release | None = None,
    verdict: Verdict | None = None,
    trials: Sequence[Trial] = (),
    files: Sequence[NamedFile] = (),
    title: str = TITLE,
    notes: Sequence[str] = (),
    refused: bool = False,
    limits: str = LIMITS_IN_PROJECT,
    no_files: str = "",
    changes: Advice | None = None,
) -> None:
    """Write the internal report as one HTML file that needs nothing else; `refused`: nothing was released.

    `limits` and `no_files` say how limits are stated and why there is no file, in the words of the door used;
    `changes` of the plan were tried against attacks that succeed.
    """
    from microveil.io import write_text

    text = render(
        pair,
        evaluation,
        release=release,
        verdict=verdict,
        trials=trials,
        files=files,
        title=title,
        notes=notes,
        refused=refused,
        limits=limits,
        no_files=no_files,
        changes=changes,
    )
    write_text(path, text)


def render(
    pair: Pair,
    evaluation: Evaluation,
    *,
    release: Release | None = None,
    verdict: Verdict | None = None,
    trials: Sequence[Trial] = (),
    files: Sequence[NamedFile] = (),
    title: str = TITLE,
    notes: Sequence[str] = (),
    refused: bool = False,
    limits: str = LIMITS_IN_PROJECT,
    no_files: str = "",
    changes: Advice | None = None,
) -> str:
    """The internal report as HTML text; the verdict on a release is worked out unless it is given."""
    compared = release.columns if release is not None else pair.columns
    shown = tuple(name for name in compared if name in pair.before.columns and name in pair.after.columns)
    told = Told(pair, shown, evaluation, release, trials)
    if verdict is None and release is not None:
        verdict = verdict_of(release, (), evaluation)
    shared = _shared_notes(evaluation.lines)
    found_by = evaluation.attacked if verdict is None else verdict.attacked
    sections = [(section, charts) for section in SECTIONS if (charts := section.draw(told)).drawn]
    alive = any(charts.alive for _, charts in sections)
    text: str = template("report.html").render(
        title=title,
        policy=map_policy() if alive else "",
        script=map_script() if alive else "",
        identity=identity_of(pair, release, files),
        records=counted(evaluation.records, "original record"),
        protected_records=counted(evaluation.protected_records, "protected record"),
        worst=worst_said(evaluation.worst if verdict is None else verdict.worst),
        compared=counted(len(pair.columns), "column"),
        verdict=verdict,
        refused=refused,
        limits=limits,
        no_files=no_files,
        figures=before_and_after(verdict),
        attacked=_attacked(found_by),
        advice=advice_lines(found_by),
        changes=() if changes is None else changes.lines,
        steps=_steps(release),
        promises=_promises(release),
        lost=_lost(release),
        unchanged=_unchanged(release),
        guarantee=release.guarantee if release is not None else None,
        answers=[
            {
                "question": found.question,
                "first": [_figure(line, found_one, shared) for line, found_one in _measured(found.first)],
                "further": [_figure(line, found_one, shared) for line, found_one in _measured(found.further)],
            }
            for found in by_question(evaluation.lines)
            if found.first
        ],
        shared_notes=[(note, ", ".join(names)) for note, names in shared.items()],
        silent=_silent(evaluation.lines),
        sections=sections,
        notes=[*notes, *(release.notes if release is not None else ())],
    )
    return text


def before_and_after(verdict: Verdict | None) -> list[tuple[str, str, str]]:
    """The figures one decides by: what, before, after."""
    if verdict is None:
        return []
    rows = [
        ("smallest number of records with the same keys", verdict.before.k, verdict.after.k),
        ("records alone with their keys", verdict.before.uniques, verdict.after.uniques),
        ("records that share their keys with one other at most", verdict.before.below_three, verdict.after.below_three),
        ("re-identifications to be expected from the keys", verdict.before.expected, verdict.after.expected),
        (
            "re-identifications to be expected through households",
            verdict.before.through_households,
            verdict.after.through_households,
        ),
        ("records linked by all compared columns, %", verdict.before.linked, verdict.after.linked),
    ]
    return [
        (what, format_number(before), format_number(after))
        for what, before, after in rows
        if before is not None or after is not None
    ]


def _attacked(found: Sequence[Attacked]) -> list[tuple[str, str, str, str, str, bool]]:
    """What each attack found: its name, who tried it, found, claimed for certain, by guessing, whether it succeeds."""
    return [
        (
            one.label,
            one.who,
            format_number(one.found),
            "" if one.certain is None else format_number(one.certain),
            one.guessing_text,
            one.succeeds,
        )
        for one in found
    ]


def _measured(lines: Sequence[Line]) -> list[tuple[Line, Measured]]:
    return [(line, line.result) for line in lines if isinstance(line.result, Measured)]


def _shared_notes(lines: Sequence[Line]) -> dict[str, list[str]]:
    """The notes that several measures have, and which: they are said once for all of them."""
    found: dict[str, list[str]] = {}
    for line, result in _measured(lines):
        for note in dict.fromkeys(result.notes):
            found.setdefault(note, []).append(line.title)
    return {note: names for note, names in found.items() if len(names) > 1}


def _silent(lines: Sequence[Line]) -> list[tuple[str, bool, str]]:
    """The measures that do not apply by their reason: names, whether there are several, and the reason."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if not isinstance(line.result, Measured):
            found.setdefault(line.result.reason, []).append(line.title)
    return [(", ".join(names), len(names) > 1, reason) for reason, names in found.items()]


def _figure(line: Line, result: Measured, shared: Mapping[str, list[str]]) -> Figure:
    words = line.measure.words_of_parts
    told = [(_part_in_words(name, words), format_number(value)) for name, value in result.parts.items()]
    parts, left = tuple(told[:_MOST_PARTS]), len(told) - _MOST_PARTS
    more = counted(left, "more part") if left > 0 else ""
    ends = result.interval
    interval = () if ends is None else (f"95 % interval {format_number(ends[0])} to {format_number(ends[1])}",)
    before = format_number(line.before.value) if isinstance(line.before, Measured) else ""
    notes = (*interval, *(note for note in result.notes if note not in shared))
    value = format_number(result.value)
    return Figure(line.title, line.measure.name, before, value, result.unit, result.said, parts, more, notes)


def _part_in_words(name: str, words: Mapping[str, str]) -> str:
    """The name of a part in words; the column before it stays."""
    column, colon, short = name.rpartition(": ")
    return f"{column}{colon}{words.get(short, short)}"


def _steps(release: Release | None) -> list[dict[str, str]]:
    if release is None:
        return []
    out = []
    for step in release.steps:
        settings = settings_in_words(step.method)
        out.append(
            {
                "name": type(step.method).__name__,
                "what": step.method.summary(),
                "settings": settings,
                "columns": ", ".join(map(str, step.columns)),
                "by": ", ".join(step.step.by),
            }
        )
    return out


def _promises(release: Release | None) -> list[dict[str, str]]:
    if release is None:
        return []
    out = []
    for promise, verdict in release.verdicts():
        state = "holds exactly" if verdict.exactly else "holds up to rounding" if verdict.holds else "BROKEN"
        columns = ", ".join(map(str, promise.claim.columns))
        deviation = format_number(verdict.largest, 2)
        out.append({"text": str(promise), "columns": columns, "state": state, "deviation": deviation})
    return out


def _lost(release: Release | None) -> list[tuple[str, list[str]]]:
    """The promises given up by the reason, which is said once."""
    found: dict[str, list[str]] = {}
    for lost in release.given_up if release is not None else ():
        found.setdefault(lost.reason, []).append(f"{lost.method} promised: {lost.promise}")
    return list(found.items())


def _unchanged(release: Release | None) -> list[tuple[str, str]]:
    """The columns of which cells came back as they were, with their share."""
    if release is None:
        return []
    return [(str(name), format_percent(share)) for name, share in release.unchanged.items() if share > 0]
