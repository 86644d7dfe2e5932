"""One column: its values, codes for missing answers, levels, labels, and its hierarchy seen, checked and edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from microveil.app import hierarchy_form
from microveil.app.calls.call import argument
from microveil.app.fields import in_a_line, is_whole
from microveil.app.gaps_in_plan import with_gaps_left
from microveil.app.looking import ColumnFacts, Looked, looked, typed
from microveil.app.templating import environment
from microveil.app.visit import Visit, page, part
from microveil.core.errors import BadInput
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.hierarchy.files import value_text
from microveil.hierarchy.showing import levels_table, tree_html
from microveil.hierarchy.stated import in_folder, is_rule, resolve
from microveil.io import read_value
from microveil.plan import Project, with_section
from microveil.report.chart_columns import count_columns
from microveil.report.chart_values import ValueRow, value_bars


def show(visit: Visit) -> Response:
    """All that is known about the column, to be changed."""
    place, name, facts, seen = _column(visit)
    found, suits = _known(name, seen)
    stated = facts.get("hierarchy")
    paths, problem = hierarchy_form.resolved(stated, found, visit.space.folder)
    inputs = _texts(facts)
    texts = {what: str(visit.form.get(what, "")) if visit.form else text for what, text in inputs.items()}
    names = list(visit.project.columns)
    return visit.page(
        "column.html",
        name,
        place=place,
        facts=facts,
        found=found,
        since=seen.since if seen is not None else "",
        chart=_chart(found, facts.get("labels") or {}),
        spread=_spread(found),
        before=names[place - 1] if place else "",
        after=names[place + 1] if place + 1 < len(names) else "",
        **texts,
        label=str(visit.form.get("label", "")) if visit.form else facts.get("label", ""),
        tree=str(tree_html(paths)) if paths else "",
        table_of_levels=levels_table(paths, most=6) if paths else None,
        problem=problem,
        complete=_completeness(paths, found),
        hierarchy=_form(visit, stated, paths, found, suits),
        suits=in_a_line(suits) if suits is not None and not stated else "",
        address=f"/columns/{place}/hierarchy",
        command=_command(visit.project, name, stated) if paths else (),
    )


def _command(project: Project, name: str, stated: Any) -> tuple[str, ...]:
    """The command that shows a hierarchy which is a file or a rule; lines in the project have none."""
    if not (isinstance(stated, str) or is_rule(stated)):
        return ()
    how = [word for option, value in project.text.items() for word in (f"--{option}", value)]
    return ("microveil", "hierarchy", argument(in_a_line(stated)), "--data", project.path, "--column", name, *how)


def _texts(facts: Mapping[str, Any]) -> dict[str, str]:
    """What the inputs hold, as the project says it."""
    return {
        "missing": ", ".join(in_a_line(code) for code in facts.get("missing") or ()),
        "levels": "\n".join(map(str, facts.get("levels") or ())),
        "labels": "\n".join(f"{code} = {text}" for code, text in (facts.get("labels") or {}).items()),
    }


def _column(visit: Visit) -> tuple[int, str, Mapping[str, Any], Looked | None]:
    given = str(visit.request.path_params["place"])
    columns: list[tuple[str, Mapping[str, Any]]] = list(visit.project.columns.items())
    if not is_whole(given) or int(given) >= len(columns):
        raise HTTPException(404)
    place = int(given)
    name, facts = columns[place]
    return place, name, facts, looked(visit)


def _known(name: str, seen: Looked | None) -> tuple[ColumnFacts | None, Any]:
    """What a look found in the column, and the hierarchy that suits it."""
    return (None, None) if seen is None else (seen.columns.get(name), seen.hierarchies.get(name))


def _form(visit: Visit, stated: Any, paths: Any, found: ColumnFacts | None, suits: Any) -> hierarchy_form.HierarchyForm:
    if "form" in visit.form:
        return hierarchy_form.sent(visit.form, stated, paths, found, suits)
    return hierarchy_form.shown(stated, paths, found, suits)


def show_hierarchy(visit: Visit) -> Response:
    """The inputs of a hierarchy after another way to state it was chosen."""
    place, name, facts, seen = _column(visit)
    found, suits = _known(name, seen)
    stated = facts.get("hierarchy")
    paths, _ = hierarchy_form.resolved(stated, found, visit.space.folder)
    shown = _form(visit, stated, paths, found, suits)
    template = environment().get_template("hierarchy.html")
    return HTMLResponse(template.render(hierarchy=shown, address=f"/columns/{place}/hierarchy"))


def _completeness(paths: Any, found: ColumnFacts | None) -> str:
    if not paths or found is None:
        return ""
    return f"Complete: each of the {len(found.values):,} values has a path, and the paths nest."


def _chart(found: ColumnFacts | None, stated: Mapping[Any, str]) -> str:
    """How the values are distributed: bins of amounts, else the most frequent values with their labels."""
    if found is None or not found.frequent:
        return ""
    if found.bins:
        signs = [*"<" * (len(found.bins) - 1), "≤"]
        labels = [f"{sign}{format_number(high)}" for sign, (_, high, _) in zip(signs, found.bins, strict=True)]
        return count_columns(found.name, "records by value", found.name, labels, [n for *_, n in found.bins])
    more = f"; the {len(found.frequent)} most frequent of {found.distinct:,}" * (found.distinct > len(found.frequent))
    told = dict(found.labels) | {value_text(code): text for code, text in stated.items()}
    named = [(f"{value} = {told[value]}" if value in told else value, count) for value, count in found.frequent]
    return value_bars(found.name, f"records{more}", [ValueRow(label, count) for label, count in named])


def _spread(found: ColumnFacts | None) -> str:
    if found is None or not found.range:
        return ""
    low, middle, high = map(format_number, found.range)
    return f"Amounts from {low} to {high}, half of them up to {middle}."


def save(visit: Visit) -> Response:
    """Keep what the form says; a hierarchy that lacks a value is refused with the value named."""
    _, name, facts, seen = _column(visit)
    found, _ = _known(name, seen)
    stated = facts.get("hierarchy")
    paths, _ = hierarchy_form.resolved(stated, found, visit.space.folder)
    inputs = _texts(facts)

    def same(what: str) -> bool:
        """Whether an input holds what was shown: then what is stated stays as it is, to its last type."""
        return _normal(str(visit.form.get(what, ""))) == _normal(inputs[what])

    said: Json = {what: facts.get(what) for what in ("role", "kind")}
    said["label"] = str(visit.form.get("label", "")).strip()
    said["levels"] = facts.get("levels") if same("levels") else typed(_lines(visit, "levels"), found)
    said["missing"] = facts.get("missing") if same("missing") else _codes(visit, facts, found)
    said["labels"] = facts.get("labels") if same("labels") else _labels(_lines(visit, "labels"), found)
    if said["levels"] and not same("levels"):
        _check_order(said["levels"], said["missing"] or (), found)
    said["hierarchy"] = new = hierarchy_form.stated_in(visit.form, stated, paths, found, visit.space.folder)
    if new and found is not None and found.values:
        resolve(in_folder(new, visit.space.folder), lambda: list(found.values), f"the hierarchy of {name}")
    columns = {**visit.project.columns, name: {what: value for what, value in said.items() if value}}
    plan = with_gaps_left(visit.project, name) if said["missing"] and not same("missing") else None

    def changed(text: str) -> str:
        text = with_section(text, "columns", columns)
        return text if plan is None else with_section(text, "plan", plan.to_mapping())

    why = f"the column {name}{'; its gaps are left where they are' if plan is not None else ''}"
    return visit.save(changed, why, **({"gaps": "left"} if plan is not None else {}))


def _normal(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _lines(visit: Visit, what: str) -> list[str]:
    return [line.strip() for line in str(visit.form.get(what, "")).splitlines() if line.strip()]


def _codes(visit: Visit, facts: Mapping[str, Any], found: ColumnFacts | None) -> list[Any]:
    """The codes that mean no answer; a new one that no record has is a slip of the pen."""
    given = str(visit.form.get("missing", ""))
    if not given.strip():
        return []
    wrong = f"the codes for missing answers are {given!r}; write them as 99, -1"
    try:
        written = given if given.lstrip().startswith("[") else f"[{given}]"
        said = read_value(written, "the field of codes for missing answers")
    except yaml.YAMLError:
        raise BadInput(wrong) from None
    if not isinstance(said, list):
        raise BadInput(wrong)
    for code in said:
        if found is not None and code not in (facts.get("missing") or ()) and found.records_with(code) == 0:
            raise BadInput(
                f"no record has the value {value_text(code)!r}, which is stated as a code for no answer; write codes "
                "as the file has them, with commas between them, such as 99, -1"
            )
    return said


def _check_order(levels: list[Any], missing: Sequence[Any], found: ColumnFacts | None) -> None:
    """An order that lacks a value would be refused by the first job that reads the file."""
    named = [value_text(level) for level in levels]
    twice = next((name for place, name in enumerate(named) if name in named[:place]), None)
    if twice is not None:
        raise BadInput(f"the order of values names {twice!r} twice; name each value once, the lowest first")
    known = {*named, *map(value_text, missing)}
    lacking = [one for one in map(value_text, found.values if found is not None else ()) if one not in known]
    if lacking:
        shown = ", ".join(map(repr, lacking[:4])) + (" and others" if len(lacking) > 4 else "")
        raise BadInput(f"the order of values lacks {shown} of the column; name each value once, the lowest first")


def _labels(lines: list[str], found: ColumnFacts | None) -> dict[Any, str]:
    pairs = [line.partition("=") for line in lines]
    wrong = next((code for code, sign, text in pairs if not sign or not text.strip()), None)
    if wrong is not None:
        raise BadInput(f"a label is written as 1 = employed; there is none for {wrong.strip()!r}")
    named = [code.strip() for code, _, _ in pairs]
    twice = next((code for place, code in enumerate(named) if code in named[:place]), None)
    if twice is not None:
        raise BadInput(f"the value {twice!r} has two labels; give it one")
    codes = typed(named, found)
    return {code: text.strip() for code, (_, _, text) in zip(codes, pairs, strict=True)}


ROUTES = [*page("/columns/{place}", show, save), part("/columns/{place}/hierarchy", show_hierarchy)]
