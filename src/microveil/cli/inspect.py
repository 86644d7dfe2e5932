"""`microveil inspect`: what is in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from microveil.cli.console import codes, facts, out, progress
from microveil.cli.outputs import check_outputs


def inspect(
    file: Annotated[Path, typer.Argument(help="the data file")],
    project: Annotated[Path, typer.Option("--project", "-p", help="where to write the project file")] = Path(
        "project.yaml"
    ),
    role: Annotated[list[str] | None, typer.Option("--role", help="column=role, where you know better")] = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", help="column=kind, where you know better")] = None,
    na: Annotated[
        list[str] | None, typer.Option("--na", help="a text or code that means missing, in any column")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="replace an existing project file")] = False,
) -> None:
    """Show kinds, proposed roles and the risk before anything is done, and write a project file to edit."""
    import os

    from microveil import io, plan

    check_outputs({"the data file": file}, {"--project": project}, force)
    data = io.read(file, roles=facts(role or [], "role"), kinds=facts(kind or [], "kind"), missing=codes(na or []))
    with progress("inspecting") as show:
        found = plan.inspect(data, progress=show)
    table = Table(box=None, pad_edge=False)
    for heading in ("column", "kind", "proposed role", "distinct", "missing", "because"):
        table.add_column(heading, justify="right" if heading in ("distinct", "missing") else "left")
    for look in found.columns:
        table.add_row(str(look.name), look.kind, look.role, str(look.distinct), str(look.missing), look.why)
    out.print(f"{file.name}: {found.records} records, {len(found.columns)} columns", markup=False)
    out.print(table)
    out.print(found.baseline, markup=False)
    relative = os.path.relpath(file, project.parent)
    plan.Project.propose(relative, io.sha256_of(file), data, found).save(project)
    out.print(f"Wrote {project}: check the roles there, then protect with --project {project}.", markup=False)
