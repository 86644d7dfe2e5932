"""`microveil benchmark`: the field in one league table, on reference or generated data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from microveil.cli.console import out, progress, show_table
from microveil.cli.outputs import written_together
from microveil.cli.stopping import note_begun
from microveil.core.errors import BadInput

if TYPE_CHECKING:
    from microveil.benchmark import Result

_SHOWN = 15


def benchmark(
    data: Annotated[
        list[str] | None,
        typer.Argument(help="census, eia or generated; left out: the reference files that are found, else generated"),
    ] = None,
    folder: Annotated[
        Path, typer.Option(help="where results are noted as they come; a run that was stopped goes on there")
    ] = Path("benchmark"),
    seed: Annotated[str | None, typer.Option(help="another seed than that of the published page")] = None,
    most: Annotated[int | None, typer.Option(help="only so many plans, from the beginning of the catalogue")] = None,
    most_seconds: Annotated[int, typer.Option(help="a plan that takes longer with its measures is ended")] = 60,
    docs: Annotated[
        Path | None, typer.Option(help="a folder: write benchmark.md and its maps there", metavar="FOLDER")
    ] = None,
) -> None:
    """Run a fixed catalogue of plans and rank them: published maskings, every method, hybrids, synthetic data."""
    from microveil import benchmark as room

    names = tuple(dict.fromkeys(data)) if data else room.available()
    for name in names:
        room.check_name(name)
    room.check_numbers(most, most_seconds)
    if docs is not None and docs.exists() and not docs.is_dir():
        raise BadInput(f"--docs {docs} is a file; name a folder, in which benchmark.md and its maps are written")
    phrase = room.DEFAULT_SEED if seed is None else seed
    found = {}
    for name in names:
        with progress(f"benchmark on {name}") as show:
            told = note_begun(folder / room.JOURNALS.format(name=name), "the same command goes on from there", show)
            found[name] = room.run(name, folder, seed=phrase, most=most, most_seconds=most_seconds, progress=told)
        ranked = room.league(found[name])
        out.print(f"{name}: {len(found[name])} plans, {len(ranked)} of them in the league.", markup=False)
        head, rows = room.league_rows(ranked[:_SHOWN])
        show_table(head, rows, right=[one for one in head if one not in ("plan", "by which attack")])
    out.print(f"All results are in {folder}/; the same command goes on from there.", markup=False)
    if docs is not None:
        _write(docs, found, phrase)


def _write(docs: Path, found: dict[str, tuple[Result, ...]], seed: str) -> None:
    from microveil import benchmark as room
    from microveil.io import write_text

    outputs: dict[str, Path | None] = {"benchmark.md": docs / "benchmark.md"}
    outputs |= {name: docs / room.map_name(name) for name in found}
    with written_together(outputs) as places:
        write_text(places["benchmark.md"], room.render_markdown(found, seed))
        for name, results in found.items():
            write_text(places[name], room.map_svg(results) + "\n")
    for path in outputs.values():
        out.print(f"Wrote {path}.", markup=False)
