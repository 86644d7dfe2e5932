"""One column: its values, codes for missing answers, levels, labels, and its hierarchy seen, checked and edited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml
from starlette.exceptions import HTTPException
from starlette.responses import Response

from microveil.app.fields import in_a_line, number_in
from microveil.app.looking import ColumnFacts, looked
from microveil.app.visit import Visit, page
from microveil.core.errors import BadInput, MicroveilError
from microveil.core.open_types import Json
from microveil.hierarchy.files import value_text
from microveil.hierarchy.showing import levels_table, tree_html
from microveil.hierarchy.stated import in_folder, is_rule, resolve
from microveil.plan import with_section
from microveil.report.chart_columns import count_columns
from microveil.report.chart_values import ValueRow, value_bars

_MOST_LINES = 500
_FORMS = (("none", "no hierarchy"), ("rule", "a rule, or a file"), ("table", "a line for each value"))


def show(visit: Visit) -> Response:
    """All that is known about the column, to be changed."""
    name, facts = _column(visit)
    seen = looked(visit)
    found = seen.columns.get(name) if seen is not None else None
    stated = facts.get("hierarchy")
    paths, problem = _resolved(visit, stated, found)
    suits = seen.hierarchies.get(name) if seen is not None else None
    shown = _texts(facts, paths, found)
    texts = {what: str(visit.form.get(what, "")) if visit.form else text for what, text in shown.items()}
    return visit.page(
        "column.html",
        name,
        facts=facts,
        found=found,
        chart=_chart(found),
        forms=_FORMS,
        **texts,
        tree=str(tree_html(paths)) if paths else "",
        table_of_levels=levels_table(paths, most=6) if paths else None,
        problem=problem,
        complete=_completeness(paths, found),
        suits="" if suits is None else in_a_line(suits),
    )


def _texts(facts: Mapping[str, Any], paths: Any, found: ColumnFacts | None) -> dict[str, str]:
    """What the inputs hold, as the project says it."""
    stated = facts.get("hierarchy")
    form = _form(stated)
    return {
        "missing": ", ".join(in_a_line(code) for code in facts.get("missing") or ()),
        "levels": "\n".join(map(str, facts.get("levels") or ())),
        "labels": "\n".join(f"{code} = {text}" for code, text in (facts.get("labels") or {}).items()),
        "form": form,
        "rule": in_a_line(stated) if form == "rule" else "",
        "table": _table(paths, found if form != "none" else None),
    }


def _column(visit: Visit) -> tuple[str, Mapping[str, Any]]:
    place = int(visit.request.path_params["place"])
    columns: list[tuple[str, Mapping[str, Any]]] = list(visit.project.columns.items())
    if place >= len(columns):
        raise HTTPException(404)
    return columns[place]


def _form(stated: Any) -> str:
    if not stated:
        return "none"
    return "rule" if is_rule(stated) or isinstance(stated, str) else "table"


def _resolved(visit: Visit, stated: Any, found: ColumnFacts | None) -> tuple[Any, str]:
    """The paths of all values, or what is wrong with the hierarchy."""
    if not stated:
        return None, ""
    if found is None or not found.values:
        many = found is not None and found.distinct > 0
        return None, "the column has too many values to be shown here" if many else "a look at the file is needed first"
    try:
        return resolve(in_folder(stated, visit.space.folder), lambda: list(found.values), "the hierarchy"), ""
    except MicroveilError as problem:
        return None, str(problem)


def _completeness(paths: Any, found: ColumnFacts | None) -> str:
    if not paths or found is None:
        return ""
    return f"Complete: each of the {len(found.values):,} values has a path, and the paths nest."


def _table(paths: Any, found: ColumnFacts | None) -> str:
    """A line value;coarser;* for each value: as it is, or to begin with."""
    if paths:
        rows = [[value_text(value), *map(str, path)] for value, path in list(paths.items())[:_MOST_LINES]]
    elif found is not None:
        rows = [[value_text(value), "*"] for value in sorted(found.values, key=str)[:_MOST_LINES]]
    else:
        rows = []
    return "\n".join(";".join(row) for row in rows)


def _chart(found: ColumnFacts | None) -> str:
    """How the values are distributed: bins of amounts, else the most frequent values."""
    if found is None or not found.frequent:
        return ""
    if found.bins:
        labels = [f"≤{high:.4g}" for _, high, _ in found.bins]
        return count_columns(found.name, "records by value", found.name, labels, [n for *_, n in found.bins])
    more = f"; the {len(found.frequent)} most frequent of {found.distinct:,}" * (found.distinct > len(found.frequent))
    return value_bars(found.name, f"records{more}", [ValueRow(value, count) for value, count in found.frequent])


def save(visit: Visit) -> Response:
    """Keep what the form says; a hierarchy that lacks a value is refused with the value named."""
    name, facts = _column(visit)
    seen = looked(visit)
    found = seen.columns.get(name) if seen is not None else None
    paths, _ = _resolved(visit, facts.get("hierarchy"), found)
    shown = _texts(facts, paths, found)

    def same(*inputs: str) -> bool:
        """Whether inputs hold what was shown: then what is stated stays as it is, to its last type."""
        return all(_normal(str(visit.form.get(what, ""))) == _normal(shown[what]) for what in inputs)

    said: Json = {what: facts.get(what) for what in ("role", "kind")}
    said["label"] = str(visit.form.get("label", "")).strip()
    said["levels"] = facts.get("levels") if same("levels") else _typed(_lines(visit, "levels"), found)
    said["missing"] = facts.get("missing") if same("missing") else _listed(str(visit.form.get("missing", "")))
    said["labels"] = facts.get("labels") if same("labels") else _labels(_lines(visit, "labels"), found)
    unchanged = same("form", "rule") if shown["form"] == "rule" else same("form", "table")
    said["hierarchy"] = hierarchy = facts.get("hierarchy") if unchanged else _hierarchy(visit, found)
    new = {what: value for what, value in said.items() if value}
    if hierarchy and found is not None and found.values:
        resolve(in_folder(hierarchy, visit.space.folder), lambda: list(found.values), f"the hierarchy of {name}")
    columns = {**visit.project.columns, name: new}
    return visit.save(lambda text: with_section(text, "columns", columns), f"the column {name}")


def _normal(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _lines(visit: Visit, what: str) -> list[str]:
    return [line.strip() for line in str(visit.form.get(what, "")).splitlines() if line.strip()]


def _typed(texts: list[str], found: ColumnFacts | None) -> list[Any]:
    """Values as the file has them, by their texts; numbers where nobody has looked at it."""
    known = {value_text(value): value for value in (found.values if found is not None else ())}
    return [known.get(text, text) if known else number_in(text, text) for text in texts]


def _listed(given: str) -> list[Any]:
    if not given.strip():
        return []
    try:
        said = yaml.safe_load(given if given.lstrip().startswith("[") else f"[{given}]")
    except yaml.YAMLError:
        raise BadInput(f"the codes for missing answers are {given!r}; write them as 99, -1") from None
    return list(said)


def _labels(lines: list[str], found: ColumnFacts | None) -> dict[Any, str]:
    pairs = [line.partition("=") for line in lines]
    wrong = next((code for code, sign, text in pairs if not sign or not text.strip()), None)
    if wrong is not None:
        raise BadInput(f"a label is written as 1 = employed; there is none for {wrong.strip()!r}")
    codes = _typed([code.strip() for code, _, _ in pairs], found)
    return {code: text.strip() for code, (_, _, text) in zip(codes, pairs, strict=True)}


def _hierarchy(visit: Visit, found: ColumnFacts | None) -> Any:
    form = str(visit.form.get("form", "none"))
    if form == "rule":
        given = str(visit.form.get("rule", "")).strip()
        try:
            return yaml.safe_load(given) if given.startswith("{") else given
        except yaml.YAMLError:
            raise BadInput(
                f"the rule {given!r} cannot be read; write it as {{intervals: {{widths: [5, 10]}}}}"
            ) from None
    if form != "table":
        return None
    rows = [[part.strip() for part in line.split(";")] for line in _lines(visit, "table")]
    short = next((row for row in rows if len(row) < 2), None)
    if short is not None:
        raise BadInput(f"the line {short[0]!r} of the hierarchy has no coarser value; write value;coarser;*")
    values = _typed([row[0] for row in rows], found)
    return {value: row[1:] for value, row in zip(values, rows, strict=True)}


ROUTES = page("/columns/{place:int}", show, save)
