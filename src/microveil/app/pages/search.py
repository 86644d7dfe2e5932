"""The search for the best plan: what it may take, the map that grows, and the plan to take over."""

from __future__ import annotations

import json

from starlette.responses import Response

from microveil.app import search_form
from microveil.app.calls.searching import BODY, MAP, PLANS
from microveil.app.fields import number_in, whole_in
from microveil.app.jobs import Job
from microveil.app.visit import Visit, page
from microveil.core.errors import BadInput
from microveil.core.open_types import Json
from microveil.plan import Plan, with_plan, with_section
from microveil.study.budget import budget_of

_LIMIT, _WHOLE = "worst-case", 100
_PROTECTED = ("key", "confidential", "other")


def show(visit: Visit) -> Response:
    """The last study, and the button that begins one."""
    jobs = visit.space.jobs
    job, done = jobs.last("search"), jobs.last("search", done=True)
    asked = visit.project.search
    limits = dict(asked.get("at_most") or {})
    sent = search_form.SENT in visit.form
    methods = visit.form.getlist("methods") if sent else search_form.allowed_methods(asked)
    columns = visit.form.getlist("columns") if sent else asked.get("columns") or []
    return visit.page(
        "search.html",
        "Search",
        job=job,
        done=done,
        old=visit.is_old(done),
        anew=visit.written_anew(done),
        body=done.file(BODY) if done is not None else "",
        picture=job.file(MAP) if job is not None and job.running else "",
        plans=[{**one, "own": Plan.from_mapping(one["plan"]) == visit.project.plan} for one in _plans(done)],
        budget=str(visit.form["budget"] if "budget" in visit.form else asked.get("budget") or "60 s"),
        limit=str(visit.form["limit"] if "limit" in visit.form else limits.get(_LIMIT, "")),
        others=search_form.said_besides(asked),
        families=search_form.families(),
        methods=methods,
        narrowed=bool(columns or asked.get("methods") or asked.get("without") or (sent and visit.error)),
        columns=columns,
        options=[
            (name, f"{name} ({facts.get('role', 'other')})")
            for name, facts in visit.project.columns.items()
            if facts.get("role") in _PROTECTED or name in columns
        ],
        resumable=job is not None
        and job.state in ("cancelled", "lost")
        and (visit.space.folder / _place(job)).is_dir(),
    )


def _plans(job: Job | None) -> list[Json]:
    text = job.file(PLANS) if job is not None else ""
    return json.loads(text) if text else []


def _place(job: Job) -> str:
    return str(job.settings.get("folder", "none"))


def save(visit: Visit) -> Response:
    """Begin, go on, or take a plan of the study into the project."""
    act = str(visit.form.get("act", ""))
    if act == "take":
        return _take(visit)
    jobs = visit.space.jobs
    last = jobs.last("search")
    if act == "resume":
        if last is None:
            raise BadInput("there is no search to go on with; begin one")
        return visit.start("search", {**last.settings, "resume": True})
    budget = str(visit.form.get("budget", "")).strip()
    budget_of(budget or None, None)
    jobs.check_free()  # a refused form changed nothing
    _keep(visit, budget)
    number = 1 + max((int(job.number) for job in jobs.all()), default=0)
    folder = visit.space.work.relative_to(visit.space.folder) / "studies" / f"{number:04d}"
    fresh = Visit(visit.request, visit.space, visit.space.now(), form=visit.form)
    return fresh.start("search", {"budget": budget, "folder": folder.as_posix()})


def _keep(visit: Visit, budget: str) -> None:
    """What it may take and try is stated in the project, so that the command does the same."""
    stated = search_form.asked_in(visit.form, visit.project.search)
    at_most = {name: value for name, value in (stated.get("at_most") or {}).items() if name != _LIMIT}
    at_most |= _limit(str(visit.form.get("limit", "")).strip())
    new = {**stated, "at_most": at_most, "budget": budget}
    new = {name: value for name, value in new.items() if value}
    if new != visit.project.search:
        visit.space.save(
            lambda text: with_section(text, "search", new),
            str(visit.form.get("base", "")),
            "what a search may take and try",
        )


def _limit(given: str) -> Json:
    """The largest tolerated worst case, where one is stated."""
    limit = number_in(given, given)
    if isinstance(limit, int | float) and not 0 <= limit <= _WHOLE:
        raise BadInput(f"the largest tolerated worst case is {given}; give per cent of records from 0 to {_WHOLE}")
    return {_LIMIT: limit} if given else {}


def _take(visit: Visit) -> Response:
    job = visit.space.jobs.find(str(visit.form.get("of", "")))
    plans = _plans(job if job is not None and job.what == "search" else None)
    number = whole_in(visit.form, "number")
    if number >= len(plans):
        raise BadInput("there is no such plan any more; load the page again")
    chosen = Plan.from_mapping(plans[number]["plan"])
    why = f"chosen from a search: {plans[number]['label']}"
    version = visit.space.save(lambda text: with_plan(text, chosen, why), str(visit.form.get("base", "")), why)
    return visit.again("/methods", saved=str(version.number))


ROUTES = page("/search", show, save)
