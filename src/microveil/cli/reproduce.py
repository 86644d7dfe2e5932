"""`microveil reproduce`: the papers' tables, ours beside theirs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from microveil.cli.console import out, progress
from microveil.cli.outputs import check_outputs, written_together

if TYPE_CHECKING:
    from microveil.reproduce import PaperTable, Reproduction


def reproduce(
    table: Annotated[list[str] | None, typer.Argument(help="tables by name; all of them if none is named")] = None,
    draws: Annotated[int | None, typer.Option(help="draws for each figure, instead of the table's own number")] = None,
    seed: Annotated[str | None, typer.Option(help="another seed than that of the published page")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="write a page: .html or .md")] = None,
    list_tables: Annotated[bool, typer.Option("--list", help="only list the tables")] = False,
    force: Annotated[bool, typer.Option("--force", help="replace a page that exists")] = False,
) -> None:
    """Run the tables of the papers and show ours beside theirs; cells that do not agree are marked."""
    from microveil import reproduce as room

    chosen = [room.table(name) for name in table] if table else list(room.tables())
    if list_tables:
        for entry in chosen:
            out.print(f"{entry.name:<25} {entry.title}", markup=False)
        return
    if output is not None:
        room.check_ending(output)
        check_outputs({}, {"--output": output}, force)
    _check_data(chosen)
    phrase = room.DEFAULT_SEED if seed is None else seed
    done = _run(chosen, draws, phrase, show=output is None)
    if output is not None:
        with written_together({"--output": output}) as places:
            room.write_page(places["--output"], done, phrase)
    out.print(room.legend_text(done), markup=False)
    if output is not None:
        out.print(f"Wrote {output}.", markup=False)


def _check_data(chosen: list[Reproduction]) -> None:
    """Say before the work begins that a reference file is missing."""
    from microveil.datasets import load

    for name in dict.fromkeys(name for entry in chosen for name in entry.data):
        load(name)


def _run(chosen: list[Reproduction], draws: int | None, seed: str, *, show: bool) -> list[PaperTable]:
    from microveil.core.streams import Key
    from microveil.reproduce import table_text

    done = []
    for number, entry in enumerate(chosen, start=1):
        with progress("reproducing") as report:
            report(entry.name, number, len(chosen))
            done.append(entry.run(draws, Key.of(seed)))
        if show:
            out.print(table_text(done[-1]), markup=False)
    return done
