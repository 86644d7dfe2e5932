"""A mask inside another method that needs its result as numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from microveil.core.errors import BadInput
from microveil.data.microdata import Microdata
from microveil.data.table import Table
from microveil.mask.base import Mask
from microveil.run.method import Job, Outcome, Step


def check_acts_on_numbers(mask: Mask) -> None:
    """Refuse a mask of categories alone."""
    if "continuous" not in mask.kinds:
        raise BadInput(
            f"mask={mask.name!r} protects {' and '.join(mask.kinds)} columns; give a mask of numbers,"
            " such as 'rank-swap'"
        )


def refuse_other_columns(mask: Mask, chosen: Iterable[str], data: Microdata, step: Step, who: str) -> None:
    """Refuse a mask that changes or reads columns beside the chosen ones, which the outer method does not hand on."""
    # A sample inside another method would leave its weights as they were.
    names = tuple(chosen)
    inside, beside = mask.resolve(data, Step(mask, names, (), step.by, step.missing))
    others = [*(name for name in inside if name not in names), *beside]
    if others:
        raise BadInput(
            f"{mask.name} works with {others} beside the columns it protects, and {who} hands on {list(names)} only;"
            f" run {mask.name} as a step of its own"
        )


def run_nested(mask: Mask, table: Table, job: Job) -> tuple[Outcome, Table]:
    """What the mask returns, and the columns of the table after it; a mask that only draws records returns none."""
    # the original of a nested mask is what it is given: earlier steps may have hidden what was there before
    outcome = mask.run(table, replace(job, streams=job.streams.at(mask.name), original=table))
    origin = np.arange(table.rows) if outcome.origin is None else outcome.origin
    columns = {
        name: outcome.columns[name] if name in outcome.columns else values.at(origin)
        for name, values in table.columns.items()
    }
    recoded = [name for name, values in columns.items() if values.levels is not None]
    if recoded:
        raise BadInput(f"{mask.name} made categories of {recoded}; give a mask that leaves numbers")
    # what the mask found about its own result is not true of what the outer method makes of it
    return replace(outcome, claims=None), Table(columns, len(origin))
