"""`microveil evaluate`: loss and risk of any pair of files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from microveil.cli.console import asked_measures, codes, names, out, progress
from microveil.cli.outputs import check_outputs, written_together
from microveil.core.errors import BadInput
from microveil.core.measured import Measured

if TYPE_CHECKING:
    from microveil.data import Microdata
    from microveil.measure import Pair
    from microveil.plan import Evaluation

ROWS = ("auto", "aligned", "unknown")


def evaluate(
    original: Annotated[Path, typer.Argument(help="the original file")],
    protected: Annotated[Path, typer.Argument(help="the protected file")],
    columns: Annotated[str | None, typer.Option(help="columns to compare, separated by commas")] = None,
    by: Annotated[str | None, typer.Option(help="columns whose values form subdomains")] = None,
    rows: Annotated[str, typer.Option(help="do rows of the files correspond? auto, aligned or unknown")] = "auto",
    log: Annotated[Path | None, typer.Option(help="the private log: it knows which rows belong together")] = None,
    project: Annotated[Path | None, typer.Option(help="a project file that states roles and kinds")] = None,
    na: Annotated[
        list[str] | None, typer.Option("--na", help="a text or code that means missing, in any column")
    ] = None,
    measures: Annotated[
        str | None,
        typer.Option(help="quick, all (on every record, however long), or names separated by commas; see the guide"),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="where to write the page")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="where to write the figures as JSON")] = None,
    force: Annotated[bool, typer.Option("--force", help="replace files that exist")] = False,
) -> None:
    """Say what a protected file lost and what it gives away, with how to read each figure."""
    from microveil import io, plan
    from microveil.io import write_text
    from microveil.measure import Pair
    from microveil.report import NamedFile, write_report

    outputs = {"--json": json_file, "--report": report}
    inputs = {"the original file": original, "the protected file": protected, "--log": log, "--project": project}
    check_outputs(inputs, outputs, force)
    asked = asked_measures(measures)
    if rows not in ROWS:
        raise BadInput(f"--rows {rows!r} is not one of {list(ROWS)}")
    known: dict[str, Any] = plan.Project.load(project).facts if project is not None else {}
    if na:
        known["missing"] = codes(na)
    before = io.read(original, **known)
    after = _protected(before, protected, codes(na or []))
    linked, note = _link(before, after, rows, log, protected)
    chosen = names(columns)
    with progress("measuring") as show:
        figures = plan.evaluate(
            before, after, measures=asked, columns=chosen, by=names(by), linked=linked, progress=show
        )
    _show(figures)
    notes = [note, *_differences(Pair.of(before, after))]
    for text in notes:
        out.print(text, markup=False)
    with written_together(outputs) as places:
        if json_file is not None:
            write_text(places["--json"], figures.to_text() + "\n")
        if report is not None:
            pair = Pair.of(before, after, chosen, linked)
            title = f"{protected.name} against {original.name}"
            files = [NamedFile.of("original", original), NamedFile.of("protected", protected)]
            write_report(places["--report"], pair, figures, files=files, title=title, notes=notes)
    if json_file is not None:
        out.print(f"Wrote {json_file}.", markup=False)
    if report is not None:
        out.print(f"Wrote {report} (internal: it holds risk figures).", markup=False)


def _protected(before: Microdata, path: Path, missing: list[Any]) -> Any:
    from microveil import io

    after = io.read(path, missing=missing)
    absent = [name for name in after.columns if name not in before.columns]
    if len(absent) == len(after.columns):
        raise BadInput(f"the two files share no column: {list(before.columns)[:6]} and {list(after.columns)[:6]}")
    return after.frame


def _link(before: Microdata, after: Any, rows: str, log: Path | None, protected: Path) -> tuple[Any, str]:
    from microveil.io import sha256_of
    from microveil.measure import Pair
    from microveil.plan import link_of_written, replay, rows_seem_to_correspond, written_as

    other = Pair.of(before, after).after
    if log is not None:
        release = replay(log, before)
        options = written_as(release, sha256_of(protected))
        return link_of_written(release, options), "Which rows belong together is known from the private log."
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
    from microveil.report import format_number

    out.print(f"{figures.protected_records} protected against {figures.records} original records", markup=False)
    for family, heading in {"loss": "What is lost", "risk": "What is at risk"}.items():
        out.print(f"\n{heading}", style="bold", markup=False)
        silent = []
        for line in figures.of(family):
            if isinstance(line.result, Measured):
                value = f"{format_number(line.result.value)} {line.result.unit}".strip()
                out.print(f"  {line.title:<42} {value:>14}", style="bold" if out.is_terminal else None, markup=False)
                out.print(f"      {line.result.reading}", markup=False)
            else:
                silent.append(f"{line.title}: {line.result.reason}")
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
