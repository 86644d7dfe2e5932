"""How a file is read where it does not say so itself: the form beside the choice of a file, and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData

from microveil.core.open_types import Json

NO_ANSWER, CATEGORIES = "no_answer", "categories"
# marks of text files and the sheet of a workbook, each with the option of the command
MARKS = {"encoding": "--encoding", "decimal": "--decimal", "delimiter": "--delimiter", "sheet": "--sheet"}
_TAB = {"tab": "\t"}  # nobody can type it into a form


def stated_in(form: FormData) -> Json:
    """What a form says about reading, without what it leaves open."""
    lists = {name: _lines(str(form.get(name, ""))) for name in (NO_ANSWER, CATEGORIES)}
    marks = {name: _TAB.get(given, given) for name in MARKS if (given := str(form.get(name, "")).strip())}
    return {name: value for name, value in (lists | marks).items() if value}


def shown(said: Mapping[str, Any]) -> Json:
    """What the inputs hold."""
    lists = {name: "\n".join(said.get(name, ())) for name in (NO_ANSWER, CATEGORIES)}
    return lists | {name: "tab" if said.get(name) == "\t" else said.get(name, "") for name in MARKS}


def facts(said: Mapping[str, Any]) -> Json:
    """The same as `mv.read` takes it."""
    from microveil.io.odd_cells import written_codes

    found: Json = {"missing": written_codes(said[NO_ANSWER])} if NO_ANSWER in said else {}
    found |= {"kinds": dict.fromkeys(said[CATEGORIES], "nominal")} if CATEGORIES in said else {}
    return found | {name: said[name] for name in MARKS if name in said}


def words(said: Mapping[str, Any]) -> tuple[str, ...]:
    """The same as options of the command."""
    lists = [word for text in said.get(NO_ANSWER, ()) for word in ("--na", text)]
    lists += [word for name in said.get(CATEGORIES, ()) for word in ("--kind", f"{name}=nominal")]
    return (*lists, *(word for name, option in MARKS.items() if name in said for word in (option, said[name])))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
