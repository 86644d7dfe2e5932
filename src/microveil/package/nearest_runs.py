"""Whether amounts of a file are nearer to the originals than those of runs of its plan are.

Of each original the nearest amount among the records alike in columns that hold true values is looked for, in the file
and in each of m runs. If the plan made the file too, each of the m + 1 is as likely to have the nearest: a file of raw
amounts, changed by however little less than the plan changes them, has it much more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.numbers import format_number
from microveil.data.units import observed_unit
from microveil.package.excess import limit_beside

_LAST_DIGIT = 1e-6  # of a unit
_TIED = 1e-9  # of the range of a column: distances that differ by less are equal


@dataclass(frozen=True)
class NearestRuns:
    """Of each original the distance to the file (`here`) and to each of the runs (rows); inf where nothing is alike.

    `hair` is the distance up to which an amount counts as the original's own; `draws` how many runs the rows stand for.
    """

    here: Floats
    runs: Floats
    hair: Floats
    draws: int
    tied: float

    @cached_property
    def is_more(self) -> bool:
        """Whether the file is the nearest more often than a file of the plan could be."""
        return self.count >= self._limit

    def said(self, what: str) -> str:
        """What was found, with a word for the amounts."""
        found, usual = (format_number(100.0 * one / len(self.here)) for one in (self.count, self._usual))
        return f"{found} % of {what} are nearer to it than to any run of the plan; of a run {usual} % are"

    @cached_property
    def count(self) -> int:
        """How many originals are nearer to the file than to every run."""
        return int(self._nearest_to(self.here, self.runs).sum())

    @cached_property
    def unseen(self) -> int:
        """How many records could be raw, or changed by a hair, without being noticed, at most all."""
        all_of_them = len(self.here)
        seen = float((self.runs.min(axis=0) > np.maximum(self.hair, self.tied)).mean()) - self._usual / all_of_them
        if seen <= 0:
            return all_of_them
        return min(ceil(max(self._limit - 1 - self._usual, 0.0) / seen), all_of_them)

    def _nearest_to(self, one: Floats, others: Floats) -> Bools:
        return np.asarray(np.isfinite(one) & (one + self.tied < others.min(axis=0)))

    @cached_property
    def _counts(self) -> tuple[int, ...]:
        """How often each run is nearer than the file and all other runs."""
        if len(self.runs) == 1:  # it stands for runs that are all the same, none of which is ever the nearest
            return (0,) * self.draws
        every = np.vstack([self.here, self.runs])
        return tuple(
            int(self._nearest_to(every[place], np.delete(every, place, axis=0)).sum()) for place in range(1, len(every))
        )

    @property
    def _usual(self) -> float:
        return float(np.mean(self._counts))

    @cached_property
    def _limit(self) -> int:
        return limit_beside(self._counts)


def nearest_runs(
    labels: Ints,
    amounts: Floats,
    shown: tuple[Ints, Floats],
    runs: Sequence[tuple[Ints, Floats]],
    hair: float,
    draws: int,
) -> NearestRuns | None:
    """Originals by labels and amounts beside the file shown and the runs; None where all amounts are one."""
    known = np.isfinite(amounts)
    labels, amounts = labels[known], amounts[known]
    distinct = np.unique(amounts)
    if len(distinct) < 2:
        return None
    gaps = np.diff(distinct)
    apart = np.minimum(np.append(gaps, np.inf), np.insert(gaps, 0, np.inf))[np.searchsorted(distinct, amounts)]
    here, *others = (distances(labels, amounts, *one) for one in (shown, *runs))
    # runs are rounded as files are, and a file that was written without it may be nearer by as much
    tied = max(_TIED * float(distinct[-1] - distinct[0]), _half_unit([amounts, *(made for _, made in runs)]))
    return NearestRuns(here, np.vstack(others), hair * apart, draws, tied)


def _half_unit(files: Sequence[Floats]) -> float:
    """Half of the finest unit that amounts of files have, with room for the last digit; 0 where one has none."""
    units = [unit for unit in map(observed_unit, files) if unit is not None]
    return 0.5 * 10.0 ** min(units) * (1 + _LAST_DIGIT) if len(units) == len(files) else 0.0


def distances(labels: Ints, amounts: Floats, shown_labels: Ints, shown: Floats) -> Floats:
    """From each amount to the nearest one shown under the same label."""
    known = np.isfinite(shown)
    shown_labels, shown = shown_labels[known], shown[known]
    if not len(shown):
        return np.full(len(amounts), np.inf)
    low = min(float(amounts.min()), float(shown.min()))
    width = max(float(amounts.max()), float(shown.max())) - low or 1.0
    order = np.lexsort([shown, shown_labels])
    shown_labels, shown = shown_labels[order], shown[order]
    right = np.searchsorted(shown_labels + (shown - low) / (2 * width), labels + (amounts - low) / (2 * width))
    found = np.full(len(amounts), np.inf)
    for place in (right - 1, right):
        inside = np.clip(place, 0, len(shown) - 1)
        alike = (place == inside) & (shown_labels[inside] == labels)
        found[alike] = np.minimum(found[alike], np.abs(shown[inside[alike]] - amounts[alike]))
    return found
