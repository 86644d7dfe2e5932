"""`microveil evaluate`: loss and risk of any pair of files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from microveil.cli.console import codes, facts, names, out, progress
from microveil.cli.outputs import check_outputs, written_together
from microveil.core.errors import BadInput
from microveil.core.measured import Measured

if TYPE_CHECKING:
    from microveil.data import Microdata
    from microveil.measure import Pair
    from microveil.plan import Evaluation

ROWS = ("auto", "aligned", "unknown")
ROLES_ON_COMMAND_LINE = "say --role age=key or --project FILE"


def evaluate(
    original: Annotated[Path, typer.Argument(help="the original file")],
    protected: Annotated[Path, typer.Argument(help="the protected file")],
    columns: Annotated[str | None, typer.Option(help="columns to compare, separated by commas")] = None,
    by: Annotated[str | None, typer.Option(help="columns whose values form subdomains")] = None,
    rows: Annotated[str, typer.Option(help="do rows of the files correspond? auto, aligned or unknown")] = "auto",
    log: Annotated[Path | None, typer.Option(help="the private log: it knows roles, kinds and who is who")] = None,
    project: Annotated[Path | None, typer.Option(help="a project file that states roles and kinds")] = None,
    role: Annotated[list[str] | None, typer.Option("--role", help="column=role")] = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", help="column=kind")] = None,
    na: Annotated[
        list[str] | None, typer.Option("--na", help="a text or code that means missing, in any column")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="where to write the page")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="where to write the figures as JSON")] = None,
    force: Annotated[bool, typer.Option("--force", help="replace files that exist")] = False,
) -> None:
    """Say what a protected file lost and what it gives away, with how to read each figure."""
    from microveil import plan
    from microveil.io import write_text
    from microveil.measure import Pair
    from microveil.report import write_report
    from microveil.run import Release

    outputs = {"--json": json_file, "--report": report}
    inputs = {"the original file": original, "the protected file": protected, "--log": log, "--project": project}
    check_outputs(inputs, outputs, force)
    if rows not in ROWS:
        raise BadInput(f"--rows {rows!r} is not one of {list(ROWS)}")
    stated = _stated(project, facts(role or [], "role"), facts(kind or [], "kind"), codes(na or []))
    if log is not None:
        files = _logged(log, original, protected, stated)
    else:
        files = _read(original, protected, stated, rows, codes(na or []))
    chosen = names(columns)
    with progress("measuring") as show:
        figures = plan.evaluate(
            files.before, files.after, columns=chosen, by=names(by), linked=files.linked, progress=show
        )
    _show(figures)
    pair = Pair.of(files.before, files.after, chosen, files.linked)
    notes = [*files.notes, *(f"{note[0].upper()}{note[1:]}." for note in figures.notes), *_differences(pair)]
    for text in notes:
        out.print(text, markup=False)
    with written_together(outputs) as places:
        if json_file is not None:
            write_text(places["--json"], figures.to_text() + "\n")
        if report is not None:
            title = f"{protected.name} against {original.name}"
            release = files.after if isinstance(files.after, Release) else None
            write_report(places["--report"], pair, figures, release=release, title=title, notes=notes)
    if json_file is not None:
        out.print(f"Wrote {json_file}.", markup=False)
    if report is not None:
        out.print(f"Wrote {report} (internal: it holds risk figures).", markup=False)


class _Files(NamedTuple):
    """What is compared: the original, the protected file or the release it was written from, and their link."""

    before: Microdata
    after: Any
    linked: Any
    notes: list[str]


class _Stated(NamedTuple):
    """What the options say about the columns, and the words in which they say it."""

    known: dict[str, Any]
    where: str


def _stated(project: Path | None, roles: dict[str, str], kinds: dict[str, str], missing: list[Any]) -> _Stated:
    from microveil.plan import Project

    known: dict[str, Any] = Project.load(project).facts if project is not None else {}
    known = {**known, "roles": {**known.get("roles", {}), **roles}, "kinds": {**known.get("kinds", {}), **kinds}}
    if missing:
        known["missing"] = missing
    options = {"--role": roles, "--kind": kinds, "--na": missing}
    where = [project.name] if project is not None else []
    return _Stated(known, " and ".join([*where, *(option for option, given in options.items() if given)]))


def _logged(log: Path, original: Path, protected: Path, stated: _Stated) -> _Files:
    """The release of the log, proven to be the one that the protected file holds: the log decides about everything."""
    from microveil import io
    from microveil.plan import facts_of_log, load_log, replay, written_as

    known = load_log(log)
    facts = facts_of_log(known)
    # a word for missing in a column of numbers is gone once it is read, so that no log keeps it
    facts["missing"] = {
        name: [*facts["missing"].get(name, ()), *_codes_of(stated.known, name)] for name in facts["roles"]
    }
    release = replay(known, io.read(original, **facts))
    written_as(release, io.sha256_of(protected))
    notes = ["Which rows belong together, and what the columns are, is known from the private log."]
    for what, names_of in _stated_otherwise(release.original, stated.known).items():
        notes.append(f"{stated.where} states other {what} for {', '.join(names_of)}; the log decides.")
    return _Files(release.original, release, True, notes)


def _stated_otherwise(known: Microdata, stated: dict[str, Any]) -> dict[str, list[str]]:
    """The columns for which somebody states other roles, kinds or missing codes than the log."""
    found: dict[str, list[str]] = {}
    for name, column in known.schema.items():
        numeric = known.narwhal.get_column(name).dtype.is_numeric()
        missing = {str(code) for code in _codes_of(stated, name) if isinstance(code, str) != numeric}
        for what, differs in {
            "roles": stated["roles"].get(name, column.role) != column.role,
            "kinds": stated["kinds"].get(name, column.kind) != column.kind,
            "missing codes": bool(missing - set(map(str, column.missing))),
        }.items():
            if differs:
                found.setdefault(what, []).append(str(name))
    return found


def _codes_of(stated: dict[str, Any], name: str) -> list[Any]:
    """The codes for missing values that somebody states for a column, or for all."""
    missing = stated.get("missing") or ()
    return list(missing.get(name, ()) if isinstance(missing, dict) else missing)


def _read(original: Path, protected: Path, stated: _Stated, rows: str, missing: list[Any]) -> _Files:
    from microveil import io

    before = io.read(original, **stated.known)
    after = _protected(before, protected, missing)
    linked, note = _link(before, after, rows)
    return _Files(before, after, linked, [note])


def _protected(before: Microdata, path: Path, missing: list[Any]) -> Any:
    from microveil import io

    after = io.read(path, missing=missing)
    absent = [name for name in after.columns if name not in before.columns]
    if len(absent) == len(after.columns):
        raise BadInput(f"the two files share no column: {list(before.columns)[:6]} and {list(after.columns)[:6]}")
    return after.frame


def _link(before: Microdata, after: Any, rows: str) -> tuple[bool, str]:
    from microveil.measure import Pair
    from microveil.plan import rows_seem_to_correspond

    other = Pair.of(before, after).after
    if rows == "unknown":
        return False, "Which rows belong together is not known; measures that need it do not apply."
    if rows == "aligned":
        if before.n != other.n:
            raise BadInput(f"rows cannot be aligned: {before.n} original and {other.n} protected records")
        return True, "Rows are taken to correspond, as stated."
    if before.n == other.n and rows_seem_to_correspond(before, other):
        return True, "Rows seem to correspond (values agree far beyond chance); --rows unknown if they do not."
    return False, (
        "Rows do not seem to correspond, so measures that need it do not apply; give --log PRIVATE_LOG, "
        "or --rows aligned if they do."
    )


def _show(figures: Evaluation) -> None:
    from microveil.plan import silent_lines
    from microveil.report import format_number

    out.print(f"{figures.protected_records} protected against {figures.records} original records", markup=False)
    worst = figures.worst
    if isinstance(worst, Measured):
        out.print(worst.reading, style="bold" if out.is_terminal else None, markup=False)
    for family, heading in {"loss": "What is lost", "risk": "What is at risk"}.items():
        out.print(f"\n{heading}", style="bold", markup=False)
        for line in figures.of(family):
            if isinstance(line.result, Measured):
                value = f"{format_number(line.result.value)} {line.result.unit}".strip()
                out.print(f"  {line.title:<42} {value:>14}", style="bold" if out.is_terminal else None, markup=False)
                out.print(f"      {line.result.reading}", markup=False)
        silent = silent_lines([(line.title, line.result) for line in figures.of(family)], ROLES_ON_COMMAND_LINE)
        if silent:
            out.print("  does not apply:", markup=False)
            for text in silent:
                out.print(f"      {text}", markup=False)
    out.print("", markup=False)


def _differences(pair: Pair) -> list[str]:
    """What the two files do not have in common, in words."""
    before, after = pair.before, pair.after
    notes = []
    for what, found in {
        "only in the original": [name for name in before.columns if name not in after.columns],
        "only in the protected file": [name for name in after.columns if name not in before.columns],
        "numbers in the original and text in the protected file, so not compared as numbers": [
            name for name in before.columns if name in after.columns and pair.recoded(name)
        ],
    }.items():
        if found:
            notes.append(f"Columns {what}: {', '.join(map(str, found))}.")
    if before.n != after.n:
        notes.append(f"The files differ in length: {before.n} original and {after.n} protected records.")
    return notes
