"""`microveil replay`: a logged release once more, to the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from microveil.cli.console import counted, out
from microveil.cli.outputs import check_outputs, written_together
from microveil.cli.reading import Decimal, Delimiter, Encoding, Sheet, reading_options
from microveil.cli.replay_blocks import is_in_parts, replay_blocks
from microveil.core.errors import BadInput, BrokenPromise


def replay(
    log: Annotated[Path, typer.Argument(help="the private log of the release")],
    file: Annotated[Path, typer.Argument(help="the original data file")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="the file to write; a new folder for a release of --engine blocks")
    ],
    encoding: Encoding = None,
    decimal: Decimal = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    force: Annotated[bool, typer.Option("--force", help="replace a file that exists")] = False,
) -> None:
    """Run a logged release again on the same data and write the same file, byte for byte."""
    from microveil import io, plan
    from microveil.io.formats import ending_of

    reading = reading_options(encoding, decimal, delimiter, sheet)
    known = plan.load_log(log)
    if is_in_parts(known):
        replay_blocks(known, log.name, file, output, reading)
        return
    check_outputs({"the log": log, "the data file": file}, {"--output": output}, force)
    data = plan.read_logged(known, file, **reading)
    io.check_writable(data, output, new_folder=True)
    release = plan.replay(known, data)
    if not release.written:
        raise BadInput(f"{log.name} says nothing about a written file; save the log after writing the release")
    wrote = release.written
    # of a release that was written in several formats, the one that is asked for
    first = next((one for one in wrote if one.ending == ending_of(output)), wrote[-1])
    with written_together({"--output": output}) as places:
        written = io.write(release, places["--output"], **first.arguments)
        same_format = first.ending == release.written[-1].ending
        if same_format and written.sha256 != first.sha256:
            raise BrokenPromise("the file came out with other bytes than the one in the log; nothing was written")
    endings = ", ".join(one.ending for one in wrote)
    told = (
        f"the same bytes as in {log.name}."
        if same_format
        else f"the same release as in {log.name}, whose file ended in {endings}, so that the bytes are others."
    )
    out.print(f"Wrote {output} ({counted(written.rows, 'record')}): {told}", markup=False)
