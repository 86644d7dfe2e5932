"""`microveil methods`: the catalogue."""

from __future__ import annotations

import json
import textwrap
from typing import Annotated

import typer

from microveil.cli.as_options import setting, write_option
from microveil.cli.completion import all_names
from microveil.cli.console import out, show_table

_WIDTH = 80


def methods(
    name: Annotated[
        str | None, typer.Argument(help="a method, measure or family to describe", autocompletion=all_names)
    ] = None,
    schema: Annotated[bool, typer.Option("--schema", help="print the JSON Schema of a plan file instead")] = False,
) -> None:
    """List everything there is, or describe one method, measure or family."""
    from microveil import plan

    if schema:
        typer.echo(json.dumps(plan.plan_schema(), indent=2))
        return
    entries = plan.methods(name)
    if len(entries) == 1:
        for line in entries[0].text(setting, write_option).split("\n"):
            out.print(_wrapped(line), markup=False)
        return
    show_table(("family", "name", "what it does"), [(entry.kind, entry.name, entry.summary) for entry in entries])


def _wrapped(line: str) -> str:
    """A line that fits a narrow terminal, what follows under what it is about; words that are typed stay whole."""
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.fill(
        line, _WIDTH, subsequent_indent=f"{indent}    ", break_long_words=False, break_on_hyphens=False
    )
