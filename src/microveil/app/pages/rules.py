"""Rules that every record satisfies: those that were found, and those that somebody states."""

from __future__ import annotations

from starlette.responses import Response

from microveil.app.looking import looked
from microveil.app.visit import Visit, page
from microveil.plan import with_section


def show(visit: Visit) -> Response:
    """The rules of the project, with those that were found in the data beside them."""
    stated = list(visit.project.constraints)
    seen = looked(visit)
    rules = {one["text"]: one for one in (seen.rules if seen is not None else ())}
    own = [text for text in stated if text not in rules]
    sent = bool(visit.form)
    return visit.page(
        "rules.html",
        "Rules",
        found=list(rules.values()),
        chosen=[str(one) for one in visit.form.getlist("rule")] if sent else [one for one in stated if one in rules],
        own=str(visit.form.get("own", "")) if sent else "\n".join(own),
        looked=seen is not None,
        amounts=[name for name, facts in visit.project.columns.items() if facts.get("kind") == "continuous"],
    )


def save(visit: Visit) -> Response:
    """Keep the rules that were ticked or written."""
    written = [line.strip() for line in str(visit.form.get("own", "")).splitlines()]
    rules = list(dict.fromkeys([*(str(one) for one in visit.form.getlist("rule")), *filter(None, written)]))
    return visit.save(lambda text: with_section(text, "constraints", rules), "rules of every record")


ROUTES = page("/rules", show, save)
