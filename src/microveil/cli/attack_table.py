"""What each attack found, as a short table on the console: the headline's row is marked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from microveil.cli.console import out, show_table
from microveil.core.measured import Measured, NotApplicable
from microveil.core.words import counted

if TYPE_CHECKING:
    from microveil.plan import Attacked

_HEAD = ("", "attack", "by", "found, %", "certain, %", "chance, %")
_MOST_ROWS = 8  # the report holds all


def show_attacks(found: Sequence[Attacked], worst: Measured | NotApplicable, report: Path | None) -> None:
    """The attacks that found most, the strongest first, and where all stand; nothing where none was tried."""
    from microveil.report import format_number

    if not found:
        return
    out.print("What each attack found (> is the worst case):", markup=False)
    headline = worst.value if isinstance(worst, Measured) else None
    rows = [
        (
            ">" if place == 0 and one.found == headline else "",
            one.label,
            one.who,
            format_number(one.found),
            "" if one.certain is None else format_number(one.certain),
            one.guessing_text,
        )
        for place, one in enumerate(found[:_MOST_ROWS])
    ]
    show_table(_HEAD, rows, right=_HEAD[3:])
    more = len(found) - _MOST_ROWS
    if more > 0:
        where = "the report (--report FILE)" if report is None else report
        out.print(f"  and {counted(more, 'attack')} that found less: see {where}", markup=False)
