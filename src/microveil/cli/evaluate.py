"""`microveil evaluate`: loss and risk of any pair of files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from microveil.cli.attack_table import show_attacks
from microveil.cli.completion import measures_named
from microveil.cli.console import names, out, progress, read_measures
from microveil.cli.file_options import NO_OPTIONS, FileOptions, with_file_options
from microveil.cli.outputs import check_outputs, written_together
from microveil.cli.pairs import check_rows, gather_facts, read_pair
from microveil.core.errors import BadInput
from microveil.core.measured import Measured
from microveil.core.words import counted

if TYPE_CHECKING:
    from microveil.measure import Pair, Scenario
    from microveil.plan import Advice, Evaluation, Verdict
    from microveil.run import Release

_NOTHING_TO_TRY = (
    "No change was tried: no attack finds clearly more than guessing does, or than limits and proofs allow."
)
_NEEDS_LOG = "it runs the plan again and again, which only the private log knows: give --log LOG"
_ALONE = (
    "The verdict is about this release alone; what somebody finds who has the earlier ones too is told among the "
    "attacks (Several releases combined)."
)
_NEEDS_RELEASES = "it combines this release with earlier ones of the same file: give --earlier LOG, or --earlier FILE"
_NEEDS_ROWS = "it combines releases record by record, and which rows belong together is not known: give --log LOG"
ROLES_ON_COMMAND_LINE = "say --role age=key or --project FILE"


@with_file_options()
def evaluate(
    original: Annotated[Path, typer.Argument(help="the original file")],
    protected: Annotated[Path, typer.Argument(help="the protected file")],
    columns: Annotated[str | None, typer.Option(help="columns to compare, separated by commas")] = None,
    by: Annotated[str | None, typer.Option(help="columns whose values form subdomains")] = None,
    rows: Annotated[str, typer.Option(help="do rows of the files correspond? auto, aligned or unknown")] = "auto",
    log: Annotated[Path | None, typer.Option(help="the private log: it knows roles, kinds and who is who")] = None,
    project: Annotated[Path | None, typer.Option(help="a project file that states roles, kinds and rules")] = None,
    about: FileOptions = NO_OPTIONS,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="an earlier release of the same original, by its private log or as a file: what both tell together; "
            "for several say it again",
        ),
    ] = None,
    measures: Annotated[
        str | None,
        typer.Option(
            help="quick, all (on every record of up to 300,000), or names separated by commas; see the guide",
            autocompletion=measures_named,
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="where to write the report: HTML, or PDF where the name ends so")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="where to write the figures as JSON")] = None,
    advise: Annotated[
        bool, typer.Option("--advise", help="try a change of the plan against attacks that succeed; needs --log")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="replace files that exist")] = False,
) -> None:
    """Say what a protected file lost and what it gives away, with how to read each figure.

    The exit status is 1 where a limit that the scenarios of the project, or else of the log, state is exceeded.
    """
    from microveil import plan
    from microveil.cli.earlier import check_earlier, read_earlier
    from microveil.io import write_text
    from microveil.measure import Pair
    from microveil.plan.asides import Lacking, with_asides
    from microveil.report import InternalContent, NamedFile, check_form, write_report
    from microveil.run import Release

    check_form(report)
    outputs = {"--json": json_file, "--report": report}
    inputs = {
        "the original file": original,
        "the protected file": protected,
        "--log": log,
        "--project": project,
        **{f"--earlier {path}": path for path in earlier or ()},
        **about.files,
    }
    check_outputs(inputs, outputs, force)
    check_rows(rows)
    check_earlier(earlier or (), (protected, log))
    if advise and log is None:
        raise BadInput("--advise runs the plan again with a change, and only the private log knows it: give --log LOG")
    asked = read_measures(measures)
    # of the original: a file that was written here tells by itself
    stated = gather_facts(project, about)
    files = read_pair(original, protected, stated, rows, log, about.missing)
    before_this = read_earlier(earlier or (), files.before, original, stated, rows, about.missing)
    scenarios = files.scenarios
    chosen = names(columns)
    with progress("measuring") as show:
        figures = plan.evaluate(
            files.before,
            files.after,
            measures=asked,
            columns=chosen,
            by=names(by),
            linked=files.linked,
            scenarios=scenarios,
            progress=show,
        )
    release = files.after if isinstance(files.after, Release) else None
    known = release is not None or files.linked is True
    together = ([files.after, *before_this] if known else []) if before_this else None
    lacking = Lacking(_NEEDS_LOG, _NEEDS_RELEASES, _NEEDS_ROWS)
    figures = with_asides(figures, files.before, protected, release, lacking, together)
    if release is not None:
        verdict = plan.verdict_of(release, scenarios, figures, files.before)
    else:
        verdict = plan.verdict_of_pair(Pair.of(files.before, files.after, linked=files.linked), scenarios, figures)
    _show(figures, verdict, report)
    pair = Pair.of(files.before, files.after, chosen, files.linked)
    notes = [*files.notes, *(f"{note[0].upper()}{note[1:]}." for note in figures.notes), *_differences(pair)]
    for text in notes:
        out.print(text, markup=False)
    out.print(repr(verdict), markup=False)
    if before_this:
        out.print(_ALONE, markup=False)
    changes = _tried_changes(release, verdict, scenarios) if advise else None
    for text in () if changes is None else changes.lines or (_NOTHING_TO_TRY,):
        out.print(text, markup=False)
    with written_together(outputs) as places:
        if json_file is not None:
            written = {**figures.to_json(), "worst": verdict.worst.to_json(), "verdict": verdict.to_json()}
            written |= {} if changes is None else {"advice": changes.to_json()}
            write_text(places["--json"], json.dumps(written, indent=2, ensure_ascii=False) + "\n")
        if report is not None:
            title = f"{protected.name} against {original.name}"
            named_files = [NamedFile.of("original", original), NamedFile.of("protected", protected)]
            content = InternalContent(
                pair,
                figures,
                release=release,
                verdict=verdict,
                files=named_files,
                title=title,
                notes=notes,
                changes=changes,
            )
            write_report(places["--report"], content)
    if json_file is not None:
        out.print(f"Wrote {json_file}.", markup=False)
    if report is not None:
        out.print(f"Wrote {report} (internal: it holds risk figures).", markup=False)
    if verdict.ok is False:
        raise typer.Exit(1)


def _tried_changes(release: Release | None, verdict: Verdict, scenarios: Sequence[Scenario]) -> Advice | None:
    """What changes of the plan do against the attacks that succeed; only a release with its log can be made again."""
    from microveil.plan import advise

    return None if release is None else advise(release, verdict.attacked, scenarios)


def _show(figures: Evaluation, verdict: Verdict, report: Path | None) -> None:
    from microveil.plan import advice_lines, silent_lines, worst_said
    from microveil.report import format_number

    protected = counted(figures.protected_records, "protected record")
    out.print(f"{protected} against {counted(figures.records, 'original record')}", markup=False)
    out.print(worst_said(verdict.worst), style="bold" if out.is_terminal else None, markup=False)
    for text in advice_lines(verdict.attacked):
        out.print(f"  {text}", markup=False)
    show_attacks(verdict.attacked, verdict.worst, report)
    for family in figures.families:
        out.print(f"\n{family.heading}", style="bold", markup=False)
        for line in figures.of(family.name):
            if isinstance(line.result, Measured):
                value = f"{format_number(line.result.value)} {line.result.unit}".strip()
                out.print(f"  {line.title:<42} {value:>14}", style="bold" if out.is_terminal else None, markup=False)
                out.print(f"      {line.result.said}", markup=False)
        silent = silent_lines([(line.title, line.result) for line in figures.of(family.name)], ROLES_ON_COMMAND_LINE)
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
