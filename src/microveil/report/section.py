"""A section of charts in the report: it says its title, what one sees, and draws where it applies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from microveil.measure import Pair
from microveil.plan.comparison import Trial
from microveil.plan.evaluation import Evaluation
from microveil.report.parts import Beside, Chart, Heading, Part, Text
from microveil.run.release import Release


@dataclass(frozen=True)
class Told:
    """What a report is about; `columns` are those that both files have and that were compared."""

    pair: Pair
    columns: tuple[str, ...]
    evaluation: Evaluation
    release: Release | None = None
    trials: Sequence[Trial] = ()


@dataclass(frozen=True)
class Charts:
    """Charts as SVG text or other parts, and what was left out in words; `alive`: they need the script of the map."""

    drawn: tuple[str | Part, ...] = ()
    left_out: str = ""
    alive: bool = False


@dataclass(frozen=True)
class Section:
    """Charts under a heading; one that draws nothing does not apply and is not shown."""

    title: str
    draw: Callable[[Told], Charts]
    meaning: str = ""
    side_by_side: bool = False  # many small charts; otherwise each has a row of its own

    def parts(self, charts: Charts) -> tuple[Part, ...]:
        """Heading, meaning, charts, and what was left out."""
        drawn = tuple(Chart(one) if isinstance(one, str) else one for one in charts.drawn)
        small = tuple(one for one in drawn if isinstance(one, Chart)) if self.side_by_side else ()
        return (
            Heading(self.title),
            *((Text(self.meaning, "soft"),) if self.meaning else ()),
            *((Beside(small),) if small else drawn),
            *((Text(charts.left_out, "soft"),) if charts.left_out else ()),
        )
