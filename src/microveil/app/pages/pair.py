"""Any two files below the folder: loss and risk, IL and PIL, attacks, a report."""

from __future__ import annotations

from starlette.responses import Response

from microveil.app.paths import data_files, there
from microveil.app.visit import Visit, page
from microveil.core.errors import BadInput


def show(visit: Visit) -> Response:
    """The last pair, and the files to choose from."""
    space = visit.space
    files = data_files(space.folder, [space.work])
    last, job = space.jobs.last("pair", done=True), space.jobs.last("pair")
    path = visit.now.project.path if visit.now.project is not None else ""
    asked = last.settings if last is not None else {}
    return visit.page(
        "pair.html",
        "Two files",
        files=files,
        folder=space.folder.name,
        original=str(visit.form.get("original") or asked.get("original") or path),
        protected=str(visit.form.get("protected") or asked.get("protected") or ""),
        about=path,
        job=job,
        last=last,
    )


def save(visit: Visit) -> Response:
    """Measure the pair."""
    folder = visit.space.folder
    original, protected = (there(folder, str(visit.form.get(name, ""))) for name in ("original", "protected"))
    if original == protected:
        raise BadInput("both are the same file; choose the original and its protected version")
    named = {"original": original, "protected": protected}
    settings = {name: path.relative_to(folder).as_posix() for name, path in named.items()}
    stated = visit.now.project
    with_project = bool(visit.form.get("with_project")) and stated is not None
    return visit.start("pair", {**settings, "with_project": with_project})


ROUTES = page("/pair", show, save, needs=False)
