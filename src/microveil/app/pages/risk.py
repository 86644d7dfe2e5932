"""The risk of the file as it is: pictures, the riskiest records and why."""

from __future__ import annotations

from starlette.responses import Response

from microveil.app.calls.assessing import BODY
from microveil.app.visit import Visit, page


def show(visit: Visit) -> Response:
    """The last figures, and the button that measures anew."""
    job = visit.space.jobs.last("risk")
    done = visit.space.jobs.last("risk", done=True)
    return visit.page(
        "risk_before.html",
        "Risk before",
        job=job,
        old=visit.is_old(done),
        anew=visit.written_anew(done),
        body=done.file(BODY) if done is not None else "",
        keys=[name for name, facts in visit.project.columns.items() if facts.get("role") == "key"],
    )


def save(visit: Visit) -> Response:
    """Measure."""
    return visit.start("risk", {"path": visit.project.path})


ROUTES = page("/risk", show, save)
