"""`microveil compare`: several plans on one file, which is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from microveil.cli.completion import measures_named
from microveil.cli.console import out, progress, show_table
from microveil.cli.file_options import NO_OPTIONS, FileOptions, with_file_options
from microveil.cli.outputs import check_outputs, written_together
from microveil.cli.pairs import gather_facts
from microveil.cli.reading import read_stated, say_how_read
from microveil.core.errors import BadInput

if TYPE_CHECKING:
    from microveil.measure import Measure, Scenario
    from microveil.plan import Comparison, Project

_NO_LIMITS = "Nobody stated limits: a project with scenarios (--project FILE) says which plan keeps them."
_OF_THE_SEARCH = (
    "Limits of the search section of the project (at_most, require) are not judged here: microveil search and run do."
)
_MORE_DRAWS = "--draws 5 runs each plan under 5 keys and says whether a difference is chance."


@with_file_options()
def compare(
    plans: Annotated[list[Path], typer.Argument(metavar="PLAN...", help="plan files, or projects with a plan")],
    data: Annotated[Path, typer.Option("--data", help="the data file")],
    project: Annotated[Path | None, typer.Option(help="a project file that states roles, kinds and rules")] = None,
    about: FileOptions = NO_OPTIONS,
    loss: Annotated[
        str | None,
        typer.Option(
            help="the measure of loss; left out: pil, with categories overall-loss", autocompletion=measures_named
        ),
    ] = None,
    risk: Annotated[
        str | None,
        typer.Option(help="the measure of risk; left out: the worst case over attacks", autocompletion=measures_named),
    ] = None,
    draws: Annotated[int, typer.Option(min=1, help="how often each plan is run, under the same keys")] = 1,
    max_loss: Annotated[
        float | None,
        typer.Option(help="the largest loss that is tolerated: a limit, and a line on maps", metavar="NUMBER"),
    ] = None,
    max_risk: Annotated[
        float | None,
        typer.Option(help="the largest risk that is tolerated: a limit, and a line on maps", metavar="NUMBER"),
    ] = None,
    indicator: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EXPRESSION",
            help='a figure that users will compute, such as "mean(income)", for the page; for several say it again',
        ),
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="where to write a page: the map to walk through, two plans side by side (HTML)")
    ] = None,
    map_file: Annotated[Path | None, typer.Option("--map", help="where to write the map, as SVG")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="where to write all figures as JSON")] = None,
    force: Annotated[bool, typer.Option("--force", help="replace files that exist")] = False,
) -> None:
    """Run plans on a file and say which is better by what it loses and what it gives away; nothing is released."""
    from microveil import plan
    from microveil.core.streams import Key
    from microveil.data.schema import check_names
    from microveil.io import write_text
    from microveil.loss.indicator_language import Indicator
    from microveil.report import beside, map_of_trials, write_comparison

    outputs = {"--map": map_file, "--json": json_file, "--page": page}
    files = {f"the plan {path}": path for path in plans}
    inputs = {"--data": data, "--project": project, **files, **about.files}
    check_outputs(inputs, outputs, force)
    asked = _measure(loss), _measure(risk)
    _check_limits(asked, max_loss, max_risk)
    wanted = [Indicator(expression) for expression in indicator or ()]
    if indicator and page is None:
        raise BadInput("--indicator is shown on the page; say --page FILE too")
    stated = gather_facts(project, about)
    source = read_stated(data, stated.project, stated.known)
    say_how_read(source)
    for one in wanted:
        check_names(list(one.columns), list(source.columns), f"--indicator {one.text!r}")
    key, (by_loss, by_risk) = Key.fresh(), _about(asked, stated.scenarios)
    more = _for_the_page(stated.scenarios, (by_loss, by_risk)) if page is not None else ()
    with progress("comparing") as show:
        found = plan.compare(
            source,
            plans,
            by_loss,
            by_risk,
            measures=more,
            scenarios=stated.scenarios,
            utility=stated.project.utility if stated.project is not None else (),
            draws=draws,
            seed=key,
            progress=show,
        )
    limits = _limits(found, stated.scenarios, max_loss, max_risk)
    _show(found, limits)
    searched = {} if stated.project is None else stated.project.search
    notes = (_OF_THE_SEARCH,) if searched.get("at_most") or searched.get("require") else ()
    for note in notes:
        out.print(note, markup=False)
    with written_together(outputs) as places:
        if map_file is not None:
            write_text(places["--map"], map_of_trials(found, limits=limits) + "\n", private=True)
        if json_file is not None:
            write_text(places["--json"], found.to_text() + "\n", private=True)
        if page is not None:
            shown = beside(source, found, key, _own_figures(indicator, stated.project))
            write_comparison(places["--page"], found, side_by_side=shown, limits=limits, notes=notes)
    for path in (map_file, json_file, page):
        if path is not None:
            out.print(f"Wrote {path} (internal: it holds risk figures).", markup=False)


def _own_figures(said: Sequence[str] | None, project: Project | None) -> tuple[str, ...]:
    """The figures to show side by side: those said, and those of the project that are one number each."""
    goals = () if project is None else project.utility
    return tuple(dict.fromkeys((*(said or ()), *(one.expression for one in goals if one.expression))))


def _measure(name: str | None) -> Measure | None:
    """The measure of a name; an unknown one is an error before anything runs."""
    from microveil.plan.objectives import objective

    return None if name is None else objective(name)


def _check_limits(asked: tuple[Measure | None, Measure | None], *limits: float | None) -> None:
    """Refuse what is no limit, and the largest value of a figure of which more is better."""
    for measure, limit, option in zip(asked, limits, ("--max-loss", "--max-risk"), strict=True):
        if limit is not None and not 0 <= limit < inf:
            raise BadInput(f"{option} {limit} is no limit; give a number that is not below 0")
        if measure is not None and limit is not None and measure.better == "higher":
            raise BadInput(f"more of {measure.name} is better, so that it has no largest value; leave {option} out")


def _about(
    asked: tuple[Measure | None, Measure | None], scenarios: Sequence[Scenario]
) -> tuple[Measure | None, Measure | None]:
    """The measures of loss and risk about the scenarios of the project, where it states some."""
    loss, risk = asked
    return loss, None if risk is None else risk.take_scenarios(scenarios, ())


def _for_the_page(scenarios: Sequence[Scenario], both: tuple[Measure | None, Measure | None]) -> tuple[Measure, ...]:
    """What is measured besides, so that the reader of the page can choose: all that takes seconds."""
    from microveil.plan.evaluation import QUICK, choose_measures

    taken = {measure.name for measure in both if measure is not None}
    return tuple(measure for measure in choose_measures(QUICK, scenarios) if measure.name not in taken)


def _limits(
    found: Comparison, scenarios: Sequence[Scenario], max_loss: float | None, max_risk: float | None
) -> dict[str, float]:
    """The limits of figures by their names: those said, and the shares that scenarios tolerate."""
    from microveil.report import limits_of_scenarios

    limits = limits_of_scenarios(scenarios)
    measures = next((trial.measures for trial in found if trial.measures is not None), None)
    for measure, limit in zip(measures or (), (max_loss, max_risk), strict=False):
        if limit is not None:
            limits[measure.name] = limit
    return limits


def _show(found: Comparison, limits: Mapping[str, float]) -> None:
    from microveil.report import limits_kept

    show_table(found.head, found.rows, right=found.head[1:])
    stated = bool(limits) or bool(found.about_limits)
    judged = tuple(map(str, limits_kept(found, limits))) if stated else (_NO_LIMITS,)
    again = (_MORE_DRAWS,) if found.may_be_chance else ()
    for text in (*found.problems, found.sentence, *judged, found.about_draws, *again):
        out.print(text, markup=False)
