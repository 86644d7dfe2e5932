"""`microveil run --engine blocks` and `spark`: a package of files of any size."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from microveil.cli.console import out, progress
from microveil.cli.protect_blocks import engine_named

if TYPE_CHECKING:
    from microveil.plan.evaluation import Measures


def run_blocks(
    project: Path,
    engine: str,
    threads: int | None,
    into: Path | None,
    title: str | None,
    review: str | None,
    settings: bool,
    accept_lost: bool,
    measures: Measures,
) -> None:
    """Scan, protect, measure, judge, write and audit, a block of rows at a time."""
    from microveil.package import run_project_in_blocks

    with progress("running") as show:
        made = run_project_in_blocks(
            project,
            engine_named(engine, threads),
            into=into,
            title=title,
            review=review,
            tell_settings=settings,
            accept_lost=accept_lost,
            measures=measures,
            progress=show,
        )
    internal = made.package.internal
    checked = sum(one.state == "holds" for one in made.findings)
    left = sum(one.state == "not checked" for one in made.findings)
    lines = [
        *made.release.told(),
        *made.verdict.told(),
        f"The audit finds no fault in {checked} checks; {left} could not be made (see {internal / 'audit.txt'}).",
        f"Wrote {made.package.public} (to give away, once it is signed; the records are Parquet files).",
        f"Wrote {internal} (keep it inside: it holds the key and figures of risk).",
        f"Read {internal / 'report.html'}, then sign (microveil key new makes a key):",
        f"  {shlex.join(('microveil', 'sign', str(made.package.public), '--key', 'FILE'))}",
    ]
    for line in lines:
        out.print(line, markup=False)
