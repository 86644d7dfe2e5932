"""`microveil replay` of a release that was written in parts: files of any size, a block of rows at a time."""

from __future__ import annotations

from pathlib import Path

from microveil.cli.console import counted, out, progress
from microveil.cli.outputs import written_together
from microveil.core.errors import BadInput, BrokenPromise
from microveil.core.open_types import Json, Stated


def is_in_parts(log: Stated) -> bool:
    """Whether a release was written as a folder of files."""
    return any(one.get("parts") for one in log.get("written", ()))


def replay_blocks(log: Stated, name: str, file: Path, output: Path, reading: dict[str, str]) -> None:
    """Write the files of a logged release into a new folder, the same bytes or nothing."""
    from microveil.engines import scan
    from microveil.engines.files import named_files
    from microveil.io.formats import format_of
    from microveil.plan import replay
    from microveil.run.log import facts_in

    if output.exists():
        raise BadInput(
            f"{output} is there already; the release of {name} is a folder of files: give --output the name of a "
            "folder that is not"
        )
    if "sheet" in reading:
        raise BadInput("--sheet is for files that releases in parts are not made of; leave it out")
    is_text = format_of(named_files(file)[0]).name == "csv"
    # what text files are converted to lies beside the output until the end
    facts: Json = {**facts_in(log), **reading, **({"folder": output.absolute().parent} if is_text else {})}
    with progress("replaying"), written_together({"--output": output}) as places:
        release = replay(log, scan(file, **facts), into=places["--output"], engine="blocks")
        logged = [part["sha256"] for one in log["written"][-1:] for part in one["parts"]]
        if [part.sha256 for part in release.parts] != logged:
            raise BrokenPromise("the files came out with other bytes than those in the log; nothing was written")
    told = f"{counted(len(release), 'record')} in {counted(len(release.parts), 'file')}"
    out.print(f"Wrote {output} ({told}): the same bytes as in {name}.", markup=False)
