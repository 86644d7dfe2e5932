"""`microveil schema`: the JSON Schema of project files, for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from microveil.cli.console import out
from microveil.cli.outputs import check_outputs, written_together


def schema(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="where to write it; left out: project.schema.json")
    ] = Path("project.schema.json"),
    force: Annotated[bool, typer.Option("--force", help="replace a file that exists")] = False,
) -> None:
    """Write the JSON Schema of project files: editors that know YAML then offer fields and methods, and mark errors."""
    from microveil.io import write_text
    from microveil.plan.project_schema import schema_text

    check_outputs({}, {"--output": output}, force)
    with written_together({"--output": output}) as places:
        write_text(places["--output"], schema_text())
    out.print(f"Wrote {output}. In a project file beside it, the first line names it for editors:", markup=False)
    out.print(f"  # yaml-language-server: $schema={output.name}", markup=False)
