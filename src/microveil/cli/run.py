"""`microveil run`: the whole job, from a project file to a package."""

from __future__ import annotations

import shlex
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from microveil.cli.attack_table import show_attacks
from microveil.cli.console import out, progress, read_measures
from microveil.cli.protect import ENGINES
from microveil.core.errors import BadInput
from microveil.core.parameters import nearest
from microveil.core.words import counted

if TYPE_CHECKING:
    from microveil.run.release import Release

_MOST_NOTES = 4


def run(
    project: Annotated[Path, typer.Argument(help="the project file; microveil inspect writes one")],
    into: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="where runs are kept; left out: runs beside the project")
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", "-f", metavar="NAME", help="csv, parquet, spss, ...; for several say it again"),
    ] = None,
    title: Annotated[str | None, typer.Option(help="what the package is called; left out: as the project says")] = None,
    review: Annotated[
        str | None, typer.Option(metavar="DATE", help="when the decision is looked at again, as 2027-06-30")
    ] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="write the reports as PDF too (extra pdf)")] = False,
    titles: Annotated[
        bool, typer.Option("--tell-titles", help="tell the variable labels of the source: read them before")
    ] = False,
    settings: Annotated[bool, typer.Option("--tell-settings", help="tell users what every method was set to")] = False,
    measures: Annotated[str | None, typer.Option(help="quick, all, or names separated by commas")] = None,
    accept_lost: Annotated[
        bool, typer.Option("--accept-lost", help="release although later steps ended promises of earlier ones")
    ] = False,
    engine: Annotated[
        str, typer.Option(metavar="NAME", help="memory; or, for files of any size, blocks or spark: written as Parquet")
    ] = "memory",
    threads: Annotated[
        int | None, typer.Option(help="with --engine blocks (else 1) or spark (else all cores): blocks at a time")
    ] = None,
) -> None:
    """Read, protect, measure, judge, write and audit; the package appears complete, or nothing does.

    It goes into a folder with the next number: `package` to give away, `internal` to keep, which holds the key. The
    release section of the project says title, formats and review; what is said here counts more. A project without a
    plan is searched first, if it has a search section.
    """
    from microveil.package import run_project

    _check_date(review)
    asked = read_measures(measures)
    if engine not in ENGINES:
        raise BadInput(f"--engine {engine!r} is not one of {', '.join(ENGINES)}{nearest(engine, ENGINES)}")
    if engine != "memory":
        from microveil.cli.run_blocks import run_blocks

        if formats or pdf or titles:
            raise BadInput(
                f"--format, --pdf and --tell-titles are for packages of files in memory; leave them out with --engine "
                f"{engine}"
            )
        run_blocks(project, engine, threads, into, title, review, settings, accept_lost, asked)
        return
    if threads is not None:
        raise BadInput("--threads belongs to --engine blocks and --engine spark; leave it out")
    with progress("running") as show:
        made = run_project(
            project,
            into=into,
            formats=formats,
            title=title,
            review=review,
            pdf=pdf,
            titles=titles,
            tell_settings=settings,
            measures=asked,
            accept_lost=accept_lost,
            progress=show,
        )
    internal = made.package.internal
    for line in (*made.told, *made.release.told(), *_notes(made.release, internal)):
        out.print(line, markup=False)
    for one in made.reached:
        out.print(f"  {one.said}", markup=False)
    show_attacks(made.verdict.attacked, made.verdict.worst, internal / "report.html")
    out.print(repr(made.verdict), markup=False)
    out.print((internal / "audit.txt").read_text(encoding="utf-8").splitlines()[-1], markup=False)
    out.print(f"Wrote {made.package.public} (to give away, once it is signed).", markup=False)
    out.print(f"Wrote {internal} (keep it inside: it holds the key and figures of risk).", markup=False)
    out.print(f"Read {internal / 'report.html'}, then sign (microveil key new makes a key):", markup=False)
    out.print(f"  {shlex.join(('microveil', 'sign', str(made.package.public), '--key', 'FILE'))}", markup=False)


def _notes(release: Release, internal: Path) -> list[str]:
    """The first notes; that records are left out is said once, by the note that says why if there is one."""
    records = release.original.n
    left = records - len({int(row) for row in release.origin if row >= 0})
    first: list[str] = []
    if left not in (0, records):  # none of a synthetic file is a record of the original
        because = [note for note in release.notes if note.replace(",", "").startswith(f"{left} of {records} records ")]
        are = "is" if left == 1 else "are"
        first = because[:1] or [f"{left:,} of {records:,} records {are} left out"]
    notes = [*first, *(note for note in release.notes if note not in first)]
    lines = [f"  note: {note}" for note in notes[:_MOST_NOTES]]
    more = len(notes) - _MOST_NOTES
    return [*lines, f"  {counted(more, 'more note')}: see {internal / 'report.html'}"] if more > 0 else lines


def _check_date(text: str | None) -> None:
    try:
        date.fromisoformat(text or "2000-01-01")
    except ValueError:
        raise BadInput(f"--review {text!r} is no date; write it as 2027-06-30") from None
