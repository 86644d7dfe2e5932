"""Loss and risk of any two files."""

from __future__ import annotations

import json
from pathlib import Path

from microveil import io, plan
from microveil.app.calls.call import Call, Work
from microveil.core.errors import BadInput
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.measure import Pair
from microveil.plan import Evaluation
from microveil.plan.asides import Lacking, with_asides
from microveil.report import InternalContent, NamedFile, write_report

FIGURES, PAGE = "figures.json", "report.html"
_FOUND = "Rows seem to correspond: values agree far beyond chance."
_NOT_FOUND = "Rows do not seem to correspond, so that measures which need to know who is who do not apply."

_LACKING = Lacking(
    "it runs the plan again and again, which only the private log knows; the command below takes it as --log LOG",
    "it combines several releases, and this page looks at one",
    "it combines releases record by record, and this page looks at one",
)


def _do(work: Work) -> Json:
    """Both files are read; the project's roles and scenarios hold where it is about the original."""
    original, protected = (work.home / str(work.settings[name]) for name in ("original", "protected"))
    stated = work.load() if work.settings.get("with_project") else None
    work.tell("reading both files", 1, 50)
    before = io.read(original, **(stated.facts if stated is not None else {}))
    after = io.read(protected)
    if not set(before.columns) & set(after.columns):
        raise BadInput("the two files share no column; choose two versions of one file")
    other = Pair.of(before, after.frame).after
    linked = before.n == other.n and plan.rows_seem_to_correspond(before, other)
    scenarios = () if stated is None else stated.scenarios
    figures = plan.evaluate(before, after.frame, linked=linked, scenarios=scenarios, progress=work.tell)
    figures = with_asides(figures, before, protected, None, _LACKING)
    pair = Pair.of(before, after.frame, linked=linked)
    verdict = plan.verdict_of_pair(pair, scenarios, figures)
    note = _FOUND if linked else _NOT_FOUND
    written = {**figures.to_json(), "worst": verdict.worst.to_json(), "verdict": verdict.to_json()}
    io.write_text(work.folder / FIGURES, json.dumps(written, indent=2, ensure_ascii=False) + "\n", private=True)
    files = [NamedFile.of("original", original), NamedFile.of("protected", protected)]
    title = f"{protected.name} against {original.name}"
    told = InternalContent(pair, figures, verdict=verdict, files=files, title=title, notes=[note])
    write_report(work.folder / PAGE, told)
    return {
        "worst": plan.worst_said(verdict.worst),
        "verdict": repr(verdict),
        "ok": verdict.ok,
        "note": note,
        "families": _families(figures),
        "records": [figures.records, figures.protected_records],
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
    files = (str(settings["original"]), str(settings["protected"]))
    return ("microveil", "evaluate", *files, *known, "--report", PAGE, "--json", FIGURES)


PAIR = Call("pair", "Compare two files", _do, _command)
