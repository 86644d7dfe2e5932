"""`microveil advise`: a minute of probing, the map in the terminal, three sentences."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from microveil.cli.console import counted, out, progress
from microveil.cli.file_options import NO_OPTIONS, FileOptions, with_file_options
from microveil.cli.outputs import check_outputs, written_together
from microveil.cli.pairs import gather_facts
from microveil.cli.reading import read_stated, say_how_read
from microveil.core.errors import BadInput

if TYPE_CHECKING:
    from microveil.data import Microdata
    from microveil.plan.probing import Probed

_RISK = 5.0
_SECONDS = 60


@with_file_options()
def advise(
    file: Annotated[Path, typer.Argument(help="the data file")],
    project: Annotated[Path | None, typer.Option(help="a project file that states roles, kinds and rules")] = None,
    about: FileOptions = NO_OPTIONS,
    seconds: Annotated[int, typer.Option(help="how long to try plans")] = _SECONDS,
    max_risk: Annotated[
        float, typer.Option(help="per cent of records that attacks may find at most", metavar="NUMBER")
    ] = _RISK,
    plan_file: Annotated[Path | None, typer.Option("--plan", help="where to write the recommended plan")] = None,
    page: Annotated[Path | None, typer.Option(help="where to write a page with the map (HTML)")] = None,
    force: Annotated[bool, typer.Option("--force", help="replace files that exist")] = False,
) -> None:
    """Try methods on a file for a minute and recommend one: a map, what to take, why, and what it costs."""
    from microveil import plan
    from microveil.plan.probing import probe
    from microveil.plan.recommended import recommend
    from microveil.report import plan_map, text_map, write_comparison

    if seconds < 1:
        raise BadInput(f"--seconds must be 1 or more; {seconds} was given")
    if not 0 <= max_risk <= 100:
        raise BadInput(f"--max-risk must be between 0 and 100 per cent; {max_risk} was given")
    outputs = {"--plan": plan_file, "--page": page}
    check_outputs({"the data file": file, "--project": project, **about.files}, outputs, force)
    stated = gather_facts(project, about)
    source = read_stated(file, stated.project, stated.known)
    say_how_read(source)
    with progress("inspecting") as show:
        looked = plan.inspect(source, progress=show)
    # rules that were only found, not stated, rule no plan out
    data = looked.data.with_(edits=list(map(str, source.edits)))
    _say_roles(source, data)
    own = stated.project.plan if stated.project is not None else None
    with progress("trying plans") as show:
        found = probe(
            data,
            seconds,
            scenarios=stated.scenarios,
            proposed=own or looked.plan,
            progress=show,
        )
    chosen = recommend(found.trials, max_risk)
    _say_tried(found, data)
    if chosen is None:
        raise BadInput(
            "no plan could be run and measured; state roles with --role, or give more time with --seconds: "
            + "; ".join(found.trials.problems[:3])
        )
    limits = {plan.WorstCase.name: max_risk}
    shown = plan_map(found.trials, limits, chosen.trial)
    if shown is not None:
        out.print(text_map(shown, min(out.width, 100)), markup=False)
    for sentence in chosen.sentences:
        out.print(sentence, markup=False)
    with written_together(outputs) as places:
        if plan_file is not None:
            chosen.plan.save(places["--plan"])
        if page is not None:
            write_comparison(places["--page"], found.trials, limits=limits, chosen=chosen.trial, lead=chosen.sentences)
    _say_next(file, project, plan_file, page)


def _say_roles(source: Microdata, data: Microdata) -> None:
    """What was taken for what, where nobody stated it: a recommendation rests on that."""
    guessed = [
        f"{name} ({role})" for name, role in data.roles.items() if role != source.roles[name] and role != "other"
    ]
    if guessed:
        out.print(f"Taken for what they look like: {', '.join(guessed)}; say --role to correct one.", markup=False)


def _say_tried(found: Probed, data: Microdata) -> None:
    candidates = sum(trial.is_candidate for trial in found.trials)
    broken = sum(trial.breaks_rules for trial in found.trials)
    text = f"Tried {counted(len(found.trials), 'plan')} in {found.seconds:.0f} seconds; {candidates} are candidates"
    text += f", {broken} break rules of the data" if broken else ""
    text += f"; for {found.not_reached} more there was no time (--seconds)" if found.not_reached else ""
    out.print(f"{text}.", markup=False)
    if found.records < data.n:
        out.print(
            f"Only {found.records:,} of {data.n:,} records were looked at: fewer records hide one another less, so "
            "that risks are rather lower in the whole file.",
            markup=False,
        )


def _say_next(file: Path, project: Path | None, plan_file: Path | None, page: Path | None) -> None:
    if page is not None:
        out.print(f"Wrote {page} (internal: it holds risk figures).", markup=False)
    if plan_file is None:
        out.print("Say --plan FILE to have the recommended plan written.", markup=False)
        return
    if project is None:
        out.print(
            f"Wrote {plan_file}. Have the roles of columns written by microveil inspect and check them; then run",
            markup=False,
        )
    else:
        out.print(f"Wrote {plan_file}; run", markup=False)
    stated = str(project or "project.yaml")
    words = ("microveil", "protect", str(file), "--project", stated, "--plan", str(plan_file), "-o", "OUT")
    out.print(f"  {shlex.join(words)}", markup=False)
