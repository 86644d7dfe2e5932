"""Which steps can be run on a file of which no more than a block is in memory, and what is said to the others."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.core.errors import BadInput
from microveil.run.by_cuts import ByCuts
from microveil.run.by_order import ByOrder
from microveil.run.by_ranks import ByMaking, ByRanks
from microveil.run.by_rows import ByRows
from microveil.run.contract import MethodContract, Step


def goes_by_blocks(method: MethodContract) -> bool:
    """Whether a method can be run on a file of which no more than a block is in memory."""
    return isinstance(method, ByRows) and method.gathers and method.passes not in ("blocks", "file")


def is_learnt(step: Step) -> bool:
    """Whether what a step must know is gathered by passes, and not found part by part.

    Where each subdomain has levels of its own, a block does not tell those of subdomains of which it has no record:
    each subdomain is run by itself.
    """
    method = step.method
    return goes_by_blocks(method) and not (step.by and isinstance(method, ByRows) and method.finds_levels)


def goes_in_cuts(step: Step) -> bool:
    """Whether a step can be run in blocks of near records, or of a cluster, of which one at a time is in memory."""
    return isinstance(step.method, ByCuts) and step.method.passes == "blocks" and not step.by and not _leaves_out(step)


def goes_by_columns(step: Step) -> bool:
    """Whether a step can be run column by column, of which one at a time is in memory."""
    return step.method.columns_apart and not step.by and not _leaves_out(step)


def goes_by_order(step: Step) -> bool:
    """Whether a step can be run along the order of each column, of which no more than a part is in memory."""
    return goes_by_columns(step) and isinstance(step.method, ByOrder) and step.method.in_stretches


def goes_by_ranks(step: Step) -> bool:
    """Whether a step can be learnt from orders on disk, sums or a part, or its records made one by one."""
    method = step.method
    return isinstance(method, ByRanks | ByMaking) and method.passes != "file" and not step.by and not _leaves_out(step)


def _leaves_out(step: Step) -> bool:
    return step.missing == "mask" and type(step.method).leaves_out is not MethodContract.leaves_out


def goes_in_groups(step: Step) -> bool:
    """Whether a step can be run in its subdomains, each of which is in memory by itself."""
    return bool(step.by) and not _leaves_out(step)


def can_be_run(step: Step) -> bool:
    """Whether a step can be run on a file in blocks that is not too large for it."""
    return _goes_at_any_size(step) or goes_by_columns(step)


def _goes_at_any_size(step: Step) -> bool:
    return goes_by_blocks(step.method) or goes_in_groups(step) or goes_in_cuts(step) or goes_by_ranks(step)


def refuse_before_reading(steps: Sequence[Step], records: int) -> None:
    """One sentence for the first step that cannot be run on a file of so many records in blocks, with the way out."""
    for step in steps:
        if _goes_at_any_size(step):
            continue
        if goes_by_columns(step):
            if records <= MOST_IN_COLUMN or goes_by_order(step):
                continue
            raise BadInput(
                f"{step.method.name}, as it is set, takes a column at a time into memory, which is done up to "
                f"{MOST_IN_COLUMN:,} records, and there are {records:,}; give by=... to run it inside subdomains, or "
                "run with engine='memory' on a machine that holds the file"
            )
        if _leaves_out(step) and (step.by or step.method.passes == "blocks"):
            raise BadInput(
                f"{step.method.name} with missing='mask' leaves out records whose gaps are rare, which blocks do not "
                "tell; use missing='drop', or run with engine='memory' on a machine that holds the file"
            )
        raise BadInput(
            f"{step.method.name}, as it is set, needs {_NEEDS.get(step.method.passes, 'all records in one place')} "
            "and cannot be run on a file in blocks as a whole; give by=... to run it inside subdomains of which each "
            f"fits into memory{_way_out(step.method)}, take another method (docs: large files), or run with "
            "engine='memory' on a machine that holds the file"
        )


def _way_out(method: MethodContract) -> str:
    return f", {method.way_out}" if method.way_out else ""


ORDER_IN_MEMORY = 1 << 20  # records up to which a column is put in order in memory
MOST_IN_COLUMN = 1 << 24  # records of which one column is in memory with all that a method does to it
_NEEDS = {"order": "the order of all records", "blocks": "records near one another side by side"}
