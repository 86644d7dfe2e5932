"""`microveil inspect`: what is in a file."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from microveil.cli.console import counted, out, progress, show_table
from microveil.cli.file_options import NO_OPTIONS, FileOptions, with_file_options
from microveil.cli.outputs import check_outputs, written_together
from microveil.cli.reading import say_how_read

if TYPE_CHECKING:
    from microveil.plan import Inspection


@with_file_options()
def inspect(
    file: Annotated[Path, typer.Argument(help="the data file")],
    project: Annotated[Path, typer.Option("--project", "-p", help="where to write the project file")] = Path(
        "project.yaml"
    ),
    about: FileOptions = NO_OPTIONS,
    schema: Annotated[
        Path | None,
        typer.Option(help="where to write the JSON Schema of project files, which the project then names for editors"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="replace an existing project file")] = False,
) -> None:
    """Show kinds, proposed roles, rules and the risk before anything is done, and write a project file to edit."""
    from microveil import io, plan
    from microveil.plan.project_schema import schema_text

    outputs = {"--project": project, "--schema": schema}
    check_outputs({"the data file": file, **about.files}, outputs, force)
    data = io.read(
        file,
        roles=about.roles,
        kinds=about.kinds,
        hierarchies=about.hierarchies,
        missing=about.missing,
        edits=about.edits,
        **about.how,
    )
    with progress("inspecting") as show:
        found = plan.inspect(data, progress=show)
    relative = Path(os.path.relpath(file, project.parent)).as_posix()
    # before anything is shown: whoever reads the first lines only (inspect FILE | head) wants the file too
    proposed = plan.Project.propose(relative, io.sha256_of(file), data, found)
    with written_together(outputs) as places:
        if schema is not None:
            io.write_text(places["--schema"], schema_text())
        io.write_text(places["--project"], _for_editors(project, schema) + proposed.to_text())
    out.print(f"{file.name}: {counted(found.records, 'record')}, {counted(len(found.columns), 'column')}", markup=False)
    say_how_read(data)
    show_table(*found.cells, right=("distinct", "missing"))
    out.print(found.baseline, markup=False)
    for line in (*found.told_missing, *_inspected_again(found), *found.told_rules, *found.told_hierarchies):
        out.print(line, markup=False)
    if proposed.plan is None:
        out.print(
            f"Wrote {project}: check the roles in it. There is no plan in it: nothing calls for one.", markup=False
        )
        return
    out.print(f"Wrote {project}: check the roles, the scenario and the plan in it, then run", markup=False)
    out.print(f"  {shlex.join(('microveil', 'run', str(project)))}", markup=False)
    out.print("which makes a package, or for one protected file", markup=False)
    words = ("microveil", "protect", str(file), "--project", str(project), "-o", "OUT")
    out.print(f"  {shlex.join(words)}", markup=False)


def _inspected_again(found: Inspection) -> Iterator[str]:
    """The options that state codes which are stated nowhere yet: rules hold and a plan suits without them."""
    codes = dict.fromkeys(code for one in found.missing_codes for code in one.texts)
    if codes:
        options = " ".join(f"--na {shlex.quote(code)}" for code in codes)
        yield f"  Where they mean that, inspect again with {options}: rules and plan are then those of the rest."


def _for_editors(project: Path, schema: Path | None) -> str:
    """The line by which editors find the schema: named from where the project is, and only where there is one."""
    if schema is None:
        return ""
    return f"# yaml-language-server: $schema={Path(os.path.relpath(schema, project.parent)).as_posix()}\n"
