"""A section of charts in the report: it says its title, what one sees, and draws where it applies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from microveil.measure import Pair
from microveil.plan.comparison import Trial
from microveil.plan.evaluation import Evaluation
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
    """Charts as SVG text, and what was left out of them in words; `alive`: they need the script of the map."""

    drawn: tuple[str, ...] = ()
    left_out: str = ""
    alive: bool = False


@dataclass(frozen=True)
class Section:
    """Charts under a heading; one that draws nothing does not apply and is not shown."""

    title: str
    draw: Callable[[Told], Charts]
    meaning: str = ""
    side_by_side: bool = False  # many small charts; otherwise each has a row of its own
