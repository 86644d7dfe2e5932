"""The first page: which file, and what is in it."""

from __future__ import annotations

from collections import Counter

from starlette.responses import Response

from microveil.app import reading_form
from microveil.app.looking import looked
from microveil.app.paths import data_files, there
from microveil.app.visit import OTHERS, STEPS, Visit, page
from microveil.core.errors import BadInput
from microveil.core.open_types import Json
from microveil.package.numbering import RUNS


def show(visit: Visit) -> Response:
    """The file of the project, or the files to choose from."""
    space, stated = visit.space, visit.now.project
    seen = looked(visit)
    return visit.page(
        "data.html",
        "Data",
        stated=stated,
        looked=seen,
        since=seen.since if seen is not None else "",
        roles=Counter(str(facts.get("role", "other")) for facts in stated.columns.values()) if stated else {},
        reading=reading_form.shown(_reading(visit)),
        files=data_files(space.folder, [space.work, space.folder / RUNS]),
        folder=space.folder.name,
        job=space.jobs.last("inspect"),
        chosen=str(visit.form.get("path", "")) or (stated.path if stated is not None else ""),
        first=dict((*STEPS, *OTHERS)).get(visit.query.get("first", ""), ""),
        there=stated is not None and (space.folder / stated.path).is_file(),
    )


def _reading(visit: Visit) -> Json:
    """How the file is to be read, as a form said that was refused, or a look that did not work."""
    job = visit.space.jobs.last("inspect")
    tried = job.settings.get("reading", {}) if job is not None and job.state != "done" else {}
    return reading_form.stated_in(visit.form) or dict(tried)


def save(visit: Visit) -> Response:
    """Look at a file: a project is written for it, or the file of the project is looked at again."""
    named = str(visit.form.get("path", ""))
    path = there(visit.space.folder, named)
    named = path.relative_to(visit.space.folder).as_posix()
    stated = visit.now.project
    begin = bool(visit.form.get("begin")) or stated is None
    if begin and visit.now.is_there and not visit.form.get("sure"):
        raise BadInput(
            f"there is a project about {stated.path if stated else 'a file'}; tick the box to begin anew with {named} "
            "(the project as it is now stays in the history)"
        )
    if not begin and stated is not None and named != stated.path:
        raise BadInput(
            f"the project is about {stated.path} by now, and not about {named}; look at that file, or begin anew with "
            "this one"
        )
    settings: Json = {"path": named, "begin": begin, "base": visit.now.mark}
    # a file of the project is read as that says, and its command says so too
    said = dict(stated.text) if stated is not None and not begin else reading_form.stated_in(visit.form)
    if said:
        settings["reading"] = said
    back = str(visit.form.get("back", ""))  # the page that asked for a look
    return visit.start("inspect", {**settings, **({"page": back} if back in dict(STEPS) else {})})


ROUTES = page("/data", show, save, needs=False)
