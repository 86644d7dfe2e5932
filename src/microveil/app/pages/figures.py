"""Figures: those that users will compute and that must survive, those that were published, earlier releases."""

from __future__ import annotations

from starlette.responses import Response

from microveil.app import figure_forms
from microveil.app.looking import looked
from microveil.app.paths import below
from microveil.app.visit import Visit, page
from microveil.core.errors import BadInput
from microveil.core.open_types import Json
from microveil.package.names import PACKAGE
from microveil.plan import Project, with_section
from microveil.plan.project_release import PUBLISHED_STATISTICS, release_spec
from microveil.plan.utility_plan import STATISTICS


def show(visit: Visit) -> Response:
    """Every figure as a form, and empty ones of each kind."""
    known, (goals, published, earlier) = visit.project.columns, _stated(visit.project)
    shown = [figure_forms.shown_goal(number, spec) for number, spec in enumerate(goals)]
    new = [figure_forms.empty_goal(len(goals) + i, kind) for i, kind in enumerate(figure_forms.KINDS)]
    totals = [figure_forms.shown_published(number, spec) for number, spec in enumerate(published)]
    totals += [figure_forms.shown_published(len(published), {})]
    if visit.form:  # refused: what was typed is shown again, also what cannot be read
        typed = figure_forms.typed_goals(visit.form)
        shown, new = typed[: len(goals)], typed[len(goals) :] or new
        totals = figure_forms.typed_published(visit.form) or totals
        earlier = _lines(visit)
    by = {name for one in (*shown, *new) for name in one["by"]}
    named = by | {one["of"] for one in (*shown, *new, *totals)}
    columns = [name for name, facts in known.items() if facts.get("role") != "identifier" or name in named]
    in_tables = [name for name in columns if known[name].get("kind", "continuous") != "continuous" or name in by]
    return visit.page(
        "figures.html",
        "Figures",
        goals=shown,
        new=new,
        kinds=figure_forms.KINDS,
        statistics=[(one, one) for one in STATISTICS],
        published=totals[: len(published)],
        empty=totals[-1],
        of_published=[(one, one) for one in PUBLISHED_STATISTICS],
        columns=[("", "none: records are counted"), *((name, name) for name in columns)],
        categories=[(name, name) for name in in_tables],
        earlier="\n".join(earlier),
    )


def _stated(project: Project) -> tuple[list[Json], list[Json], list[str]]:
    release = release_spec(project.release)
    return [goal.to_spec() for goal in project.utility], release.get("published", []), release.get("earlier", [])


def _lines(visit: Visit) -> list[str]:
    return [line.strip() for line in str(visit.form.get("earlier", "")).splitlines() if line.strip()]


def save(visit: Visit) -> Response:
    """Keep the figures; what they speak of must be columns of the file."""
    goals, published, earlier = _stated(visit.project)
    seen = looked(visit)
    new_goals = figure_forms.goals_in(visit.form, goals, seen)
    release = {
        **release_spec(visit.project.release),
        "published": figure_forms.published_in(visit.form, published, seen),
        "earlier": _folders(visit, earlier),
    }
    said = {name: value for name, value in release.items() if value}

    def change(text: str) -> str:
        made = with_section(with_section(text, "utility", new_goals), "release", said)
        Project.from_text(made).check_names(list(visit.project.columns))
        return made

    return visit.save(change, "figures that must survive, or were published")


def _folders(visit: Visit, before: list[str]) -> list[str]:
    """Folders of earlier runs; new ones are looked for below the folder of the project, which the app never leaves."""
    found = _lines(visit)
    for named in found:
        if named not in before and not (below(visit.space.folder, named) / PACKAGE).is_dir():
            raise BadInput(
                f"{named!r} is no folder of an earlier run: there is no {PACKAGE} in it; name it as 2024/runs/0003, "
                "below the folder of the project"
            )
    return found


ROUTES = page("/figures", show, save)
