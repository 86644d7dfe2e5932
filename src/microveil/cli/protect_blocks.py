"""`microveil protect --engine blocks` and `spark`: files of any size, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microveil.cli.console import complain, counted, out, progress
from microveil.cli.outputs import LOG, check_outputs, written_together
from microveil.cli.reading import tell_guessed
from microveil.core.errors import BadInput, BrokenPromise, OverLimit
from microveil.core.streams import Key

if TYPE_CHECKING:
    from microveil.engines import BlockEngine, FileRelease, Scan, SparkEngine
    from microveil.measure import Scenario
    from microveil.plan import Plan, Project, VerdictOfFiles


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
        with progress("scanning"):
            source, guessed = _scanned(file, output, stated, project, engine)
        scenarios = project.scenarios if project is not None else ()
        release, verdict = _protected(source, output, plan, log, key, reproducible, accept_lost, engine, scenarios)
    _show(release, guessed, log, verdict)
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
    scenarios: tuple[Scenario, ...],
) -> tuple[FileRelease, VerdictOfFiles | None]:
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
        if release.lost and not accept_lost:
            for text in release.lost:
                complain(f"given up: {text}")
            raise BrokenPromise(
                "promises were given up; change the order of the steps, or accept this with --accept-lost"
            )
        verdict = _judged(release, scenarios) if scenarios else None
        if log is not None:
            refuse_used_key_of(release, log.parent)
            save_log(release, places[LOG], scenarios)
    return release.moved_to(output), verdict


def _judged(release: FileRelease, scenarios: tuple[Scenario, ...]) -> VerdictOfFiles:
    """The verdict under the limits of the project; one that is not kept, or not shown to be, is an error."""
    from microveil.plan import evaluate, verdict_of_files

    with progress("measuring") as show:
        figures = evaluate(release, measures="quick", scenarios=scenarios, progress=show)
    verdict = verdict_of_files(release, scenarios, figures)
    if verdict.ok is False:
        complain(verdict.line)
        for sentence in verdict.because:
            complain(sentence)
        raise OverLimit(
            "a limit of the project is not kept, or not shown to be, so nothing was written; "
            f"{'; '.join(verdict.help)}; or state another limit under scenarios in the project file, if you may"
        )
    return verdict


def _scanned(
    file: Path, output: Path, stated: Mapping[str, Any], project: Project | None, engine: BlockEngine | SparkEngine
) -> tuple[Scan, list[str]]:
    from microveil.engines import scan
    from microveil.engines.files import named_files
    from microveil.io.formats import format_of
    from microveil.plan import with_technical_roles

    # titles of columns and labels of values are for a codebook, which is not written here
    facts = {what: value for what, value in stated.items() if what not in ("titles", "labels")}
    if facts.pop("sheet", None) is not None:
        raise BadInput(f"--sheet is for files that --engine {engine.name} does not read; leave it out")
    if format_of(named_files(file)[0]).name == "csv":
        # what the files are converted to lies beside the output until the end
        facts["folder"] = output.absolute().parent
    source = scan(file, **facts, engine=engine)
    if project is not None:
        return source, []
    _, first = next(iter(source.blocks()))
    # where nobody states roles, weights and strata are not taken for amounts; the guess is said
    changed, listed = with_technical_roles(first, but=("identifier",))
    if not listed:
        return source, []
    found = {name: changed.roles[name] for name in changed.stated}
    if engine.name == "blocks":
        return source.stated_as({"roles": found}), [tell_guessed(listed)]
    return scan(file, **{**facts, "roles": found}, engine=engine), [tell_guessed(listed)]


def _show(release: FileRelease, guessed: list[str], log: Path | None, verdict: VerdictOfFiles | None) -> None:
    notes = [*guessed, *release.notes]
    if log is None:
        notes.insert(0, "no private log was kept; with --log FILE the release could be made again")
    for line in (*release.told(), *(f"  note: {note}" for note in notes)):
        out.print(line, markup=False)
    not_asked = ["Loss and risk were not measured: state scenarios in a project, or evaluate the files in Python."]
    for line in not_asked if verdict is None else verdict.told():
        out.print(line, markup=False)
    if log is not None:
        out.print(f"Wrote the private log {log} (keep it inside: it holds the key).", markup=False)
