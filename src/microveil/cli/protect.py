"""`microveil protect`: one method or plan on one file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from microveil.cli.attack_table import show_attacks
from microveil.cli.completion import formulas as formulas_taken
from microveil.cli.completion import integer_policies, measures_named, method_names, missing_policies
from microveil.cli.console import complain, counted, names, out, progress, read_measures, settings
from microveil.cli.file_options import NO_OPTIONS, FileOptions, read_facts, with_file_options
from microveil.cli.outputs import LOG, check_outputs, written_together
from microveil.cli.reading import read_stated, say_broken_rules, say_how_read, tell_guessed
from microveil.core.errors import BadInput, BrokenPromise, NothingHidden, OverLimit
from microveil.core.parameters import nearest
from microveil.core.streams import Key

if TYPE_CHECKING:
    from microveil.data import Microdata
    from microveil.measure import Scenario
    from microveil.plan import Evaluation, Plan, Project, Verdict
    from microveil.run import Release

TITLES = ("drop", "keep")
ENGINES = ("memory", "blocks", "spark")
_MOST_NOTES = 8  # on the console: the verdict must not be lost below them


@with_file_options()
def protect(
    file: Annotated[Path, typer.Argument(help="the data file")],
    output: Annotated[Path, typer.Option("--output", "-o", help="the protected file to write")],
    method: Annotated[
        str | None,
        typer.Option(
            "--method", "-m", metavar="NAME", help="the method; see `microveil methods`", autocompletion=method_names
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="NAME=VALUE", help="a parameter of the method; for several say it again"),
    ] = None,
    columns: Annotated[str | None, typer.Option(help="columns to protect, separated by commas")] = None,
    given: Annotated[
        str | None, typer.Option(help="columns to keep and condition on; left out: none in groups, else all others")
    ] = None,
    by: Annotated[str | None, typer.Option(help="columns whose values form subdomains")] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="missing values: error (as without it), drop the records, or mask observed cells",
            autocompletion=missing_policies,
        ),
    ] = None,
    integers: Annotated[
        str | None,
        typer.Option(help="whole-number columns: round, or 'keep exact'", autocompletion=integer_policies),
    ] = None,
    plan_file: Annotated[Path | None, typer.Option("--plan", help="a plan file instead of --method")] = None,
    project: Annotated[
        Path | None,
        typer.Option(help="a project file: roles, kinds, rules and, without --method and --plan, the plan"),
    ] = None,
    about: FileOptions = NO_OPTIONS,
    titles: Annotated[
        str,
        typer.Option(
            metavar="CHOICE",
            help="variable labels of SPSS and Stata files: drop, or keep: read them",
            autocompletion=lambda: TITLES,
        ),
    ] = "drop",
    formulas: Annotated[
        str,
        typer.Option(
            metavar="CHOICE",
            help="CSV text that spreadsheets may run as a formula: keep, or refuse",
            autocompletion=formulas_taken,
        ),
    ] = "keep",
    log: Annotated[Path | None, typer.Option(help="where to keep the private log (key and plan, for replay)")] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="where to write a report with loss and risk: HTML, or PDF where the name ends so"),
    ] = None,
    measures: Annotated[
        str | None,
        typer.Option(
            help="quick, all (on every record of up to 300,000), or names separated by commas; see the guide",
            autocompletion=measures_named,
        ),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(help="a secret key to repeat a run, or @FILE that holds it; left out, a fresh one")
    ] = None,
    reproducible: Annotated[
        bool, typer.Option("--reproducible", help="accept a seed that can be guessed: for tests, not for a release")
    ] = False,
    accept_lost: Annotated[
        bool, typer.Option("--accept-lost", help="release although later steps ended promises of earlier ones")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="replace files that exist (never a log); use a project of another file")
    ] = False,
    engine: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="memory; or, for files of any size (FILE may be 'part*.parquet') into a folder, blocks or spark",
            autocompletion=lambda: ENGINES,
        ),
    ] = "memory",
    threads: Annotated[
        int | None, typer.Option(help="with --engine blocks (else 1) or spark (else all cores): blocks at a time")
    ] = None,
) -> None:
    """Protect a file with one method or a plan, and write the result only if every promise holds."""
    from microveil import io
    from microveil.data.schema import check_names
    from microveil.detect import refuse_unstated
    from microveil.plan import refuse_used_key_of, save_log, verdict_of
    from microveil.report import check_form

    if method is not None and plan_file is not None:
        raise BadInput("give either --method NAME or --plan FILE, not both")
    if engine not in ENGINES:
        raise BadInput(f"--engine {engine!r} is not one of {', '.join(ENGINES)}{nearest(engine, ENGINES)}")
    if engine != "memory":
        from microveil.cli.protect_blocks import engine_named, protect_blocks

        if report is not None or measures is not None or titles != "drop" or formulas != "keep" or force:
            raise BadInput(
                "--report, --measures, --titles, --formulas and --force need all records in memory, or one file to "
                f"replace; leave them out with --engine {engine}"
            )
        known = _project(project, file, force=True)
        stated = read_facts(known, about)
        protect_blocks(
            file,
            output,
            _plan(method, settings(set_ or []), columns, given, by, missing, plan_file, known),
            {**stated, **({} if integers is None else {"integers": integers})},
            known,
            {"--project": project, "--plan": plan_file, "--seed": _seed_file(seed), **about.files},
            log,
            _seed_of(seed),
            reproducible,
            accept_lost,
            engine_named(engine, threads),
        )
        return
    if threads is not None:
        raise BadInput("--threads belongs to --engine blocks and --engine spark; leave it out")
    asked = read_measures(measures)
    if measures is not None and report is None:
        raise BadInput("--measures says what the report holds; give --report FILE too, or leave it out")
    check_form(report)
    # the log first: a file without its key could not be replayed
    outputs = {LOG: log, "--report": report, "--output": output}
    inputs = {
        "the data file": file,
        "--project": project,
        "--plan": plan_file,
        "--seed": _seed_file(seed),
        **about.files,
    }
    check_outputs(inputs, outputs, force)
    if titles not in TITLES:
        raise BadInput(f"--titles {titles!r} is not one of {', '.join(TITLES)}{nearest(titles, TITLES)}")
    known = _project(project, file, force)
    stated = read_facts(known, about)
    data = read_stated(file, known, {**stated, **({} if integers is None else {"integers": integers})})
    say_how_read(data)
    say_broken_rules(data)
    plan = _plan(method, settings(set_ or []), columns, given, by, missing, plan_file, known)
    for option, named in _named_columns(plan, by_options=method is not None).items():
        check_names(named, list(data.columns), option)
    guessed: list[str] = []
    if known is None:
        data, guessed = _with_guessed_roles(data)
    io.check_writable(data, output, new_folder=True)
    # what the plan replaces may come out as new numbers: judged below, on what came out
    replaced = {name for step in plan.steps for name in step.columns or ()}
    refuse_unstated(data, redrawn=replaced, ways=_ways)
    key = _key(seed, reproducible, data, plan, log)
    with progress("protecting") as show, warnings.catch_warnings():
        # what came back whole is refused below, in words
        warnings.simplefilter("ignore", NothingHidden)
        release = plan.run(data, seed=key, progress=show)
    _refuse_lost(release, accept_lost)
    refuse_unstated(data, release.narwhal, release.redrawn, _ways)
    scenarios = known.scenarios if known is not None else ()
    figures = _figures(release, scenarios, asked) if report is not None else None
    verdict = verdict_of(release, scenarios, figures)
    if verdict.ok is False:
        if report is not None and figures is not None:
            with written_together({"--report": report}) as places:
                _report(
                    places["--report"], release, verdict, figures, {"original": (file, file)}, guessed, refused=True
                )
            out.print(f"Wrote {report} (internal: it says why nothing was released).", markup=False)
        _refuse_over_limit(verdict, "only the report" if report is not None else "nothing")
    with written_together(outputs) as places:
        written = io.write(
            release, places["--output"], reproducible=reproducible, titles=titles == "keep", formulas=formulas
        )
        if log is not None:
            refuse_used_key_of(release, log.parent)
            save_log(release, places[LOG], scenarios)
        notes = [note for note in (*guessed, *written.notes) if note not in release.notes]
        if report is not None and figures is not None:
            named_files = {"original": (file, file), "protected": (places["--output"], output)}
            _report(places["--report"], release, verdict, figures, named_files, notes)
    _show(release, guessed, [note for note in notes if note not in guessed], log, report)
    show_attacks(verdict.attacked, verdict.worst, report)
    out.print(repr(verdict), markup=False)
    if report is not None:
        out.print(f"Wrote {report} (internal: it holds risk figures).", markup=False)
    if log is not None:
        out.print(f"Wrote the private log {log} (keep it inside: it holds the key).", markup=False)
    out.print(
        f"Wrote {output} ({counted(written.rows, 'record')}, {counted(len(written.columns), 'column')}).", markup=False
    )


def _figures(release: Release, scenarios: tuple[Scenario, ...], measures: Any) -> Evaluation:
    from microveil.plan import evaluate

    with progress("measuring") as show:
        return evaluate(release.original, release, measures=measures, scenarios=scenarios, progress=show)


def _refuse_over_limit(verdict: Verdict, written: str) -> NoReturn:
    """A limit that the project states and the release does not keep is an error."""
    complain(verdict.line)
    for sentence in verdict.because:
        complain(sentence)
    raise OverLimit(
        f"a limit of the project is not kept, so {written} was written; {'; '.join(verdict.help)}; or state another "
        "limit under scenarios in the project file, if you may"
    )


def _show(release: Release, guessed: list[str], notes: list[str], log: Path | None, report: Path | None) -> None:
    """What was done and promised, against whom it protects, and the first notes; the report holds all of them."""
    every = [*guessed, *release.notes, *notes]
    if log is None:
        every.insert(0, "no private log was kept; with --log FILE `microveil replay` could write this file again")
    lines = [*release.told(), *(f"  {statement}" for statement in release.guarantee.statements)]
    lines += [f"  note: {note}" for note in every[:_MOST_NOTES]]
    more = len(every) - _MOST_NOTES
    if more > 0:
        where = f"see {report}" if report is not None else "the report holds them (--report FILE)"
        lines.append(f"  {counted(more, 'more note')}: {where}")
    for line in lines:
        out.print(line, markup=False)


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


def _seed_file(given: str | None) -> Path | None:
    return Path(given[1:]) if given is not None and given.startswith("@") else None


def _seed_of(given: str | None) -> str | None:
    """The seed as given, or the first line of the file that @FILE names: other users see the words of a command."""
    from microveil.io import read_text

    file = _seed_file(given)
    if file is None:
        return given
    lines = read_text(file).split()
    if not lines:
        raise BadInput(f"{str(file)!r} is empty; put the key into its first line")
    return lines[0]


def _refuse_lost(release: Release, accepted: bool) -> None:
    """Promises that later steps ended are told before anything is written, and accepted by word only."""
    if release.lost and not accepted:
        for text in release.lost:
            complain(f"given up: {text}")
        raise BrokenPromise("promises were given up; change the order of the steps, or accept this with --accept-lost")


def _project(path: Path | None, file: Path, force: bool) -> Project | None:
    """The project; one that was made for other bytes is used by word only."""
    if path is None:
        return None
    from microveil.plan import Project

    project = Project.load(path)
    if not force and file.is_file() and not project.is_about(file):
        raise BadInput(
            f"{file.name} is not as it was when {path.name} was written: the file changed since, or it is another one; "
            "inspect it again, or say --force if roles and plan still fit"
        )
    return project


def _with_guessed_roles(data: Microdata) -> tuple[Microdata, list[str]]:
    """Where nobody states roles, weights, households and strata are not taken for amounts; the guess is said."""
    from microveil.plan import with_technical_roles

    # an identifier is no guess: its role must be stated
    changed, listed = with_technical_roles(data, but=("identifier",))
    if not listed:
        return data, []
    return changed, [tell_guessed(listed)]


def _ways(names: list[Any]) -> str:
    """What to do about columns that look like identifiers, in the words of the command line."""
    left, kept = (" ".join(f"--role {name}={role}" for name in names) for role in ("identifier", "other"))
    it = "it" if len(names) == 1 else "them"
    return (
        f"say {left} to leave {it} out, {kept} to release {it} all the same, or state the roles in a project "
        "(microveil inspect FILE writes one, then --project project.yaml)"
    )


def _plan(
    method: str | None,
    chosen: dict[str, Any],
    columns: str | None,
    given: str | None,
    by: str | None,
    missing: str | None,
    plan_file: Path | None,
    project: Project | None,
) -> Plan:
    from microveil.cli.configure import configure
    from microveil.plan import Plan

    if method is None:
        told = "--plan" if plan_file is not None else "the plan of the project"
        plan = Plan.load(plan_file) if plan_file is not None else project.plan if project is not None else None
        if plan is None:
            where = "; the project has no plan" if project is not None else ""
            raise BadInput(f"give --method NAME, --plan FILE, or --project FILE with a plan in it{where}")
        if chosen or columns or given is not None or by or missing is not None:
            raise BadInput(
                f"{told} already says which methods and columns; leave --set, --columns, --given, --by and --missing "
                "out, or give --method NAME"
            )
        return plan
    step: dict[str, Any] = {"method": configure(method, chosen), "missing": missing or "error"}
    for name, text in {"columns": columns, "given": given, "by": by}.items():
        if text is not None:
            step[name] = [] if name == "given" and not text.strip() else names(text)
    return Plan([step])


def _named_columns(plan: Plan, *, by_options: bool) -> dict[str, list[Any]]:
    """The columns that the steps of a plan name, by what names them."""
    return {
        f"--{what}" if by_options else f"{what} of step {number} ({step.method.name})": list(getattr(step, what) or ())
        for number, step in enumerate(plan.steps, start=1)
        for what in ("columns", "given", "by")
    }


def _report(
    path: Path,
    release: Release,
    verdict: Verdict,
    figures: Evaluation,
    named: dict[str, tuple[Path, Path]],
    notes: list[str],
    *,
    refused: bool = False,
) -> None:
    """Write the report; `named` holds each file that it is about: where it is now, and what it will be called."""
    from microveil.measure import Pair
    from microveil.report import InternalContent, NamedFile, write_report

    files = [NamedFile.of(what, place, name) for what, (place, name) in named.items()]
    pair = Pair.of(release.original, release)
    content = InternalContent(
        pair, figures, release=release, verdict=verdict, files=files, notes=notes, refused=refused
    )
    write_report(path, content)
