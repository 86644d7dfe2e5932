"""Missing values in the columns of a step: what is said about them, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping

from microveil.core.errors import MissingValues
from microveil.run.contract import Step


def list_gaps(gaps: Mapping[str, int]) -> str:
    """The columns with missing values, each with how many."""
    return ", ".join(f"{name!r} ({count})" for name, count in gaps.items())


def refuse_gaps(step: Step, listed: str) -> None:
    """An error where nobody said what to do about missing values, or the method cannot do that."""
    method = step.method
    if step.missing == "error":
        ways = "missing='drop' to leave those records out" + (
            ", or missing='mask' to act on the observed cells only" if method.skips_missing else ""
        )
        raise MissingValues(f"missing values in {listed}; use {ways}")
    if step.missing == "mask" and not method.skips_missing:
        raise MissingValues(
            f"{method.name} needs complete records and values are missing in {listed}; use missing='drop'"
        )


def note_dropped(count: int, rows: int, listed: str) -> str:
    """How many records were left out because values are missing; an error where none is left."""
    if count == rows:
        raise MissingValues(f"every record has a missing value in {listed}; dropping them leaves nothing")
    return f"{count} of {rows} records with missing values in {listed} were left out"
