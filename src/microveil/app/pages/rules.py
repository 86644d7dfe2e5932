"""Rules that every record satisfies: those that were found, and those that somebody states."""

from __future__ import annotations

from starlette.responses import Response

from microveil.app.looking import looked
from microveil.app.visit import Visit, page
from microveil.core.edits import parse_edit
from microveil.data.schema import check_names
from microveil.plan import with_section


def show(visit: Visit) -> Response:
    """The rules of the project, with those that were found in the data beside them."""
    stated = list(visit.project.constraints)
    seen = looked(visit)
    rules = {one["text"]: one for one in (seen.rules if seen is not None else ())}
    own = [text for text in stated if text not in rules]
    sent = bool(visit.form)
    job = visit.space.jobs.last("inspect")
    return visit.page(
        "rules.html",
        "Rules",
        job=job if job is not None and job.settings.get("page") == "/rules" else None,
        found=list(rules.values()),
        chosen=[str(one) for one in visit.form.getlist("rule")] if sent else [one for one in stated if one in rules],
        own=str(visit.form.get("own", "")) if sent else "\n".join(own),
        looked=seen is not None,
        since=seen.since if seen is not None else "",
        unchecked=[] if sent or seen is None else [one for one in own if not set(_plain(one)) <= set(rules)],
        broken=[rules[one] for text in stated for one in _plain(text) if one in rules and rules[one]["broken"]],
        path=visit.project.path,
        amounts=[
            name
            for name, facts in visit.project.columns.items()
            if facts.get("kind") == "continuous" and facts.get("role") != "identifier"
        ],
    )


def _plain(text: str) -> list[str]:
    """A rule as a look tells it, however somebody wrote it."""
    return [str(edit) for edit in parse_edit(text)]


def save(visit: Visit) -> Response:
    """Keep the rules that were ticked or written."""
    written = [line.strip() for line in str(visit.form.get("own", "")).splitlines()]
    rules = list(dict.fromkeys([*(str(one) for one in visit.form.getlist("rule")), *filter(None, written)]))
    known = list(visit.project.columns)
    for rule in rules:
        check_names([name for edit in parse_edit(rule) for name in edit.columns], known, f"the rule {rule!r}")
    return visit.save(lambda text: with_section(text, "constraints", rules), "rules of every record")


ROUTES = page("/rules", show, save)
