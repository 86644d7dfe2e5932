"""The history: every saved change with what it changed, the way back, and the runs beside one another."""

from __future__ import annotations

from starlette.responses import Response

from microveil.app.fields import whole_in
from microveil.app.paths import runs_below
from microveil.app.versions import changes
from microveil.app.visit import Visit, page
from microveil.core.errors import BadInput
from microveil.package import compare_runs, history
from microveil.package.past_runs import find_run

_MOST = 100


def show(visit: Visit) -> Response:
    """Versions, the newest first, and two runs compared where they were chosen."""
    versions = list(reversed(visit.space.versions.all()))
    shown = versions[:_MOST]
    rows = [(one, changes(before.shown, one.shown)) for one, before in zip(shown, versions[1:], strict=False)]
    rows += [(versions[-1], [])] if versions and len(versions) <= _MOST else []
    folder = visit.space.folder
    runs = history(folder) if runs_below(folder) else ()
    numbers = {run.number for run in runs}
    chosen = [visit.query.get(name, "") for name in ("one", "other")]
    told: tuple[str, ...] = ()
    if all(chosen):
        if not set(chosen) <= numbers:
            raise BadInput("there is no such run; choose two of the list")
        told = compare_runs(*(find_run(folder, number) for number in chosen))
    return visit.page(
        "history.html",
        "History",
        rows=rows,
        runs=runs,
        chosen=chosen,
        told=told,
        numbers=[(run.number, run.number) for run in runs],
        left_out=len(versions) - len(shown),
    )


def save(visit: Visit) -> Response:
    """Go back to a version: its text becomes the newest one."""
    found = visit.space.versions.find(whole_in(visit.form, "version"))
    if found is None:
        raise BadInput("there is no such version; load the page again")
    return visit.save(lambda _: found.text, f"back to version {found.number}")


ROUTES = page("/history", show, save, needs=False)
