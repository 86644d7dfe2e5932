"""`microveil methods`: the catalogue."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from microveil.cli.as_options import setting
from microveil.cli.console import out, show_table


def methods(
    name: Annotated[str | None, typer.Argument(help="a method, measure or family to describe")] = None,
    schema: Annotated[bool, typer.Option("--schema", help="print the JSON Schema of a plan file instead")] = False,
) -> None:
    """List everything there is, or describe one method, measure or family."""
    from microveil import plan

    if schema:
        typer.echo(json.dumps(plan.plan_schema(), indent=2))
        return
    entries = plan.methods(name)
    if len(entries) == 1:
        out.print(entries[0].text(setting), markup=False)
        return
    show_table(("family", "name", "what it does"), [(entry.kind, entry.name, entry.summary) for entry in entries])
