"""`microveil risk`: the risk of a file as it is, alone or beside its protected version."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from microveil.cli.console import names, out, progress
from microveil.cli.file_options import NO_OPTIONS, FileOptions, with_file_options
from microveil.cli.outputs import check_outputs, written_together
from microveil.cli.pairs import Stated, check_rows, gather_facts, read_pair
from microveil.cli.reading import read_stated, say_how_read
from microveil.core.errors import BadInput

if TYPE_CHECKING:
    from microveil.measure import Pair, Scenario

_RECORDS = "--records"


@with_file_options(but=("edit",))
def risk(
    file: Annotated[Path, typer.Argument(help="the data file")],
    project: Annotated[Path | None, typer.Option(help="a project file that states roles, kinds and scenarios")] = None,
    keys: Annotated[str | None, typer.Option(help="columns that others may know, separated by commas")] = None,
    about: FileOptions = NO_OPTIONS,
    protected: Annotated[Path | None, typer.Option(help="the protected version, to be told beside the file")] = None,
    log: Annotated[Path | None, typer.Option(help="the private log of the protected version")] = None,
    rows: Annotated[str, typer.Option(help="do rows of the files correspond? auto, aligned or unknown")] = "auto",
    records: Annotated[
        Path | None, typer.Option(_RECORDS, help="where to write the risk of every record, as CSV; for your eyes only")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="where to write the page")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="where to write the figures as JSON")] = None,
    force: Annotated[bool, typer.Option("--force", help="replace files that exist")] = False,
) -> None:
    """Say how many records their keys give away, which and why, and what one change of a key would do."""
    from microveil import plan
    from microveil.io import write_text
    from microveil.report import write_risk_page

    check_rows(rows)
    if protected is None and (log is not None or rows != "auto"):
        raise BadInput("--log and --rows tell of a protected file; name it with --protected, or leave them out")
    outputs = {_RECORDS: records, "--json": json_file, "--report": report}
    inputs = {
        "the data file": file,
        "--project": project,
        "--protected": protected,
        "--log": log,
        **about.files,
    }
    check_outputs(inputs, outputs, force)
    if records is not None and records.suffix.lower() != ".csv":
        raise BadInput(f"{_RECORDS} {records} would not be CSV; give it a name that ends in .csv")
    stated = gather_facts(project, about)
    pair, notes, scenarios, proven_k = _pair(file, protected, stated, log, rows, about.missing)
    say_how_read(pair.before)
    with progress("assessing") as show:
        found = plan.assess_pair(
            pair,
            names(keys),
            scenarios=scenarios,
            methods_known=log is not None,
            proven_k=proven_k,
            progress=show,
        )
    uncounted = ": the keys of the protected file cannot be counted" if found.withheld else ""
    out.print(file.name if protected is None else f"{file.name} and {protected.name}{uncounted}", markup=False)
    out.print(found.told("decide with --keys, --role or --project"), markup=False)
    for note in notes:
        out.print(note, markup=False)
    with written_together(outputs) as places:
        if records is not None:
            write_text(places[_RECORDS], _csv(found.records()), private=True)
        if json_file is not None:
            write_text(places["--json"], found.to_text() + "\n", private=True)
        if report is not None:
            title = f"Risk of {file.name} as it is" if protected is None else f"{file.name} and {protected.name}"
            write_risk_page(places["--report"], found, title=title, notes=notes)
    _tell(file, records, json_file, report)
    if protected is not None and found.over_limit:
        out.print(f"Over the limit in: {', '.join(found.over_limit)}.", markup=False)
        raise typer.Exit(1)


def _pair(
    file: Path, protected: Path | None, stated: Stated, log: Path | None, rows: str, missing: list[Any]
) -> tuple[Pair, list[str], tuple[Scenario, ...], int | None]:
    """The file alone or beside its protected version; how rows were told; the scenarios; the k that a log proves."""
    from microveil.measure import Pair
    from microveil.run import Release

    if protected is None:
        return Pair.of(read_stated(file, stated.project, stated.known)), [], stated.scenarios, None
    files = read_pair(file, protected, stated, rows, log, missing)
    proven_k = files.after.guarantee.k if isinstance(files.after, Release) else None
    return Pair.of(files.before, files.after, linked=files.linked), files.notes, files.scenarios, proven_k


def _csv(table: Any) -> str:
    import pyarrow as pa
    from pyarrow import csv

    sink = pa.BufferOutputStream()
    csv.write_csv(table, sink)
    return str(sink.getvalue().to_pybytes(), "utf-8")


def _tell(file: Path, records: Path | None, json_file: Path | None, report: Path | None) -> None:
    if records is not None:
        out.print(
            f"Wrote {records}: the risk of every record, for the protector's eyes only (row is the record's place in"
            f" {file.name}, the first is 1).",
            markup=False,
        )
    for path in (json_file, report):
        if path is not None:
            out.print(f"Wrote {path} (internal: it tells which records are at risk).", markup=False)
