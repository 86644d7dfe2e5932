"""Any two files below the folder: loss and risk, IL and PIL, attacks, a report."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import Response

from microveil.app.calls.releasing import LOG
from microveil.app.paths import data_files, there
from microveil.app.visit import Visit, page
from microveil.core.errors import BadInput
from microveil.core.open_types import Json
from microveil.package.names import INSIDE, PACKAGE
from microveil.package.numbering import RUNS


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
        original=(original := str(visit.form.get("original") or asked.get("original") or path)),
        protected=str(visit.form.get("protected") or asked.get("protected") or _likely(files, original)),
        logs=[("auto", "that of its run, where it is of one"), ("none", "none: as a stranger who has the files alone")]
        + [(name, name) for name in _logs(space.folder)],
        log=str(visit.form.get("log") or asked.get("log_asked") or "auto"),
        about=path,
        with_project=not visit.form or bool(visit.form.get("with_project")),
        job=job,
        last=last,
        old=bool(asked.get("with_project")) and visit.is_old(last),
        anew=visit.written_anew(last),
    )


def _likely(files: list[str], original: str) -> str:
    """The newest package, else any file that is not the original."""
    others = [name for name in files if name != original]
    packages = [name for name in others if name.startswith(f"{RUNS}/")]
    return max(packages, default="") or next(iter(others), "")


def _logs(folder: Path) -> list[str]:
    """The private logs of runs, and others beside the project, the newest first."""
    found = [*folder.glob(f"{RUNS}/*/{INSIDE}/{LOG}"), *folder.glob("*log*.json"), *folder.glob("private/*.json")]
    return [path.relative_to(folder).as_posix() for path in sorted(found, reverse=True)]


def _log_of(visit: Visit, protected: Path) -> Json:
    """The log that tells who is who: the one that was named, or that of the run which the protected file is of."""
    asked = str(visit.form.get("log", "auto"))
    if asked == "none":
        return {"log_asked": asked}
    folder = visit.space.folder
    own = protected.parent.parent / INSIDE / LOG
    if asked == "auto":
        is_of_run = protected.parent.name == PACKAGE and own.is_file()
        return {"log": own.relative_to(folder).as_posix()} if is_of_run else {}
    return {"log": there(folder, asked).relative_to(folder).as_posix(), "log_asked": asked}


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
    return visit.start("pair", {**settings, "with_project": with_project, **_log_of(visit, protected)})


ROUTES = page("/pair", show, save, needs=False)
