"""`microveil methods`: the catalogue."""

from __future__ import annotations

import json
import shlex
from typing import Annotated, Any

import typer
import yaml

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
        out.print(entries[0].text(_option), markup=False)
        return
    show_table(("family", "name", "what it does"), [(entry.kind, entry.name, entry.summary) for entry in entries])


def _option(name: str, value: Any) -> str:
    written = yaml.safe_dump(value, default_flow_style=True, sort_keys=False).strip()
    return f"--set {shlex.quote(f'{name}={written}')}"
