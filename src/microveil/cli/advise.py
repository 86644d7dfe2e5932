"""`microveil advise`: a search of a minute, the map in the terminal, three sentences."""

from __future__ import annotations

import shlex
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from microveil.cli.console import counted, out, progress
from microveil.cli.file_options import NO_OPTIONS, FileOptions, with_file_options
from microveil.cli.outputs import check_outputs, written_together
from microveil.cli.pairs import gather_facts
from microveil.cli.reading import read_stated, say_how_read
from microveil.core.errors import BadInput, OverLimit

if TYPE_CHECKING:
    from microveil.data import Microdata
    from microveil.plan import Plan
    from microveil.study import ShortSearch, Study, Tried

_RISK = 5.0
_SECONDS = 60
_LONGER = 5  # times as many seconds are suggested where none keeps the limits


@with_file_options()
def advise(
    file: Annotated[Path, typer.Argument(help="the data file")],
    project: Annotated[Path | None, typer.Option(help="a project file that states roles, kinds and rules")] = None,
    about: FileOptions = NO_OPTIONS,
    seconds: Annotated[int, typer.Option(help="how long to try plans")] = _SECONDS,
    max_risk: Annotated[
        float, typer.Option(help="per cent of records that attacks may find at most", metavar="NUMBER")
    ] = _RISK,
    workers: Annotated[int, typer.Option(help="how many processes try plans side by side")] = 2,
    plan_file: Annotated[Path | None, typer.Option("--plan", help="where to write the recommended plan")] = None,
    page: Annotated[Path | None, typer.Option(help="where to write a page with the map (HTML)")] = None,
    force: Annotated[bool, typer.Option("--force", help="replace files that exist")] = False,
) -> None:
    """Try methods on a file for a minute and recommend one: a map, what to take, why, and what it costs."""
    from microveil import plan
    from microveil.report import write_comparison
    from microveil.study import search_shortly

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
    begin_with = [one for one in (own or looked.plan,) if one is not None]
    with progress("trying plans") as show:
        found = search_shortly(
            data,
            seconds,
            max_risk,
            scenarios=stated.scenarios,
            utility=stated.project.utility if stated.project is not None else (),
            plans=begin_with,
            workers=workers,
            progress=show,
        )
    study = found.study
    _say_tried(found, data)
    chosen = _chosen(study)
    limits = {plan.WorstCase.name: max_risk}
    _show_map(study, limits, chosen)
    for sentence in study.sentences():
        out.print(sentence, markup=False)
    if own is None and looked.plan is not None:
        _say_proposed(study, looked.plan, max_risk)
    kept = bool(study.keeping())
    with written_together({**outputs, "--plan": plan_file if kept else None}) as places:
        if plan_file is not None and kept:
            chosen.plan_with_columns.save(places["--plan"])
        if page is not None:
            said = study.sentences(), study.about_draws
            write_comparison(
                places["--page"], study.shown, limits=limits, chosen=chosen, lead=said[0], about_draws=said[1]
            )
    if page is not None:
        out.print(f"Wrote {page} (internal: it holds risk figures).", markup=False)
    if not kept:
        raise OverLimit(
            "no plan that was tried keeps all limits, and none was written; more time may find one: say --seconds "
            f"{_LONGER * seconds}, or search with a project (microveil search project.yaml)"
        )
    _say_next(file, project, plan_file)


def _chosen(study: Study) -> Tried:
    """The recommended plan, or the nearest where none keeps the limits."""
    if study.keeping():
        return study.best()
    near = study.nearest()
    if near is None:
        raise BadInput(
            "no plan could be run and measured; state roles with --role, or give more time with --seconds: "
            + "; ".join(f"{trial.label}: {trial.problem}" for trial in study.trials[:3])
        )
    return near[0]


def _say_proposed(study: Study, proposed: Plan, max_risk: float) -> None:
    """Why the plan that inspect writes into a project is not within the limit, where it is not: that limit is wider."""
    from microveil.plan.space import canonical_text

    tried = next((one for one in study.shown if one.text == canonical_text(proposed)), None)
    if tried is None or tried.risk is None or tried.risk <= max_risk:
        return
    out.print(
        f"The plan that microveil inspect proposes ({tried.label}) has a risk of {tried.risk:.3g} %: it is made for "
        f"the limits that inspect writes into a project, which allow more than the {max_risk:g} % asked for here. Say "
        f"--max-risk {ceil(tried.risk)} to ask for as much, or more of the project: a larger k in its plan.",
        markup=False,
    )


def _show_map(study: Study, limits: dict[str, float], chosen: Tried) -> None:
    from microveil.report import plan_map, text_map

    shown = plan_map(study.shown, limits, chosen)
    if shown is not None:
        out.print(text_map(shown, min(out.width, 100)), markup=False)


def _say_roles(source: Microdata, data: Microdata) -> None:
    """What was taken for what, where nobody stated it: a recommendation rests on that."""
    guessed = [
        f"{name} ({role})" for name, role in data.roles.items() if role != source.roles[name] and role != "other"
    ]
    if guessed:
        out.print(f"Taken for what they look like: {', '.join(guessed)}; say --role to correct one.", markup=False)


def _say_tried(found: ShortSearch, data: Microdata) -> None:
    study = found.study
    candidates = sum(trial.is_candidate for trial in study.trials)
    broken = study.counts.get("breaks rules", 0)
    are = "1 is a candidate" if candidates == 1 else f"{candidates} are candidates"
    text = f"Tried {counted(len(study.trials), 'plan')} in {study.seconds:.0f} seconds; {are}"
    text += f", {broken} break{'s' * (broken == 1)} rules of the data" if broken else ""
    text += "; more time (--seconds) tries more" if study.is_cut else ""
    out.print(f"{text}.", markup=False)
    if found.records < data.n:
        out.print(
            f"Only {found.records:,} of {data.n:,} records were looked at: fewer records hide one another less, so "
            "that risks are rather lower in the whole file.",
            markup=False,
        )


def _say_next(file: Path, project: Path | None, plan_file: Path | None) -> None:
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
