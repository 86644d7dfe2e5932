"""A method and two measures whose best plan is known, and a study in this process."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa

from microveil.core import registry
from microveil.core.arrays import Vector
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.parameters import Range
from microveil.core.streams import Key
from microveil.data import Microdata
from microveil.mask.base import Draws, RowMask
from microveil.measure import Measure, Pair
from microveil.run.contract import Passes
from microveil.study import Study
from microveil.study.aims import Aims
from microveil.study.arms import Arms
from microveil.study.journal import VERSION, Journal, mark_of_data
from microveil.study.lines import mark_of_key
from microveil.study.measuring import Bench, Task
from microveil.study.searching import Run
from microveil.study.tried import Found
from microveil.study.workers import Here

OPTIMUM = 0.37
FRAME = pa.table({"x": np.linspace(0.0, 10.0, 40), "y": np.linspace(5.0, 1.0, 40) ** 2})


@dataclass(frozen=True, kw_only=True)
class Shift(RowMask, name="toy-shift"):
    """Add a thousand times `far` to every value; at `far` beyond 0.95 it fails."""

    far: Annotated[float, Range(ge=0, le=1, grid=(0.1, 0.9)), "how far"] = 0.1
    passes: ClassVar[Passes] = "row"
    random: ClassVar[bool] = False

    def rows(self, x: Vector, known: Any, draws: Draws) -> Vector:
        if self.far > 0.95:
            raise BadInput("too far")
        return x + 1000 * self.far


@dataclass(frozen=True, kw_only=True)
class Failing(RowMask, name="toy-failing"):
    """It always fails."""

    far: Annotated[float, Range(ge=0, le=1, grid=(0.1, 0.9)), "how far"] = 0.1
    passes: ClassVar[Passes] = "row"

    def rows(self, x: Vector, known: Any, draws: Draws) -> Vector:
        raise BadInput("it never works")


@dataclass(frozen=True, kw_only=True)
class Slow(RowMask, name="toy-slow"):
    """It takes half a minute."""

    passes: ClassVar[Passes] = "row"

    def rows(self, x: Vector, known: Any, draws: Draws) -> Vector:
        time.sleep(30)
        return x


TOYS = {cls.name: cls for cls in (Shift, Failing, Slow)}
for _name in TOYS:  # other tests look at every method that there is
    del registry._REGISTERED[_name]


@dataclass(frozen=True, kw_only=True)
class Lost(Measure):
    """100 times the distance of the shift from the best one."""

    kinds: ClassVar[tuple[str, ...]] = ("continuous",)
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    title: ClassVar[str] = "Lost"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        return self.measured(100 * abs(_shift(pair) - OPTIMUM))


@dataclass(frozen=True, kw_only=True)
class Exposed(Measure):
    """Half, and more the farther from the best shift."""

    kinds: ClassVar[tuple[str, ...]] = ("continuous",)
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    title: ClassVar[str] = "Exposed"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        return self.measured(50 + 100 * (_shift(pair) - OPTIMUM) ** 2)


Lost.name, Exposed.name = "toy-lost", "toy-exposed"


def _shift(pair: Pair) -> float:
    before, after = (table.matrix() for table in pair.tables(pair.columns))
    return float((after - before).mean()) / 1000


class Counting(Here[Task, Found]):
    """Plans measured here; `most` of them, then it is as if somebody pressed Ctrl-C."""

    def __init__(self, bench: Bench, most: float = float("inf")) -> None:
        super().__init__(bench.measure)
        self.tasks: list[Task] = []
        self._most = most

    def submit(self, task: Task) -> Future[Found]:
        if len(self.tasks) >= self._most:
            raise KeyboardInterrupt
        self.tasks.append(task)
        return super().submit(task)


def study_here(
    trials: int,
    *,
    data: Any = FRAME,
    objectives: Sequence[Any] = (Lost(), Exposed()),
    at_most: dict[str, float] | None = None,
    methods: Sequence[str] = ("toy-shift",),
    folder: Path | None = None,
    most: float = float("inf"),
    seed: int | None = 1,
    told: list[Counting] | None = None,
    measures: Sequence[Any] = (),
    utility: Sequence[Any] = (),
) -> Study:
    """A study without processes."""
    source = Microdata.of(data)
    aims = Aims.of(source, objectives, (), at_most, (), measures, utility)
    bench = Bench(source, aims)
    head = {"study": VERSION, "data": mark_of_data(source), "aims": repr(aims.at_most), "space": list(methods)}
    journal = Journal(folder, {**head, "key": mark_of_key(seed)})
    counting = Counting(bench, most)
    if told is not None:
        told.append(counting)
    run = Run(bench, bench.original(), Arms.of(source, None, methods, ()), journal, counting, Key.of(seed))
    return run.study(None, trials, {})
