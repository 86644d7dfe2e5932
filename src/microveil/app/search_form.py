"""What a search may try, as a form: methods and columns with ticks, and what the project says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import FormData

from microveil.app.fields import in_a_line, ticked
from microveil.core.errors import BadInput
from microveil.core.open_types import Json
from microveil.core.registry import registered
from microveil.run.method import Method

SENT = "ticks"  # an input that says that the ticks were on the page: a browser sends none of those that are not set
_IN_FORM = ("budget", "at_most", "methods", "without", "columns")


@dataclass(frozen=True)
class MethodFamily:
    """The methods of one family, each with its first sentence."""

    title: str
    members: tuple[tuple[str, str], ...]


def families() -> list[MethodFamily]:
    """Every method by its family."""
    found: dict[str, list[tuple[str, str]]] = {}
    for cls in registered(Method):
        found.setdefault(cls.described.title or cls.family, []).append((cls.name, cls.summary()))
    return [MethodFamily(title, tuple(members)) for title, members in found.items()]


def allowed_methods(asked: Mapping[str, Any]) -> list[str]:
    """The methods that a search may try, by what the project says."""
    wanted, without = asked.get("methods"), asked.get("without") or ()
    return [name for name in _known() if (not wanted or name in wanted) and name not in without]


def asked_in(form: FormData, asked: Mapping[str, Any]) -> Json:
    """The search section as the ticks say it; what they do not change stays as somebody wrote it."""
    if SENT not in form:
        return dict(asked)
    new = dict(asked)
    chosen = [str(name) for name in form.getlist("methods")]
    if not chosen:
        raise BadInput("no method is ticked, and a search needs some to try; tick at least one")
    if set(chosen) != set(allowed_methods(asked)):
        new = {name: value for name, value in new.items() if name not in ("methods", "without")}
        new |= _in_few_words(chosen)
    columns = ticked(form, "columns", asked.get("columns") or ())
    return {
        **{name: value for name, value in new.items() if name != "columns"},
        **({"columns": columns} if columns else {}),
    }


def _in_few_words(chosen: Sequence[str]) -> Json:
    """Those to try or those to leave out, whichever are fewer; nothing where all may be tried."""
    out = [name for name in _known() if name not in chosen]
    if not out:
        return {}
    return {"without": out} if len(out) <= len(chosen) else {"methods": list(chosen)}


def said_besides(asked: Mapping[str, Any]) -> str:
    """What the section says that the form does not ask for, as a project file would."""
    others = {name: value for name, value in asked.items() if name not in _IN_FORM}
    return in_a_line(others) if others else ""


def _known() -> list[str]:
    return [cls.name for cls in registered(Method)]
