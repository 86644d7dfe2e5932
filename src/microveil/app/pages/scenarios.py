"""Scenarios: who might attack, knowing what, and what is tolerated."""

from __future__ import annotations

from starlette.responses import Response

from microveil.app.fields import count_in, number_in, ticked
from microveil.app.left_alone import unattacked_keys
from microveil.app.looking import looked
from microveil.app.visit import Visit, page
from microveil.core.open_types import Json
from microveil.measure import Scenario
from microveil.plan import with_section


def show(visit: Visit) -> Response:
    """Every scenario as a form, and an empty one."""
    stated = _sent(visit) if visit.form else [one.to_spec() for one in visit.project.scenarios]
    named = {name for one in stated for name in (*(one.get("keys") or ()), *(one.get("known") or ()))}
    return visit.page(
        "scenarios.html",
        "Scenarios",
        scenarios=[_shown(one) for one in stated],
        forgotten=unattacked_keys(visit.project),
        columns=[
            (name, name)
            for name, facts in visit.project.columns.items()
            if facts.get("role") not in ("identifier", "household") or name in named
        ],
    )


def _shown(spec: Json) -> Json:
    limits = spec.get("thresholds") or {}
    return {
        "name": spec.get("name", ""),
        "keys": spec.get("keys") or [],
        "known": spec.get("known") or [],
        "risk": limits.get("risk", ""),
        "share": limits.get("share", ""),
    }


def _sent(visit: Visit) -> list[Json]:
    """The scenarios as the form says them; one without name, keys and known is left out."""
    found: list[Json] = []
    stated = visit.project.scenarios
    for number in range(count_in(visit.form, "count") + 1):
        if visit.form.get(f"remove-{number}"):
            continue
        name = str(visit.form.get(f"name-{number}", "")).strip()
        old = stated[number] if number < len(stated) else None
        keys = ticked(visit.form, f"keys-{number}", old.keys if old is not None else ())
        known = ticked(visit.form, f"known-{number}", old.known if old is not None else ())
        limits = {
            what: number_in(given, given)
            for what in ("risk", "share")
            if (given := str(visit.form.get(f"{what}-{number}", "")).strip())
        }
        if name or keys or known:
            spec: Json = {"name": name, "keys": keys, "known": known, "thresholds": limits}
            found.append({what: value for what, value in spec.items() if value or what == "name"})
    return found


def save(visit: Visit) -> Response:
    """Keep the scenarios."""
    scenarios = [Scenario.from_spec(spec) for spec in _sent(visit)]
    seen = looked(visit)
    before = (name for one in visit.project.scenarios for name in one.columns)  # what stands there may stay
    known = list(dict.fromkeys((*visit.project.columns, *(seen.columns if seen is not None else ()), *before)))
    for one in scenarios:
        one.check_columns(known)
    stated = [one.to_spec() for one in scenarios]
    return visit.save(lambda text: with_section(text, "scenarios", stated), "scenarios and limits")


ROUTES = page("/scenarios", show, save)
