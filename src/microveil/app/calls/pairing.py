"""Loss and risk of any two files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from microveil import io, plan
from microveil.app.calls.call import FILE, Call, Work, argument
from microveil.core.errors import BadInput
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.data.microdata import Microdata
from microveil.measure import Pair, Scenario
from microveil.plan import Attacked, Evaluation, Project
from microveil.plan.asides import Lacking, with_asides
from microveil.report import InternalContent, NamedFile, write_report
from microveil.run.release import Release

FIGURES, PAGE = "figures.json", "report.html"
_FOUND = "Rows seem to correspond: values agree far beyond chance."
_KNOWN = "Which rows belong together, and what the columns are, is known from the private log."
_NOT_FOUND = "Rows do not seem to correspond, so that measures which need to know who is who do not apply."

_LACKING = Lacking(
    "it runs the plan again and again, which only the private log knows; choose it above",
    "it combines several releases, and this page looks at one",
    "it combines releases record by record, and this page looks at one",
)


def _do(work: Work) -> Json:
    """Both files are read; the project's roles and scenarios hold where it is about the original."""
    original, protected = (work.home / str(work.settings[name]) for name in ("original", "protected"))
    stated = work.load() if work.settings.get("with_project") else None
    work.tell("reading both files", 1, 50)
    log = work.settings.get("log")
    files = _logged(original, protected, work.home / log, stated) if log else _read(original, protected, stated)
    figures = plan.evaluate(
        files.before, files.after, linked=files.linked, scenarios=files.scenarios, progress=work.tell
    )
    release = files.after if isinstance(files.after, Release) else None
    figures = with_asides(figures, files.before, protected, release, _LACKING)
    pair = Pair.of(files.before, files.after, linked=files.linked)
    if release is not None:
        verdict = plan.verdict_of(release, files.scenarios, figures, files.before)
    else:
        verdict = plan.verdict_of_pair(pair, files.scenarios, figures)
    written = {**figures.to_json(), "worst": verdict.worst.to_json(), "verdict": verdict.to_json()}
    io.write_text(work.folder / FIGURES, json.dumps(written, indent=2, ensure_ascii=False) + "\n", private=True)
    named = [NamedFile.of("original", original), NamedFile.of("protected", protected)]
    title = f"{protected.name} against {original.name}"
    told = InternalContent(
        pair, figures, release=release, verdict=verdict, files=named, title=title, notes=[files.note]
    )
    write_report(work.folder / PAGE, told)
    return {
        "worst": plan.worst_said(verdict.worst),
        "verdict": repr(verdict),
        "ok": verdict.ok,
        "state": verdict.state,
        "note": files.note,
        "attacks": [_attack(one) for one in verdict.attacked],
        "families": _families(figures),
        "records": [figures.records, figures.protected_records],
    }


@dataclass(frozen=True)
class _Files:
    """What is compared: the original, the protected file or the release that it was written from, and their link."""

    before: Microdata
    after: Any
    linked: bool
    note: str
    scenarios: tuple[Scenario, ...]


def _read(original: Path, protected: Path, stated: Project | None) -> _Files:
    """Two files of which nobody knows more than what is in them."""
    before = io.read(original, **(stated.facts if stated is not None else {}))
    after = io.read(protected)
    if not set(before.columns) & set(after.columns):
        raise BadInput("the two files share no column; choose two versions of one file")
    other = Pair.of(before, after.frame).after
    linked = before.n == other.n and plan.rows_seem_to_correspond(before, other)
    scenarios = () if stated is None else stated.scenarios
    return _Files(before, after.frame, linked, _FOUND if linked else _NOT_FOUND, scenarios)


def _logged(original: Path, protected: Path, log: Path, stated: Project | None) -> _Files:
    """The release of a log, proven to be the one that the protected file holds: the log decides about everything."""
    known = plan.load_log(log)
    release = plan.replay(known, plan.read_logged(known, original, **({} if stated is None else stated.text)))
    plan.find_writing(release, io.sha256_of(protected))
    scenarios = (() if stated is None else stated.scenarios) or plan.scenarios_in(known)
    return _Files(release.original, release, True, _KNOWN, scenarios)


def _attack(one: Attacked) -> Json:
    """What an attack found, and by whom it was tried: the worst case is the one that found most."""
    certain = "" if one.certain is None else format_number(one.certain)
    return {
        "label": one.label,
        "who": one.who,
        "found": format_number(one.found),
        "certain": certain,
        "guessing": one.guessing_text,
    }


def _families(figures: Evaluation) -> list[Json]:
    """Every figure with its sentence, by what it is about; those that do not apply with the reason."""
    return [
        {
            "heading": family.heading,
            "lines": [
                {
                    "title": line.title,
                    "value": f"{format_number(line.result.value)} {line.result.unit}".strip(),
                    "said": line.result.said,
                    "parts": [(name, format_number(value)) for name, value in line.result.parts.items()],
                }
                for line in figures.of(family.name)
                if isinstance(line.result, Measured)
            ],
            "silent": plan.silent_lines(
                [(line.title, line.result) for line in figures.of(family.name)], "state roles in the project"
            ),
        }
        for family in figures.families
    ]


def _command(project: Path, settings: Json) -> tuple[str, ...]:
    known = ("--project", project.name) if settings.get("with_project") else ()
    files = (argument(str(settings[name])) for name in ("original", "protected"))
    log = ("--log", str(settings["log"])) if settings.get("log") else ()
    return ("microveil", "evaluate", *files, *known, *log, "--report", PAGE, "--json", FIGURES)


# what of the project it depends on, where it was asked to use it
PAIR = Call("pair", "Compare two files", _do, _command, (*FILE, "scenarios"))
