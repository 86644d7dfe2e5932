"""The forms of figures: those that must survive, and those that were published elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData

from microveil.app.fields import count_in, number_in, ticked
from microveil.app.looking import Looked, typed
from microveil.core.errors import BadInput
from microveil.core.open_types import Json
from microveil.hierarchy.files import value_text

# the kinds of figures that must survive, as people call them
KINDS = {
    "statistic": "a mean, a sum or the like",
    "table": "a table",
    "regression": "a regression",
    "indicator": "an indicator of your own",
}
_PERCENT = 100
_THOUSANDS = re.compile(r"[-+]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?", re.ASCII)


def shown_goal(number: int, spec: Json) -> Json:
    """A figure that must survive as its inputs show it."""
    kind = next(kind for kind in KINDS if kind in spec)
    return {
        "number": number,
        "kind": kind,
        "name": spec.get("name", ""),
        "what": spec[kind] if kind != "table" else "",
        "of": spec.get("of") or "",
        "by": list(spec.get("by") or spec.get("table") or ()),
        "where": _where_text(spec.get("where") or {}),
        "limit": _in_percent(spec.get("overlap" if kind == "regression" else "tolerance")),
        "gone": False,
    }


def empty_goal(number: int, kind: str) -> Json:
    """The inputs of a figure that nobody has stated yet."""
    usual = {"regression": 80}.get(kind, 5)
    return {"number": number, "kind": kind, "name": "", "what": "mean" if kind == "statistic" else "", "of": ""} | {
        "by": [],
        "where": "",
        "limit": usual,
        "gone": False,
    }


def typed_goals(form: FormData) -> list[Json]:
    """The same of a form that was refused, as it was typed: also what cannot be read."""
    goals = []
    for number in range(count_in(form, "goals")):
        kind = str(form.get(f"kind-{number}", ""))
        what = "what" if kind == "statistic" else "expression"
        said = {name: str(form.get(f"{name}-{number}", "")) for name in ("name", "of", "where", "limit")}
        said["what"] = str(form.get(f"{what}-{number}", ""))
        by = [str(one) for one in form.getlist(f"by-{number}")]
        goals += [{"number": number, "kind": kind, "by": by, "gone": bool(form.get(f"drop-{number}"))} | said]
    return [one for one in goals if one["kind"] in KINDS]


def goals_in(form: FormData, before: Sequence[Json], seen: Looked | None) -> list[Json]:
    """The figures that a form states; a new one without a name and one that is ticked to go are left out."""
    found = []
    for number in range(count_in(form, "goals")):
        old = before[number] if number < len(before) else None
        name = str(form.get(f"name-{number}", "")).strip()
        if form.get(f"drop-{number}") or (not name and old is None and not _is_begun(form, number)):
            continue
        new = _goal(form, number, name, old, seen)
        found.append(old if old is not None and shown_goal(number, new) == shown_goal(number, old) else new)
    return found


def _is_begun(form: FormData, number: int) -> bool:
    """Whether somebody began to state a figure and forgot its name."""
    return any(str(form.get(f"{what}-{number}", "")).strip() for what in ("of", "by", "expression"))


def _goal(form: FormData, number: int, name: str, old: Json | None, seen: Looked | None) -> Json:
    kind = str(form.get(f"kind-{number}", ""))
    if kind not in KINDS:
        raise BadInput(f"figure {number + 1} is of no known kind; load the page again")
    if not name:
        raise BadInput(f"figure {number + 1} has no name; say what it is, such as mean income by region")
    by = ticked(form, f"by-{number}", list((old or {}).get("by") or (old or {}).get("table") or ()))
    limit = _from_percent(form, f"limit-{number}")
    said: Json = {"name": name}
    if kind == "table":
        said |= {"table": by}
    elif kind == "statistic":
        said |= {"statistic": str(form.get(f"what-{number}", "")), "of": str(form.get(f"of-{number}", "")), "by": by}
        said["where"] = _where(str(form.get(f"where-{number}", "")), (old or {}).get("where") or {}, seen)
    else:
        said |= {kind: str(form.get(f"expression-{number}", "")).strip()}
    said["overlap" if kind == "regression" else "tolerance"] = limit
    return {what: value for what, value in said.items() if value not in ("", [], {}, None) or what in ("table", kind)}


def shown_published(number: int, spec: Json) -> Json:
    """A published figure as its inputs show it."""
    return {
        "number": number,
        "statistic": spec.get("statistic", "sum"),
        "of": spec.get("of") or "",
        "where": _where_text(spec.get("where") or {}),
        "value": "" if spec.get("value") is None else value_text(spec["value"]),
        "limit": _in_percent(spec.get("tolerance", 0)),
        "gone": False,
    }


_PUBLISHED = {"statistic": "statistic", "of": "column", "where": "among", "value": "value", "limit": "within"}


def typed_published(form: FormData) -> list[Json]:
    """The same of a form that was refused, as it was typed."""
    return [
        {name: str(form.get(f"{sent}-{number}", "")) for name, sent in _PUBLISHED.items()}
        | {"number": number, "gone": bool(form.get(f"forget-{number}"))}
        for number in range(count_in(form, "published"))
    ]


def published_in(form: FormData, before: Sequence[Json], seen: Looked | None) -> list[Json]:
    """The published figures that a form states; a new one without a value is left out."""
    found = []
    for number in range(count_in(form, "published")):
        old = before[number] if number < len(before) else None
        value = str(form.get(f"value-{number}", "")).strip()
        if form.get(f"forget-{number}"):
            continue
        if not value and old is None:
            if form.get(f"column-{number}") or str(form.get(f"among-{number}", "")).strip():
                raise BadInput("a published figure has no value; write the value that was published")
            continue
        said: Json = {
            "statistic": str(form.get(f"statistic-{number}", "")),
            "of": str(form.get(f"column-{number}", "")),
        }
        said["where"] = _where(str(form.get(f"among-{number}", "")), (old or {}).get("where") or {}, seen)
        said["value"] = _published_value(value)
        said["tolerance"] = _from_percent(form, f"within-{number}")
        new = {what: one for what, one in said.items() if what == "value" or one}
        found.append(old if old is not None and shown_published(number, new) == shown_published(number, old) else new)
    return found


def _published_value(given: str) -> Any:
    """A number as people write it in English: 1,250.5; a comma elsewhere may mean a point, and is not guessed."""
    if "," in given and not _THOUSANDS.fullmatch(given):
        raise BadInput(f"the published value {given!r} has a comma that parts no thousands; write 1250.5 or 1,250.5")
    return number_in(given.replace(",", ""), given)


def _in_percent(share: Any) -> str:
    if not isinstance(share, int | float):
        return "" if share is None else str(share)
    return f"{round(_PERCENT * float(share), 10):.12g}"


def _from_percent(form: FormData, name: str) -> Any:
    given = str(form.get(name, "")).strip()
    number = number_in(given, given)
    return round(number / _PERCENT, 12) if isinstance(number, int | float) else (given or None)


def _where_text(where: Mapping[str, object]) -> str:
    return "\n".join(f"{name} = {value}" for name, value in where.items())


def _where(text: str, before: Mapping[str, object], seen: Looked | None) -> Json:
    """The values that records must have, a line name = value each, with the types that the file has."""
    if text.replace("\r\n", "\n").strip() == _where_text(before):
        return dict(before)
    pairs = [line.partition("=") for line in text.splitlines() if line.strip()]
    wrong = next((name for name, sign, value in pairs if not sign or not value.strip()), None)
    if wrong is not None:
        raise BadInput(f"a part of the records is written as region = North; {wrong.strip()!r} says no value")
    columns = seen.columns if seen is not None else {}
    return {name.strip(): typed([value.strip()], columns.get(name.strip()))[0] for name, _, value in pairs}
