"""`microveil search`: the best plan for a project, found by trying many."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from microveil.cli.console import counted, out, progress, show_table
from microveil.cli.reading import say_broken_rules, say_how_read
from microveil.cli.stopping import note_begun, note_written
from microveil.core.errors import BadInput, OverLimit

if TYPE_CHECKING:
    from microveil.plan import Project
    from microveil.study import Study

PAGE = "study.html"


def search(
    project: Annotated[Path, typer.Argument(help="the project file")],
    budget: Annotated[
        str | None, typer.Option(metavar="TIME", help='how long, as "5 min" or "40 trials"; left out: 60 s')
    ] = None,
    trials: Annotated[int | None, typer.Option(help="how many plans to try, in place of a time")] = None,
    workers: Annotated[int, typer.Option(help="how many processes try plans side by side")] = 2,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="where the study is kept; left out: study, beside the project")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="go on with the study in the folder")] = False,
    write_back: Annotated[bool, typer.Option("--write-back", help="put the recommended plan into the project")] = False,
) -> None:
    """Try methods and parameters on the data of a project and recommend a plan; nothing is released."""
    from microveil.plan import Project
    from microveil.report import write_study_page
    from microveil.study.journal import NAME

    stated = Project.load(project)
    place = folder if folder is not None else project.parent / "study"
    journal = place / NAME
    _check_folder(journal, resume)
    data = stated.read(project.parent)
    say_how_read(data)
    say_broken_rules(data)
    with progress("searching") as show:
        told = note_begun(journal, "go on with --resume", show)
        found = _search(stated, data, budget, trials, workers=workers, folder=place, progress=told)
    page = place / PAGE
    write_study_page(page, found)
    note_written(page)
    _show(found)
    out.print(f"Wrote {page} (internal: it holds risk figures).", markup=False)
    if not found.keeping():
        raise OverLimit(found.nearest_said())
    if write_back:
        _check_confirmed(project, found)
        _write_back(project, found)


def _check_folder(journal: Path, resume: bool) -> None:
    if journal.exists() and not resume:
        raise BadInput(
            f"there is a study in {journal.parent} ; say --resume to go on with it, or give --folder another name"
        )
    if resume and not journal.exists():
        raise BadInput(f"there is no study in {journal.parent} to go on with; leave --resume out to begin one")


def _search(stated: Project, data: Any, budget: str | None, trials: int | None, **how: Any) -> Study:
    """The search that a project asks for; what the command line says of time counts more."""
    from microveil.study import search as search_plans

    asked = dict(stated.search)
    said = asked.pop("budget", None)
    plans = [] if stated.plan is None else [stated.plan]
    time = budget if budget is not None or trials is not None else said
    how |= {"scenarios": stated.scenarios, "utility": stated.utility}
    return search_plans(data, budget=time, trials=trials, plans=plans, **asked, **how)


def _show(found: Study) -> None:
    if found.rows:
        show_table(found.head, found.rows, right=found.head[1:3])
    for text in (*found.notes, *found.recommendation()):
        out.print(text, markup=False)


def _check_confirmed(project: Path, found: Study) -> None:
    if not found.is_confirmed:
        raise OverLimit(
            f"the recommended plan was not confirmed under fresh keys, so that {project} was left as it was; go on "
            "with --resume and a longer --budget"
        )


def _write_back(project: Path, found: Study) -> None:
    from microveil.io import read_text, write_text
    from microveil.plan import with_plan

    chosen = found.best()
    why = f"chosen by microveil search among {counted(len(found.trials), 'plan')}"
    write_text(project, with_plan(read_text(project), chosen.plan, why))
    note_written(project)
    out.print(f"Wrote the recommended plan into {project}.", markup=False)
