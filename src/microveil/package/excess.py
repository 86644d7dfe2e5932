"""Whether a file holds more of the original than files that its plan made, and how much it could hold unseen.

Each original is recognised or not in the file and in each of m runs of the plan. If the plan made the file too, it is
one of m + 1 alike. Two things are counted, since each sees what the other does not: the originals recognised in one of
them alone, each of which is as likely to fall on the file as on any run, so that what every run leaves does not blur
it; and all those recognised. Beside chance, what runs differ by among themselves is allowed for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, sqrt

import numpy as np
from scipy.stats import binom

from microveil.core.arrays import Bools
from microveil.core.numbers import format_number

MOST_UNSEEN = 0.5  # of the records that could be raw unseen, before nobody can say that the plan made the file
_CHANCE = 2e-5  # that a file of the plan is called another
_ERRORS = 4.0  # standard deviations of the runs


@dataclass(frozen=True)
class Excess:
    """Of each original (a place) whether it is recognised in the file, and in each of the runs (rows).

    `strict`: the plan draws nothing and gave the other records of the file, so that one more is one too many. `able`
    are the originals that could be recognised at all.
    """

    here: Bools
    runs: Bools
    able: Bools
    strict: bool = False

    @cached_property
    def is_more(self) -> bool:
        """Whether the file holds more than the plan leaves."""
        return self._by_all or self.alone >= self._limit_alone

    def said(self, what: str) -> str:
        """What was found, with a word for the originals that are recognised and how."""
        if self._by_all:
            found, usual = (format_number(100.0 * float(one.mean())) for one in (self.here, self.runs))
            return f"{found} % of {what}; a run of the plan leaves {usual} %"
        return f"{self.alone:,} of {what}, none of which any run of the plan leaves"

    @cached_property
    def alone(self) -> int:
        """How many originals are recognised in the file, and in no run."""
        return int((self.here & ~self.runs.any(axis=0)).sum())

    @property
    def _by_all(self) -> bool:
        return int(self.here.sum()) >= self._limit_all

    @cached_property
    def unseen(self) -> int:
        """How many originals, taken as they come, could be in the file without being noticed, at most all."""
        never = float((self.able & ~self.runs.any(axis=0)).mean())
        often = float((self.able & ~self.runs).mean())
        usual = float(self.runs.sum(axis=1).mean())
        ways = [
            (self._limit_alone - 1) / never if never > 0 else np.inf,
            max(self._limit_all - 1 - usual, 0.0) / often if often > 0 else np.inf,
        ]
        return int(min(ceil(min(ways)), len(self.here))) if np.isfinite(min(ways)) else len(self.here)

    @cached_property
    def _counts_alone(self) -> tuple[int, ...]:
        """How many originals are recognised in each of the runs, and nowhere else."""
        total = self.runs.sum(axis=0) + self.here
        return tuple(int((row & (total == 1)).sum()) for row in self.runs)

    @cached_property
    def _limit_alone(self) -> int:
        return 1 if self.strict else limit_beside(self._counts_alone)

    @cached_property
    def _limit_all(self) -> int:
        return limit_beside(tuple(map(int, self.runs.sum(axis=1))))


def limit_beside(counts: tuple[int, ...]) -> int:
    """The least count of the file that neither chance nor what runs differ by explains."""
    total, runs = sum(counts), len(counts)
    spread = float(np.std(counts, ddof=1)) if runs > 1 else 0.0
    least = max(int(total / runs + _ERRORS * spread * sqrt(1 + 1 / runs)) + 1, 1)
    while binom.sf(least - 1, least + total, 1 / (runs + 1)) > _CHANCE:
        least += 1
    return least
