"""The form of a hierarchy: a rule with its settings, a file, or a line for each value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData

from microveil.app.fields import Field, fields_of, settings_from
from microveil.app.looking import ColumnFacts, typed
from microveil.app.named_files import file_of
from microveil.app.paths import below, there
from microveil.core.errors import BadInput, MicroveilError
from microveil.core.open_types import Hierarchy as Paths
from microveil.core.open_types import Json
from microveil.core.registry import find
from microveil.hierarchy.files import value_text
from microveil.hierarchy.rule import HierarchyRule
from microveil.hierarchy.stated import in_folder, is_rule, resolve

NONE, FILE, TABLE = "none", "file", "table"
_PREFIX = "hierarchy"
_MOST_LINES = 500


@dataclass(frozen=True)
class HierarchyForm:
    """What the inputs hold: how the hierarchy is stated, the settings of its rule, its file, or its lines."""

    form: str
    options: list[tuple[str, str]]
    fields: tuple[Field, ...]
    file: str
    table: str
    cut: int  # how many lines the table has beyond those that are shown


def options() -> list[tuple[str, str]]:
    """The ways to state a hierarchy, each with what it does."""
    about = {name: find(name, HierarchyRule).summary().replace("`", "") for name in HierarchyRule.member_names()}
    rules = [(name, f"{name}: {said}") for name, said in about.items()]
    return [(NONE, "no hierarchy"), *rules, (TABLE, "a line for each value"), (FILE, "a file beside the project")]


def form_of(stated: Any) -> str:
    """How a hierarchy is stated."""
    if not stated:
        return NONE
    if is_rule(stated):
        return _split(stated)[0]
    return FILE if isinstance(stated, str) else TABLE


def shown(stated: Any, paths: Paths | None, found: ColumnFacts | None, suits: Any) -> HierarchyForm:
    """The form as the project says it."""
    return _filled(form_of(stated), stated, paths, found, suits)


def sent(form: FormData, stated: Any, paths: Paths | None, found: ColumnFacts | None, suits: Any) -> HierarchyForm:
    """The form as somebody filled it in; a way that was only just chosen begins with what suits the column."""
    chosen = str(form.get("form", NONE))
    filled = _filled(chosen, stated, paths, found, suits)
    fields = filled.fields
    if _is_known(chosen) and any(name.startswith(f"{_PREFIX}.{chosen}.") for name in form):
        rule: Any = find(chosen, HierarchyRule)
        said = settings_from(rule, form, f"{_PREFIX}.{chosen}", as_typed=True)
        fields = tuple(fields_of(rule, said, f"{_PREFIX}.{chosen}"))
    table = str(form.get("table", "")) or filled.table
    return HierarchyForm(chosen, filled.options, fields, str(form.get("file", "")) or filled.file, table, filled.cut)


def _filled(form: str, stated: Any, paths: Paths | None, found: ColumnFacts | None, suits: Any) -> HierarchyForm:
    fields: tuple[Field, ...] = ()
    if _is_known(form):
        rule: Any = find(form, HierarchyRule)
        known = next((spec for spec in (stated, suits) if is_rule(spec) and _split(spec)[0] == form), None)
        settings = _split(known)[1] if known is not None else {} if rule.needs_nothing() else dict(rule.example)
        fields = tuple(fields_of(rule, settings, f"{_PREFIX}.{form}"))
    lines = _lines(paths, found) if form == TABLE else []
    file = stated if form == FILE and isinstance(stated, str) else ""
    return HierarchyForm(form, options(), fields, file, "\n".join(lines[:_MOST_LINES]), _beyond(lines))


def _beyond(lines: list[str]) -> int:
    return max(len(lines) - _MOST_LINES, 0)


def _is_known(form: str) -> bool:
    return form in HierarchyRule.member_names()


def _split(spec: Any) -> tuple[str, Mapping[str, Any]]:
    if isinstance(spec, str):
        return spec, {}
    name, settings = next(iter(spec.items()))
    return str(name), settings


def _lines(paths: Paths | None, found: ColumnFacts | None) -> list[str]:
    """A line value;coarser;* for each value: as it is, or to begin with."""
    if paths:
        return [";".join([value_text(value), *map(str, path)]) for value, path in paths.items()]
    values = sorted(found.values, key=str) if found is not None else ()
    return [f"{value_text(value)};*" for value in values]


def stated_in(form: FormData, stated: Any, paths: Paths | None, found: ColumnFacts | None, folder: Path) -> Any:
    """The hierarchy that a form states; one that was not changed stays as it is written, to its last type."""
    chosen = str(form.get("form", NONE))
    if chosen == NONE:
        return None
    if _is_known(chosen):
        settings = settings_from(find(chosen, HierarchyRule), form, f"{_PREFIX}.{chosen}")
        if named := file_of({chosen: settings}):
            there(folder, named)
        return _rule(chosen, settings, stated)
    if chosen == FILE:
        name = str(form.get("file", "")).strip()
        there(folder, name)
        return name
    if chosen != TABLE:
        raise BadInput(f"{chosen!r} is no way to state a hierarchy; choose one of the list")
    return _table(str(form.get("table", "")), stated, paths, found)


def _rule(name: str, settings: Json, stated: Any) -> Any:
    """A rule as a project has it; an incomplete one is refused with what it may be."""
    spec = {name: settings} if settings else name
    try:
        made = HierarchyRule.from_spec(spec)
    except MicroveilError as problem:
        raise type(problem)(f"the rule {name} of the hierarchy: {problem}") from None
    if is_rule(stated) and HierarchyRule.from_spec(stated) == made:
        return stated
    return spec


def _table(text: str, stated: Any, paths: Paths | None, found: ColumnFacts | None) -> Any:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    before = _lines(paths, None)
    if form_of(stated) == TABLE and lines == before[:_MOST_LINES]:
        return stated
    rows = [[part.strip() for part in line.split(";")] for line in lines]
    short = next((row for row in rows if len(row) < 2), None)
    if short is not None:
        raise BadInput(f"the line {short[0]!r} of the hierarchy has no coarser value; write value;coarser;*")
    values = typed([row[0] for row in rows], found)
    return {value: row[1:] for value, row in zip(values, rows, strict=True)}


def resolved(stated: Any, found: ColumnFacts | None, folder: Path) -> tuple[Paths | None, str]:
    """The paths of all values, or what is wrong with the hierarchy."""
    if not stated:
        return None, ""
    if found is None or not found.values:
        many = found is not None and found.distinct > 0
        return None, "the column has too many values to be shown here" if many else "a look at the file is needed first"
    try:
        if named := file_of(stated):
            below(folder, named)
        return resolve(in_folder(stated, folder), lambda: list(found.values), "the hierarchy"), ""
    except MicroveilError as problem:
        return None, str(problem)
