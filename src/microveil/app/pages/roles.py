"""Roles and kinds of all columns, with the reasons for what was proposed."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from microveil.app.looking import ColumnFacts, Looked, looked
from microveil.app.visit import Visit, page
from microveil.core.errors import BadInput
from microveil.core.words import counted
from microveil.data.schema import KINDS, ROLES
from microveil.plan import with_section
from microveil.plan.project_sections import reasons_in

MEANINGS = {
    "identifier": "names somebody (name, number, address); it is never released",
    "key": "others may know it of a person (age, sex, region, occupation)",
    "confidential": "nobody should learn it (income, health)",
    "other": "neither",
    "weight": "how many in the population a record stands for",
    "household": "who lives together",
    "stratum": "how the sample was drawn",
}


def show(visit: Visit) -> Response:
    """A line for each column, to be changed."""
    seen, reasons = looked(visit), reasons_in(visit.now.text)
    rows = [
        _row(place, name, facts, seen, reasons, visit)
        for place, (name, facts) in enumerate(visit.project.columns.items())
    ]
    return visit.page(
        "roles.html",
        "Roles",
        rows=rows,
        roles=[(role, role) for role in ROLES],
        meanings=[(role, MEANINGS[role]) for role in ROLES],
        kinds=[(kind, kind) for kind in KINDS],
        unstated=[("", "not stated")],
        looked=seen,
        since=seen.since if seen is not None else "",
        differ=sum(bool(row["proposed"]) for row in rows),
        suspects=[(row["name"], row["place"], one) for row in rows for one in row["found"].codes],
    )


def _row(
    place: int, name: str, facts: Any, seen: Looked | None, reasons: dict[str, str], visit: Visit
) -> dict[str, Any]:
    found = seen.columns.get(name) if seen is not None else None
    now = {what: str(visit.form.get(f"{what}-{place}", facts.get(what, ""))) for what in ("role", "kind", "label")}
    return {
        "place": place,
        "name": name,
        **now,
        "found": found or ColumnFacts(name),
        "known": found is not None,
        "why": reasons.get(name) or (found.why if found is not None else ""),
        "proposed": found.role if found is not None and found.role != facts.get("role", "other") else "",
        "hierarchy": bool(facts.get("hierarchy")),
        "unstated": [what for what in ("role", "kind") if not facts.get(what)],
    }


def save(visit: Visit) -> Response:
    """Keep the roles, kinds and labels as the form says them; all else about a column stays."""
    columns: dict[str, dict[str, Any]] = {}
    seen, changed = looked(visit), []
    for place, (name, facts) in enumerate(visit.project.columns.items()):
        new = dict(facts)
        for what in ("role", "kind", "label"):
            given = str(visit.form.get(f"{what}-{place}", facts.get(what, ""))).strip()
            if given:
                new[what] = given
            else:
                new.pop(what, None)
        if new.get("role") == "weight" != facts.get("role"):
            _check_weight(name, seen.columns.get(name) if seen is not None else None)
        columns[name] = new
        changed += [name] if new != facts else []
    why = f"roles, kinds or labels of {', '.join(changed[:4])}{' and others' if len(changed) > 4 else ''}"
    return visit.save(lambda text: with_section(text, "columns", columns), why)


def _check_weight(name: str, found: ColumnFacts | None) -> None:
    """Gaps in weights are told at once, not by the first job that needs them."""
    if found is not None and found.missing:
        raise BadInput(
            f"{name} has no value in {counted(found.missing, 'record')}, and a weight says of every record how many it "
            "stands for; fill the gaps in the file, or give the column another role"
        )


ROUTES = page("/roles", show, save)
