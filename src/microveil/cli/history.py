"""`microveil history`: the runs of a project, and what changed from one to another."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from microveil.cli.console import out, show_table
from microveil.core.errors import BadInput
from microveil.core.numbers import format_number
from microveil.core.printable import one_line

if TYPE_CHECKING:
    from microveil.package.past_runs import PastRun

_HEAD = ("run", "date", "title", "plan", "PIL, %", "loss of categories, %", "worst, %", "limits", "signed", "review")
_WIDEST = 40  # signs of a plan; `history compare` tells whole plans


def history(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FOLDER | compare RUN RUN",
            help="the folder of a project or of its runs (left out: this one); or `compare` and two runs",
        ),
    ] = None,
    folder: Annotated[Path, typer.Option("--folder", metavar="FOLDER", help="where the runs to compare are")] = Path(),
) -> None:
    """Show the runs of a project with verdicts, signatures and days of review; or compare two of them.

    Figures of risk are shown: the list stays inside.
    """
    from microveil.package.past_runs import compare_runs, find_run
    from microveil.package.past_runs import history as list_runs

    given = words or []
    if given[:1] == ["compare"]:
        if len(given) != 3:
            raise BadInput("compare takes two runs, as in: microveil history compare 0001 0002")
        one, other = (find_run(folder, number) for number in given[1:])
        told = compare_runs(one, other)
        out.print(f"From run {one.number} ({one.date}) to run {other.number} ({other.date}):", markup=False)
        for line in told:
            out.print(f"  {line}", markup=False)
        return
    if len(given) > 1:
        raise BadInput(
            f"give one folder; {given!r} are {len(given)} words (microveil history compare 0001 0002 compares)"
        )
    place = Path(given[0]) if given else folder
    runs = list_runs(place)
    if not runs:
        out.print(f"There are no runs in {place}; `microveil run project.yaml` makes the first.", markup=False)
        return
    show_table(_HEAD, [_row(one) for one in runs], right=_HEAD[4:7])
    for one in runs:
        if one.problem:
            out.print(f"Run {one.number} cannot be told of: {one.problem}", markup=False)
    for problem in dict.fromkeys(one.register_problem for one in runs if one.register_problem):
        why = f"{problem[:1].upper()}{problem[1:]}"
        out.print(f"{why}; so nobody can say which runs were revoked.", markup=False)
    for one in runs:
        if one.revoked:
            out.print(f"Run {one.number} was revoked {one.revoked}", markup=False)
        if one.signatures_told:
            out.print(f"Run {one.number} {one.signatures_told}.", markup=False)
    for one in runs:
        if one.is_due(datetime.now().astimezone().date()):
            out.print(f"Run {one.number} had to be looked at again by {one.review}.", markup=False)


def _short(steps: list[str]) -> str:
    """A plan in a few words: with settings, else by the names of its methods, of many the first and how many more."""
    names = [step.partition(" (")[0] for step in steps]
    more = f"{names[0]} and {len(names) - 1} more steps" if len(names) > 1 else "".join(names)
    return next((text for text in ("; ".join(steps), "; ".join(names)) if len(text) <= _WIDEST), more)


def _row(one: PastRun) -> tuple[str, ...]:
    if one.problem:
        return (one.number, *[""] * 6, "cannot be read", "", "")
    plan = _short([line.rsplit(" on ", 1)[0] for line in one.plan])
    told = (one.loss, one.loss_of_categories, one.worst)
    figures = ("" if value is None else format_number(value) for value in told)
    of = f" of {len(one.signers)}" if len(one.signers) > 1 else ""
    signed = f"by {one.signatures}{of}" if one.signatures else "no"
    return (one.number, one.date, one_line(one.title), plan, *figures, one.limits, signed, one.review)
