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
    goals, published, earlier = _sent(visit) if visit.form else _stated(visit.project)
    known = visit.project.columns
    named = {name for one in goals for name in (one.get("of"), *(one.get("by") or ()), *(one.get("table") or ()))}
    named |= {one.get("of") for one in published}
    columns = [name for name, facts in known.items() if facts.get("role") != "identifier" or name in named]
    by = {name for one in goals for name in (*(one.get("by") or ()), *(one.get("table") or ()))}
    in_tables = [name for name in columns if known[name].get("kind", "continuous") != "continuous" or name in by]
    return visit.page(
        "figures.html",
        "Figures",
        goals=[figure_forms.shown_goal(number, spec) for number, spec in enumerate(goals)],
        new=[figure_forms.empty_goal(len(goals) + i, kind) for i, kind in enumerate(figure_forms.KINDS)],
        kinds=figure_forms.KINDS,
        statistics=[(one, one) for one in STATISTICS],
        published=[figure_forms.shown_published(number, spec) for number, spec in enumerate(published)],
        empty=figure_forms.shown_published(len(published), {}),
        of_published=[(one, one) for one in PUBLISHED_STATISTICS],
        columns=[("", "none: records are counted"), *((name, name) for name in columns)],
        categories=[(name, name) for name in in_tables],
        earlier="\n".join(earlier),
    )


def _stated(project: Project) -> tuple[list[Json], list[Json], list[str]]:
    release = release_spec(project.release)
    return [goal.to_spec() for goal in project.utility], release.get("published", []), release.get("earlier", [])


def _sent(visit: Visit) -> tuple[list[Json], list[Json], list[str]]:
    goals, published, _ = _stated(visit.project)
    seen = looked(visit)
    try:
        found = figure_forms.goals_in(visit.form, goals, seen), figure_forms.published_in(visit.form, published, seen)
    except BadInput:
        found = goals, published  # a refused form is told with its reason; what cannot be read cannot be shown
    return *found, _lines(visit)


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
