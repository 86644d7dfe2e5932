"""Jobs: the part of a page that tells how far one is, and the button that ends it."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from microveil.app.calls import CALLS
from microveil.app.jobs import Job
from microveil.app.templating import environment
from microveil.app.visit import Visit, page, part

# the page on which each kind of job is told
HOMES = {
    "inspect": "/data",
    "risk": "/risk",
    "compare": "/compare",
    "search": "/search",
    "run": "/release",
    "audit": "/release",
    "pair": "/pair",
}


def _job(visit: Visit) -> Job:
    found = visit.space.jobs.find(visit.request.path_params["number"])
    if found is None:
        raise HTTPException(404)
    return found


def show(visit: Visit) -> Response:
    """A job is told on the page of its kind."""
    job = _job(visit)
    return visit.again(str(job.settings.get("page") or HOMES.get(job.what, "/data")), f"job-{job.number}")


def tell(visit: Visit) -> Response:
    """How far a job is; once it has ended the whole page is loaded anew."""
    job = _job(visit)
    ui = environment().get_template("job.html")
    page_of = str(job.settings.get("page") or HOMES.get(job.what, "/data"))
    answer = HTMLResponse(ui.render(one=job, calls=CALLS, here=page_of, picture=job.file("map.svg")))
    if not job.running:
        answer.headers["HX-Refresh"] = "true"
    return answer


def cancel(visit: Visit) -> Response:
    """End a job and go back to its page."""
    job = _job(visit)
    visit.space.jobs.cancel(job.number)
    return show(visit)


ROUTES = [
    *page("/jobs/{number}", show, needs=False),
    part("/jobs/{number}/part", tell, needs=False),
    *page("/jobs/{number}/cancel", show, cancel, needs=False),
]
