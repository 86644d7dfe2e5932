"""`microveil protect`: one method or plan on one file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from microveil.cli.configure import configure
from microveil.cli.console import codes, complain, facts, names, out, progress, settings
from microveil.cli.outputs import LOG, check_outputs, written_together
from microveil.core.errors import BadInput, BrokenPromise, NothingHidden
from microveil.core.streams import Key

if TYPE_CHECKING:
    from microveil.data import Microdata
    from microveil.plan import Plan
    from microveil.run import Release


def protect(
    file: Annotated[Path, typer.Argument(help="the data file")],
    output: Annotated[Path, typer.Option("--output", "-o", help="the protected file to write")],
    method: Annotated[str | None, typer.Option("--method", "-m", help="the method; see `microveil methods`")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", "-s", help="name=value, a parameter of the method")] = None,
    columns: Annotated[str | None, typer.Option(help="columns to protect, separated by commas")] = None,
    given: Annotated[
        str | None, typer.Option(help="columns to keep and condition on; left out: none in groups, else all others")
    ] = None,
    by: Annotated[str | None, typer.Option(help="columns whose values form subdomains")] = None,
    missing: Annotated[
        str | None, typer.Option(help="missing values: error (as without it), drop the records, or mask observed cells")
    ] = None,
    integers: Annotated[str | None, typer.Option(help="whole-number columns: round, or 'keep exact'")] = None,
    plan_file: Annotated[Path | None, typer.Option("--plan", help="a plan file instead of --method")] = None,
    project: Annotated[
        Path | None, typer.Option(help="a project file that states the columns' roles and kinds")
    ] = None,
    role: Annotated[list[str] | None, typer.Option("--role", help="column=role")] = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", help="column=kind")] = None,
    na: Annotated[
        list[str] | None, typer.Option("--na", help="a text or code that means missing, in any column")
    ] = None,
    log: Annotated[Path | None, typer.Option(help="where to keep the private log (key and plan, for replay)")] = None,
    report: Annotated[Path | None, typer.Option(help="where to write a report with loss and risk")] = None,
    seed: Annotated[
        str | None, typer.Option(help="a secret key to repeat a run, or @FILE that holds it; left out, a fresh one")
    ] = None,
    reproducible: Annotated[
        bool, typer.Option("--reproducible", help="accept a seed that can be guessed: for tests, not for a release")
    ] = False,
    accept_lost: Annotated[
        bool, typer.Option("--accept-lost", help="release although later steps ended promises of earlier ones")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="replace files that exist; a log is never replaced")] = False,
) -> None:
    """Protect a file with one method or a plan, and write the result only if every promise holds."""
    from microveil import io
    from microveil.plan import refuse_used_key_of, save_log

    if (method is None) == (plan_file is None):
        raise BadInput("give either --method NAME or --plan FILE")
    # the log first: a file without its key could not be replayed
    outputs = {LOG: log, "--report": report, "--output": output}
    check_outputs({"the data file": file, "--project": project, "--plan": plan_file}, outputs, force)
    data = _read(file, project, facts(role or [], "role"), facts(kind or [], "kind"), integers, na or [])
    plan = _plan(method, settings(set_ or []), columns, given, by, missing, plan_file)
    guessed: list[str] = []
    if project is None:
        named = {name for text in (columns, given, by) if text for name in names(text) or ()}
        data, guessed = _with_guessed_roles(data, {*facts(role or [], "role"), *named})
    io.check_writable(data, output, new_folder=True)
    key = _key(seed, reproducible, data, plan, log)
    with progress("protecting") as show, warnings.catch_warnings():
        # what came back whole is refused below, in words
        warnings.simplefilter("ignore", NothingHidden)
        release = plan.run(data, seed=key, progress=show)
    _refuse_lost(release, accept_lost)
    with written_together(outputs) as places:
        written = io.write(release, places["--output"], reproducible=reproducible)
        if log is not None:
            refuse_used_key_of(release, log.parent)
            save_log(release, places[LOG])
        if report is not None:
            _report(places["--report"], release)
    _show(release, [*guessed, *written.notes], log)
    if report is not None:
        out.print(f"Wrote {report} (internal: it holds risk figures).", markup=False)
    out.print(f"Wrote {output} ({written.rows} records, {len(written.columns)} columns).", markup=False)


def _show(release: Release, notes: list[str], log: Path | None) -> None:
    out.print(repr(release), markup=False)
    for statement in release.guarantee.statements:
        out.print(f"  {statement}", markup=False)
    for note in notes:
        out.print(f"  note: {note}", markup=False)
    if log is None:
        out.print("  note: no private log was kept; with --log FILE this run could be replayed", markup=False)


def _key(seed: str | None, reproducible: bool, data: Microdata, plan: Plan, log: Path | None) -> Key:
    """The key of the run; one that can be guessed, or that a log beside the new one used before, is refused."""
    from microveil.data import fingerprint
    from microveil.plan import refuse_used_key

    key = Key.of(_seed_of(seed))
    if not key.strong and not reproducible:
        raise BadInput(
            "--seed can be guessed, and who guesses it undoes the protection; leave it out, so that a fresh key is "
            "drawn, give 64 random hexadecimal digits, or say --reproducible if the file is not a real release"
        )
    if seed is not None and log is not None:
        steps = [step.to_mapping() for step in plan.steps]
        refuse_used_key(key.hex, fingerprint(data), steps, log.parent)
    return key


def _seed_of(given: str | None) -> str | None:
    """The seed as given, or the first line of the file that @FILE names: other users see the words of a command."""
    from microveil.io import read_text

    if given is None or not given.startswith("@"):
        return given
    lines = read_text(given[1:]).split()
    if not lines:
        raise BadInput(f"{given[1:]!r} is empty; put the key into its first line")
    return lines[0]


def _refuse_lost(release: Release, accepted: bool) -> None:
    """Promises that later steps ended are told before anything is written, and accepted by word only."""
    if release.lost and not accepted:
        for text in release.lost:
            complain(f"given up: {text}")
        raise BrokenPromise("promises were given up; change the order of the steps, or accept this with --accept-lost")


def _read(
    file: Path,
    project: Path | None,
    roles: dict[str, str],
    kinds: dict[str, str],
    integers: str | None,
    na: list[str],
) -> Microdata:
    from microveil import io
    from microveil.plan import Project

    known: dict[str, Any] = Project.load(project).facts if project is not None else {}
    known = {**known, "roles": {**known.get("roles", {}), **roles}, "kinds": {**known.get("kinds", {}), **kinds}}
    if integers is not None:
        known["integers"] = integers
    if na:
        if known.get("missing"):
            raise BadInput("the project already says which codes mean missing; leave --na out")
        known["missing"] = codes(na)
    return io.read(file, **known)


def _with_guessed_roles(data: Microdata, stated: set[str]) -> tuple[Microdata, list[str]]:
    """Where nobody states roles, columns that look like identifiers or technical ones are not taken for amounts."""
    from microveil.plan import with_technical_roles

    changed, listed = with_technical_roles(data, stated)
    if not listed:
        return data, []
    return changed, [f"nobody stated roles; taken for what they look like: {listed}; decide with --role or --project"]


def _plan(
    method: str | None,
    chosen: dict[str, Any],
    columns: str | None,
    given: str | None,
    by: str | None,
    missing: str | None,
    plan_file: Path | None,
) -> Plan:
    from microveil.plan import Plan

    if plan_file is not None:
        if chosen or columns or given is not None or by or missing is not None:
            raise BadInput(
                "--plan already says which methods and columns; leave --set, --columns, --given, --by and --missing out"
            )
        return Plan.load(plan_file)
    assert method is not None
    step: dict[str, Any] = {"method": configure(method, chosen), "missing": missing or "error"}
    for name, text in {"columns": columns, "given": given, "by": by}.items():
        if text is not None:
            step[name] = [] if name == "given" and not text.strip() else names(text)
    return Plan([step])


def _report(path: Path, release: Release) -> None:
    from microveil.measure import Pair
    from microveil.plan import evaluate
    from microveil.report import write_report

    with progress("measuring") as show:
        figures = evaluate(release.original, release, progress=show)
    write_report(path, Pair.of(release.original, release), figures, release=release)
