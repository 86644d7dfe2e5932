"""`microveil protect --engine blocks` and `spark`: files of any size, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microveil.cli.console import complain, counted, out, progress
from microveil.cli.outputs import LOG, check_outputs, written_together
from microveil.core.errors import BadInput, BrokenPromise
from microveil.core.streams import Key

if TYPE_CHECKING:
    from microveil.engines import BlockEngine, FileRelease, Scan, SparkEngine
    from microveil.plan import Plan, Project


def protect_blocks(
    file: Path,
    output: Path,
    plan: Plan,
    stated: Mapping[str, Any],
    project: Project | None,
    inputs: Mapping[str, Path | None],
    log: Path | None,
    seed: str | None,
    reproducible: bool,
    accept_lost: bool,
    engine: BlockEngine | SparkEngine,
) -> None:
    """Protect scanned files into a folder, and write nothing unless every promise that blocks tell holds."""
    _refuse_limits(project, engine.name)
    check_outputs(inputs, {LOG: log}, force=False)
    if output.exists():
        raise BadInput(f"{output} is there already; give --output the name of a folder that is not")
    key = Key.of(seed)
    if not key.strong and not reproducible:
        raise BadInput(
            "--seed can be guessed, and who guesses it undoes the protection; leave it out, so that a fresh key is "
            "drawn, give 64 random hexadecimal digits, or say --reproducible if the file is not a real release"
        )
    # from here to the end by the same threads, or the same session of Spark
    with engine.working():
        source, guessed = _scanned(file, stated, project, engine)
        release = _protected(source, output, plan, log, key, reproducible, accept_lost, engine)
    _show(release, guessed, log)
    out.print(
        f"Wrote {output} ({counted(len(release), 'record')} in {counted(len(release.parts), 'file')}).", markup=False
    )


def engine_named(name: str, threads: int | None) -> BlockEngine | SparkEngine:
    """The engine that --engine names, with as many threads as --threads says."""
    from microveil.engines import BlockEngine, SparkEngine

    return SparkEngine(threads=threads) if name == "spark" else BlockEngine(1 if threads is None else threads)


def _protected(
    source: Scan,
    output: Path,
    plan: Plan,
    log: Path | None,
    key: Key,
    reproducible: bool,
    accept_lost: bool,
    engine: BlockEngine | SparkEngine,
) -> FileRelease:
    from microveil.plan import refuse_used_key_of, save_log

    with written_together({LOG: log, "--output": output}) as places:
        with progress("protecting") as show:
            release = plan.run(
                source,
                into=places["--output"],
                seed=key,
                engine=engine,
                reproducible=reproducible,
                progress=show,
            )
        release = replace(release, folder=output)
        if release.lost and not accept_lost:
            for text in release.lost:
                complain(f"given up: {text}")
            raise BrokenPromise(
                "promises were given up; change the order of the steps, or accept this with --accept-lost"
            )
        if log is not None:
            refuse_used_key_of(release, log.parent)
            save_log(release, places[LOG])
    return release


def _refuse_limits(project: Project | None, engine: str) -> None:
    """Limits of a project are judged by figures that need all records in memory."""
    if project is not None and project.scenarios:
        raise BadInput(
            "the project states scenarios, and what they ask is measured with all records in memory; leave them out of "
            f"the project with --engine {engine}, or protect a sample in memory to judge the plan first"
        )


def _scanned(
    file: Path, stated: Mapping[str, Any], project: Project | None, engine: BlockEngine | SparkEngine
) -> tuple[Scan, list[str]]:
    from microveil.engines import scan
    from microveil.plan import with_technical_roles

    facts = dict(stated)
    odd = [name for name in ("encoding", "decimal", "delimiter", "sheet") if facts.pop(name, None) is not None]
    if odd:
        raise BadInput(f"--{odd[0]} is for files that --engine {engine.name} does not read; leave it out")
    source = scan(file, **facts, engine=engine)
    if project is not None:
        return source, []
    _, first = next(iter(source.blocks()))
    # where nobody states roles, weights and strata are not taken for amounts; the guess is said
    changed, listed = with_technical_roles(first, but=("identifier",))
    if not listed:
        return source, []
    found = {name: changed.roles[name] for name in changed.stated}
    note = f"nobody stated roles; taken for what they look like: {listed}; decide with --role or --project"
    return scan(file, **{**facts, "roles": found}, engine=engine), [note]


def _show(release: FileRelease, guessed: list[str], log: Path | None) -> None:
    notes = [*guessed, *release.notes]
    if log is None:
        notes.insert(0, "no private log was kept; with --log FILE the release could be made again")
    for line in (*release.told(), *(f"  note: {note}" for note in notes)):
        out.print(line, markup=False)
    out.print("Loss and risk were not measured: that needs all records, or a sample of them, in memory.", markup=False)
    if log is not None:
        out.print(f"Wrote the private log {log} (keep it inside: it holds the key).", markup=False)
