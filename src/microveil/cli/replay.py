"""`microveil replay`: a logged release once more, to the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from microveil.cli.console import out
from microveil.core.errors import BadInput, BrokenPromise


def replay(
    log: Annotated[Path, typer.Argument(help="the private log of the release")],
    file: Annotated[Path, typer.Argument(help="the original data file")],
    output: Annotated[Path, typer.Option("--output", "-o", help="the file to write")],
    encoding: Annotated[str | None, typer.Option(help="the encoding of a text file, for example cp1252")] = None,
) -> None:
    """Run a logged release again on the same data and write the same file, byte for byte."""
    from microveil import io, plan

    known = plan.load_log(log)
    if output.exists():
        raise BadInput(f"{output} is there already; choose another name")
    facts = known["input"]["columns"]
    data = io.read(
        file,
        kinds={name: fact["kind"] for name, fact in facts.items() if fact["declared"]},
        levels={name: fact["levels"] for name, fact in facts.items() if "levels" in fact},
        missing={name: fact["missing"] for name, fact in facts.items() if "missing" in fact},
        encoding=encoding,
    )
    io.check_writable(data, output)
    release = plan.replay(known, data)
    if not release.written:
        raise BadInput(f"{log.name} says nothing about a written file; save the log after writing the release")
    first = release.written[-1]
    written = io.write(release, output, **first.arguments)
    if first.ending != release.written[-1].ending:
        out.print(
            f"Wrote {output} ({written.rows} records): the same release as in {log.name}, whose file ended in "
            f"{first.ending}, so that the bytes are others.",
            markup=False,
        )
        return
    if written.sha256 != first.sha256:
        output.unlink()
        raise BrokenPromise("the file came out with other bytes than the one in the log, and was removed again")
    out.print(f"Wrote {output} ({written.rows} records): the same bytes as in {log.name}.", markup=False)
