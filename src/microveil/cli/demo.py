"""`microveil demo`: the whole job on generated data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from microveil.cli.console import out, progress
from microveil.cli.outputs import LOG, check_outputs, written_together
from microveil.core.errors import BadInput
from microveil.core.measured import Measured
from microveil.core.numbers import format_number

if TYPE_CHECKING:
    from microveil.data import Microdata
    from microveil.measure import Scenario
    from microveil.plan import Plan
    from microveil.plan.comparison import Trial
    from microveil.synth import Synthesiser

_FOLDER = Path("microveil-demo")
_SIGNED_FOLDER = Path("microveil-demo-signed")
_RECORDS, _SIGNED_RECORDS = 1500, 600
_K = 10
_CHOSEN, _WITHOUT = f"hybrid k={_K}", "no rules"


def demo(
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder", "-d", metavar="FOLDER", help="where to put what comes out; left out: a new microveil-demo"
        ),
    ] = None,
    records: Annotated[
        int | None, typer.Option("--records", "-n", help="how many records to generate; left out: 1500, or 600 signed")
    ] = None,
    signed: Annotated[
        bool, typer.Option("--signed", help="the whole way to signed packages, of people and of enterprises")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="replace files that exist (never a log)")] = False,
) -> None:
    """Generate a business file, protect it, measure loss and risk, compare settings, write the report.

    With --signed two files are carried to signed packages instead, by commands that are shown: inspect, run, key, sign,
    audit, history.
    """
    if records is not None and records < 50:
        raise BadInput(f"--records must be 50 or more; {records} are too few to show anything")
    if signed:
        if force:
            raise BadInput("packages are never replaced; leave --force out, and give --folder a new name")
        from microveil.cli.demo_release import show_release

        place = folder if folder is not None else _free_folder(_SIGNED_FOLDER)
        if os.path.lexists(place):
            raise BadInput(f"--folder {place} is there already, and packages are never replaced; give it a new name")
        show_release(place, records or _SIGNED_RECORDS)
        return
    _demo(folder, records or _RECORDS, force)


def _demo(folder: Path | None, records: int, force: bool) -> None:
    from microveil import io, loss, risk
    from microveil.cli.demo_data import demo_data
    from microveil.measure import Pair
    from microveil.plan import compare, evaluate, save_log, verdict_of
    from microveil.report import InternalContent, NamedFile, write_report

    if folder is None:
        folder = _FOLDER if force else _free_folder(_FOLDER)
    # the log first: a file without its key could not be replayed
    outputs: dict[str, Path | None] = {LOG: folder / "private" / "log.json"}
    outputs |= {name: folder / name for name in ("plan.yaml", "protected.csv", "report.html")}
    check_outputs({}, outputs, force, named_by="--folder")
    data = demo_data(records)
    amounts = len(data.names("confidential"))
    out.print(f"Generated {records} enterprises with {amounts} confidential amounts and {len(data.edits)} rules.")
    released, scenarios = data.names("key", "confidential"), _scenarios(data)
    chosen = _hybrid(_K, released)
    with progress("protecting") as show:
        release = chosen.run(data, progress=show)
    for verdict in release.check():
        out.print(f"  promise {verdict}", markup=False)
    for text in release.lost:
        out.print(f"  given up: {text}", markup=False)
    for statement in release.guarantee.statements:
        out.print(f"  {statement}", markup=False)
    with progress("measuring") as show:
        figures = evaluate(data, release, scenarios=scenarios, progress=show)
    judged = verdict_of(release, scenarios, figures)
    with progress("comparing settings") as show:
        trials = compare(data, _candidates(released), loss.PIL(), risk.GlobalLinkage(), progress=show)
    out.print(_tell_rules(trials), markup=False)
    if isinstance(figures.worst, Measured):
        out.print(f"{figures.worst.reading} Before it was {format_number(judged.before.linked)} %.", markup=False)
    out.print(f"Probabilistic information loss: {figures['PIL'].value:.1f} of 100.")
    with written_together(outputs) as places:
        written = io.write(release, places["protected.csv"])
        chosen.save(places["plan.yaml"])
        save_log(release, places[LOG], scenarios)
        content = InternalContent(
            Pair.of(data, release),
            figures,
            release=release,
            verdict=judged,
            trials=trials,
            files=[NamedFile.of("protected", places["protected.csv"])],
            notes=written.notes,
            title="Enterprise survey: what was lost, what is at risk",
        )
        write_report(places["report.html"], content)
    out.print(f"Wrote into {folder}/:", markup=False)
    for name, what in {
        "report.html": "the report to read: open it in a browser",
        "protected.csv": "the protected file",
        "plan.yaml": "the plan, to edit and run again",
        "private/log.json": "the private log: key and plan, to replay; keep it secret",
    }.items():
        out.print(f"  {name:<18} {what}", markup=False)


def _free_folder(usual: Path) -> Path:
    """The usual folder, or the first of the same name with a number that is not there yet."""
    numbered = (usual.with_name(f"{usual.name}-{number}") for number in count(2))
    return next(folder for folder in chain([usual], numbered) if not os.path.lexists(folder))


def _scenarios(data: Microdata) -> tuple[Scenario, ...]:
    """Somebody who knows all that is released, with a limit of twice what groups of 10 let through on average."""
    from microveil.measure import Scenario

    limits = {"risk": 0.2, "share": 20.0}
    return (Scenario("all keys and amounts", data.names("key"), data.names("confidential"), limits),)


def _hybrid(k: int, released: Sequence[str], synthesiser: Synthesiser | None = None) -> Plan:
    """Keys and amounts redrawn in the same groups, so that their bound holds for all that is released together."""
    from microveil import hybrid, partition
    from microveil.plan import Plan

    return Plan([(hybrid.MicroHybrid(partition=partition.MDAV(k=k), synthesiser=synthesiser), released)])


def _tell_rules(trials: Sequence[Trial]) -> str:
    """How many records break a rule in the hybrid that keeps rules and in the one that does not."""
    by_label = {trial.label: trial for trial in trials}
    kept, freely = (by_label[label].rules.after for label in (_CHOSEN, f"{_CHOSEN}, {_WITHOUT}"))
    return f"{kept} released records break a rule; with the same groups and exact moments, but no rules, {freely} do."


def _candidates(released: Sequence[str]) -> dict[str, Plan]:
    """Plans to compare; all of them protect keys and amounts."""
    from microveil import mask, partition, synth
    from microveil.plan import Plan

    plans: dict[str, Plan] = {}
    for k in (3, 5, 10, 20):
        grouped = (mask.KAnonymise(k=k, partition=partition.MDAV(k=k), release="average"), released)
        plans[f"microaggregation k={k}"] = Plan([grouped])
        plans[f"hybrid k={k}"] = _hybrid(k, released)
        plans[f"hybrid k={k}, {_WITHOUT}"] = _hybrid(k, released, synth.Ipso())
        plans[f"rescaled k={k}"] = Plan([grouped, mask.Rescale()])
    keys = mask.KAnonymise(k=5)
    for width in (2, 7, 15):
        plans[f"rank swap {width} %"] = Plan([keys, mask.RankSwap(p=width)])
    for size in (0.05, 0.16, 0.3):
        plans[f"noise {size}"] = Plan([keys, mask.UncorrelatedNoise(p=size)])
        plans[f"exact noise {size}"] = Plan([keys, mask.ExactNoise(p=size)])
    return plans
