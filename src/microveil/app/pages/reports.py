"""Reports that runs and jobs wrote, opened in the browser as they are."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from microveil.app.paths import below
from microveil.app.workspace import Workspace
from microveil.core.errors import MicroveilError
from microveil.package.names import INSIDE, PACKAGE, REPORT, SIGN_OFF
from microveil.package.numbering import NUMBER, RUNS
from microveil.report.live_map import map_policy

_OF_RUNS = {
    "report": f"{INSIDE}/{REPORT}.html",
    "sign_off": f"{INSIDE}/{SIGN_OFF}.html",
    "users": f"{PACKAGE}/{REPORT}.html",
}
_OF_JOBS = {"report": "report.html", "risk": "risk.html"}


def _of_run(request: Request) -> Response:
    number, which = request.path_params["number"], request.path_params["which"]
    if not NUMBER.fullmatch(number) or which not in _OF_RUNS:
        raise HTTPException(404)
    return _page(request, Path(RUNS) / number / _OF_RUNS[which])


def _of_job(request: Request) -> Response:
    space: Workspace = request.app.state.space
    job = space.jobs.find(request.path_params["number"])
    name = _OF_JOBS.get(request.path_params["which"])
    if job is None or name is None:
        raise HTTPException(404)
    return _page(request, (job.folder / name).relative_to(space.folder))


def _page(request: Request, named: Path) -> Response:
    """A whole report: it may run the one script of its map, and nothing else."""
    space: Workspace = request.app.state.space
    try:
        text = below(space.folder, named.as_posix()).read_text(encoding="utf-8")
    except (OSError, MicroveilError):
        raise HTTPException(404) from None
    answer = Response(text, media_type="text/html")
    answer.headers["Content-Security-Policy"] = f"{map_policy()}; frame-ancestors 'none'"
    return answer


ROUTES = [Route("/runs/{number}/{which}", _of_run), Route("/jobs/{number}/page/{which}", _of_job)]
