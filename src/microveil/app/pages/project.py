"""The whole project as text: for everything that has no form, and for one that cannot be read."""

from __future__ import annotations

from starlette.responses import Response

from microveil.app.looking import check_columns
from microveil.app.visit import Visit, page


def show(visit: Visit) -> Response:
    """The text as it is, or as it was sent and refused."""
    text = str(visit.form.get("text", "")).replace("\r\n", "\n") or visit.now.text
    return visit.page("project.html", "Project as text", text=text)


def save(visit: Visit) -> Response:
    """Keep the text if it can be read, and names columns that are there."""
    text = str(visit.form.get("text", "")).replace("\r\n", "\n").removesuffix("\n") + "\n"
    return visit.save(lambda _: check_columns(visit, text), "the project as text")


ROUTES = page("/project", show, save, needs=False)
