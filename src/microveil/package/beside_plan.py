"""A file beside runs of its plan: where it holds more of the original than they do, and what it could hold unseen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from microveil.core.arrays import Bools
from microveil.core.numbers import format_number
from microveil.core.open_types import Cell
from microveil.core.words import counted
from microveil.data.microdata import Microdata
from microveil.package.as_planned import count_strangers, labels_of
from microveil.package.excess import Excess
from microveil.package.nearest_runs import NearestRuns, nearest_runs
from microveil.package.plan_runs import PlanRuns
from microveil.package.recognised import (
    MOST_NEAR,
    NEAR,
    as_they_are,
    near_amounts,
    nearly,
    rounded_like,
    shared_by_nobody,
)

_MOST_COLUMNS = 30  # that are looked at one by one


@dataclass(frozen=True)
class Unseen:
    """How many records of a file could be raw although nothing shows it: as they are, and changed by a hair."""

    records: int
    few: int
    many: int | None

    @property
    def share(self) -> float:
        """The larger of both shares."""
        return max(self.few, self.many or 0) / max(self.records, 1)

    def __str__(self) -> str:
        told = (
            f"of its {counted(self.records, 'record')} up to {self._said(self.few)} could be the original's as they are"
        )
        if self.many is not None:
            told += f", and up to {self._said(self.many)} changed by a hair"
        return f"{told}, and neither the original nor runs of the plan would show it"

    def _said(self, count: int) -> str:
        return f"{count:,} ({format_number(100 * count / max(self.records, 1))} %)"


@dataclass(frozen=True)
class BesidePlan:
    """The original, a file that is said to be made of it, and runs of the plan; the columns that all of them have."""

    original: Microdata
    data: Microdata
    runs: PlanRuns
    whole: tuple[str, ...]
    perturbed: frozenset[str]

    def more(self) -> str | None:
        """The first look in which the file holds more of the original than the plan leaves, in words."""
        for what, names in self._looks.items():
            look = self._as_they_are(names, what in self._whole_looks)
            if look.is_more:
                return look.said(f"the originals stand in it as they are, by {what}")
        near = self._nearly()
        if near is not None and near.is_more:
            return near.said("the originals are nearly in it, in all amounts")
        for name, one in self._near_amounts():
            if one.is_more:
                return one.said(f"the original's amounts in {name!r} are nearly in it")
        for name, nearest in self._nearest:
            if nearest.is_more:
                return nearest.said(f"the original's amounts in {name!r}")
        return None

    def unseen(self) -> Unseen:
        """What share of raw records this comparison could have missed."""
        few = self._as_they_are(self._looks[self._whole_looks[-1]], True).unseen
        near = [round(one.unseen * max(self.data.n / MOST_NEAR, 1.0)) for one in filter(None, [self._nearly()])]
        ways = [*near, *(one.unseen for _, one in self._near_amounts()), *(one.unseen for _, one in self._nearest)]
        many = min(*ways, self.data.n) if ways else None
        return Unseen(self.data.n, few if many is None else min(few, many), many)

    @property
    def _looks(self) -> dict[str, tuple[str, ...]]:
        """Columns to be looked at together: all, and without the coarsened keys, which equal no original."""
        changed = self._changed
        kept = tuple(name for name in self.whole if name not in self.perturbed)
        true = tuple(name for name in kept if name not in self.runs.acted)
        looks = {"all columns": self.whole, **{repr(name): (*kept, name) for name in changed[:_MOST_COLUMNS] if kept}}
        if true != kept:
            looks |= {f"{name!r} apart from coarsened keys": (*true, name) for name in changed[:_MOST_COLUMNS]}
            looks["all that the plan does not coarsen"] = (*true, *changed)
        return looks

    @property
    def _whole_looks(self) -> tuple[str, ...]:
        """The looks that see whole records, the one that sees most of them last."""
        last = list(self._looks)[-1]
        return ("all columns", last) if last.startswith("all that") else ("all columns",)

    @property
    def _changed(self) -> tuple[str, ...]:
        return tuple(name for name in self.whole if name in self.perturbed)

    def _as_they_are(self, names: tuple[str, ...], whole_records: bool) -> Excess:
        runs = [as_they_are(self.original, run, names) for run in self.runs.files]
        return self._excess(
            as_they_are(self.original, self.data, names),
            runs,
            shared_by_nobody(self.original, self.data, names),
            whole_records and self.runs.gives(self.data, self.whole),
        )

    def _nearly(self) -> Excess | None:
        names = [name for name in self._changed if self._is_amount(name)]
        names += [name for name in self.whole if name not in (*names, *self.runs.acted) and self._is_amount(name)]
        if len(names) < 2:
            return None
        return self._seen(lambda data: nearly(self.original, data, names))

    def _near_amounts(self) -> Iterator[tuple[str, Excess]]:
        """Each amount by itself."""
        for name in filter(self._is_amount, self._changed[:_MOST_COLUMNS]):
            true, shown = (one.values(name, "continuous").numbers for one in (self.original, self.data))
            look = self._seen(
                lambda data, true=true, shown=shown, name=name: near_amounts(  # type: ignore[misc]
                    true, rounded_like(data.values(name, "continuous").numbers, shown)
                )
            )
            if look is not None:
                yield name, look

    @cached_property
    def _nearest(self) -> list[tuple[str, NearestRuns]]:
        """Each amount among the records that are alike in columns that hold true values, as far as there are any."""
        kept = [name for name in self.whole if name not in self.perturbed and name not in self.runs.perturbed]
        missing = {name: self.original.schema[name].missing for name in kept}
        first = self.runs.files[0]
        own = self.runs.full or first
        if own.n != self.original.n or not self._gives_the_same(own, missing):  # else as the plan makes them coarser
            missing = {name: codes for name, codes in missing.items() if name not in self.runs.acted}
            own = self.original
        if not missing:
            return []
        shown, labels, *runs = labels_of([self.data, own, *self.runs.files], missing)
        found = []
        for name in filter(self._is_amount, self._changed[:_MOST_COLUMNS]):
            true, here = (one.values(name, "continuous").numbers for one in (self.original, self.data))
            made = [rounded_like(run.values(name, "continuous").numbers, here) for run in self.runs.files]
            pairs = list(zip(runs, made, strict=True))
            one = nearest_runs(labels, true, (shown, here), pairs, NEAR, self.runs.count)
            found += [] if one is None else [(name, one)]
        return found

    def _gives_the_same(self, own: Microdata, missing: Mapping[str, Sequence[Cell]]) -> bool:
        """Whether no run has other records than these, by columns that hold true values."""
        if not missing:
            return False
        given, *runs = labels_of([own, *self.runs.files], missing)
        return not any(count_strangers(given, run) for run in runs)

    def _seen(self, look: Callable[[Microdata], Bools | None]) -> Excess | None:
        here, runs = look(self.data), [look(run) for run in self.runs.files]
        known = [run for run in runs if run is not None]
        if here is None or len(known) < len(runs):
            return None
        return self._excess(here, known, np.ones(len(here), dtype=bool), False)

    def _excess(self, here: Bools, runs: list[Bools], able: Bools, strict: bool) -> Excess:
        return Excess(here, np.array(runs * (self.runs.count // len(runs))), able, strict)

    def _is_amount(self, name: str) -> bool:
        files = (self.original, self.data, *self.runs.files)
        return all(one.narwhal.get_column(name).dtype.is_numeric() for one in files)
