"""Days in weeks, months, quarters, years and decades."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Literal, get_args

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell
from microveil.core.parameters import Example
from microveil.hierarchy.rule import HierarchyRule

Unit = Literal["day", "week", "month", "quarter", "year", "decade"]

_TEXTS: dict[str, Callable[[date], str]] = {
    "day": date.isoformat,
    "week": lambda day: f"{day.isocalendar().year:04}-W{day.isocalendar().week:02}",
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{day.year // 10 * 10:04}-{day.year // 10 * 10 + 9:04}",
}


@dataclass(frozen=True, kw_only=True)
class Dates(HierarchyRule, name="dates"):
    """Days in ever longer periods.

    Weeks are those of ISO 8601; they lie across months and quarters, so that they stand below years and decades only,
    and the year above a week is the year to which the week belongs. Texts are read as ISO 8601 (2024-03-05) unless
    `pattern` says how they are written.

    >>> Dates(levels=["month", "quarter", "year"]).whole_path("2024-03-05")
    ('2024-03', '2024-Q1', '2024', '*')
    """

    levels: Annotated[tuple[Unit, ...], Example(["month", "quarter", "year"]), "periods from short to long"] = (
        "month",
        "quarter",
        "year",
        "decade",
    )
    pattern: Annotated[str | None, Example("%d.%m.%Y"), "how texts are written: %d day, %m month, %Y year"] = None

    takes = "days, written as 2024-03-05 or as its pattern says (%d.%m.%Y for 05.03.2024)"
    samples = ("2024-03-05", "2024-12-30", "2025-01-01", "1999-07-31")

    def validate(self) -> None:
        """Periods become longer and nest."""
        order = get_args(Unit)
        places = [order.index(level) for level in self.levels]
        if not places or places != sorted(set(places)):
            raise BadInput(f"levels={list(self.levels)} must be periods from short to long, each once: {list(order)}")
        across = [level for level in self.levels if level in ("month", "quarter")]
        if "week" in self.levels and across:
            raise BadInput(
                f"levels={list(self.levels)}: weeks lie across two {across[0]}s; leave out 'week' or {across[0]!r}"
            )

    def steps(self, value: Cell) -> tuple[str, ...] | None:
        """The periods that hold the day."""
        day = self._day(value)
        if day is None:
            return None
        if "week" in self.levels:
            iso = day.isocalendar()
            in_year = date(iso.year, 7, 1)  # any day that is in the year of the week for certain
            return tuple(_TEXTS[level](day if level in ("day", "week") else in_year) for level in self.levels)
        return tuple(_TEXTS[level](day) for level in self.levels)

    def _day(self, value: Cell) -> date | None:
        if isinstance(value, datetime):
            return value.date()
        if isinstance(value, date):
            return value
        if not isinstance(value, str):
            return None
        try:
            if self.pattern is not None:
                return datetime.strptime(value.strip(), self.pattern).date()  # noqa: DTZ007 - days have no zone
            return datetime.fromisoformat(value.strip()).date()
        except ValueError:
            return None
