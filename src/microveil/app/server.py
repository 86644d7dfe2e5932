"""The app: pages and parts behind a door that lets in whoever has the link."""

from __future__ import annotations

import subprocess
from collections.abc import Collection
from importlib.resources import files
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from microveil.app.guard import Guard
from microveil.app.pages import ROUTES
from microveil.app.templating import environment, style
from microveil.app.visit import MOST_FIELDS, OTHERS, STEPS, sentence
from microveil.app.workspace import Workspace
from microveil.core.errors import MicroveilError
from microveil.report.live_map import map_script

HTMX = "htmx-4.0.1.min.js"
_KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_FAULT = (
    "This is a fault of microveil, not of yours; nothing was changed. Please report it to its maintainers, with what "
    "you did and the lines that the terminal shows."
)


def create_app(
    project: str | Path,
    token: str,
    hosts: Collection[str],
    scheme: str = "http",
    warming: subprocess.Popen[bytes] | None = None,
) -> Guard:
    """The app for one project file, which need not exist yet; `hosts` are the names with port that it answers to.

    `warming` is the process that compiles loops after the first start: pages tell of it while it lasts.
    """
    app = Starlette(
        routes=[Route("/", _begin), Route("/static/{name}", _static), *ROUTES],
        exception_handlers={
            HTTPException: _refused,
            MicroveilError: _unreadable,
            OSError: _out_of_reach,
            ClientDisconnect: _left,
            Exception: _failed,
        },
    )
    app.state.space = Workspace(Path(project))
    app.state.space.jobs.sweep()
    app.state.warming = warming
    return Guard(app, token, hosts, scheme)


def _begin(_: Request) -> Response:
    return RedirectResponse(STEPS[0][0], status_code=303)


def _static(request: Request) -> Response:
    """Our own files: the style that reports have too, the scripts."""
    name = request.path_params["name"]
    known = {"report.css": style, "map.js": map_script}
    folder = files("microveil.app").joinpath("static")
    if name in known:
        text = known[name]()
    elif name in {"app.css", "app.js", HTMX}:
        text = folder.joinpath(name).read_text(encoding="utf-8")
    else:
        raise HTTPException(404)
    return Response(text, media_type=_KINDS[Path(name).suffix])


def _refused(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    said = {404: "There is no such page here.", 405: "This page cannot be asked for in this way."}
    said[400] = f"The form could not be read, or has more than {MOST_FIELDS:,} fields; nothing was changed."
    why = said.get(problem.status_code, "This request cannot be answered.")
    return _plain(request, problem.status_code, f"{why} Choose a page of the list.")


def _unreadable(request: Request, problem: Exception) -> Response:
    """The project file itself cannot be opened as text: no page can show or mend it."""
    assert isinstance(problem, MicroveilError)
    space: Workspace = request.app.state.space
    return _plain(request, 422, f"The project cannot be read: {space.from_here(sentence(problem))}")


def _out_of_reach(request: Request, problem: Exception) -> Response:
    """A full disk, a folder that may not be written, a file where a folder should be: for people to mend."""
    assert isinstance(problem, OSError)
    name = f" {Path(problem.filename).name!r}" if isinstance(problem.filename, str) else ""
    why = problem.strerror or type(problem).__name__
    return _plain(
        request,
        422,
        f"A file{name} in the folder of the project cannot be read or written ({why}). Mend that, and "
        "load the page again.",
    )


def _left(_: Request, __: Exception) -> Response:
    """Somebody closed the page in the middle of a form: nobody is there to be told, and it is no fault of ours."""
    return Response(status_code=400)


def _failed(request: Request, _: Exception) -> Response:
    return _plain(request, 500, _FAULT)


def _plain(request: Request, status: int, error: str) -> Response:
    """A page that knows nothing of the project, since that may be what failed."""
    text = (
        environment()
        .get_template("lost.html")
        .render(title="microveil", here=request.url.path, pages=STEPS, apart=OTHERS, error=error)
    )
    return Response(text, status, media_type="text/html")
