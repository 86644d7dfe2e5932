"""Two plans side by side, or one tried by itself: versions of the project are plans, and so are files."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from starlette.responses import Response

from microveil.app.calls.comparing import BODY
from microveil.app.fields import number_in
from microveil.app.jobs import Job
from microveil.app.paths import there
from microveil.app.visit import Visit, page
from microveil.core.errors import BadInput, MicroveilError
from microveil.io import read_text
from microveil.loss.indicator_language import Indicator
from microveil.plan import Project

_MOST = 60
_MOST_DRAWS = 50


def show(visit: Visit) -> Response:
    """The last comparison, and what can be compared."""
    jobs = visit.space.jobs
    job, done = jobs.last("compare"), jobs.last("compare", done=True)
    options = _options(visit)
    plans = _last_compared(done, options)
    return visit.page(
        "compare.html",
        "Compare",
        job=job,
        old=visit.is_old(done) or _is_of_another_plan(visit, done),
        anew=visit.written_anew(done),
        body=done.file(BODY) if done is not None else "",
        options=options,
        called=_called(done, options),
        first=str(visit.form.get("first", plans[0])),
        second=str(visit.form.get("second", plans[1])),
        draws=str(visit.form.get("draws") or (done.settings.get("draws", 1) if done is not None else 1)),
        indicators=str(visit.form["indicators"])
        if "indicators" in visit.form
        else "\n".join((done.settings if done else {}).get("indicators", ())),
    )


def _last_compared(done: Job | None, options: list[tuple[str, str]]) -> tuple[str, str]:
    """The two plans that were compared last, while both can be chosen; else the newest and the one before it."""
    names = [name for name, _ in options]
    asked = list(done.settings["plans"]) if done is not None else []
    if len(asked) > 1 and set(asked) <= set(names):
        return str(asked[0]), str(asked[1])
    return next(iter(names), ""), names[1] if len(names) > 1 else ""


def _is_of_another_plan(visit: Visit, done: Job | None) -> bool:
    """Whether the plan as it is now was tried, and is another one by now."""
    tried = done is not None and visit.space.path.name in done.settings["plans"]
    return tried and done is not None and done.plan != visit.now.mark_of(("plan",))


def _options(visit: Visit) -> list[tuple[str, str]]:
    """The project as it is and its versions, each plan once, the newest first."""
    found: list[tuple[str, str]] = []
    seen: list[object] = []
    if visit.project.plan is not None:
        found.append((visit.space.path.name, "the plan as it is now"))
        seen.append(visit.project.plan)
    for version in list(reversed(visit.space.versions.all()))[:_MOST]:
        plan = _plan_in(version.path)
        if plan is not None and plan not in seen:
            seen.append(plan)
            place = version.path.relative_to(visit.space.folder).as_posix()
            found.append((place, f"version {version.number}: {version.why}"))
    return found


@lru_cache(maxsize=512)
def _plan_in(path: Path) -> object:
    """The plan of a version, which never changes."""
    try:
        return Project.from_text(read_text(path)).plan
    except MicroveilError:
        return None


def _called(done: Job | None, options: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The plans that were compared: what figures call them, and what they are; some may have gone since."""
    known = dict(options)
    return [(Path(path).stem, known.get(path, path)) for path in (done.settings["plans"] if done is not None else ())]


def save(visit: Visit) -> Response:
    """Run and measure the plans that were chosen."""
    chosen = [str(visit.form.get(name, "")) for name in ("first", "second")]
    named = [there(visit.space.folder, one) for one in chosen if one]
    if not named:
        raise BadInput("choose a plan; the page Methods makes one")
    if len(named) == 2 and named[0] == named[1]:
        raise BadInput("both plans are the same; choose two, or leave the second one out")
    indicators = [line.strip() for line in str(visit.form.get("indicators", "")).splitlines() if line.strip()]
    for one in indicators:
        Indicator(one)
    plans = [path.relative_to(visit.space.folder).as_posix() for path in named]
    draws = number_in(str(visit.form.get("draws") or 1), 0)
    if not isinstance(draws, int) or not 1 <= draws <= _MOST_DRAWS:
        raise BadInput(f"each plan is run {visit.form.get('draws')} times; give a whole number from 1 to {_MOST_DRAWS}")
    known = {"path": visit.project.path, "draws": draws}
    return visit.start("compare", {"plans": plans, "indicators": indicators, **known})


ROUTES = page("/compare", show, save)
