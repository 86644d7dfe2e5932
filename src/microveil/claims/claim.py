"""What a claim is: a statement of the literature about a release, written so that it can be checked on data.

`check` measures the deviation and compares it with what doubles can hold (`exact`) and with what rounding to the
units of the original may add. Every claim registers itself and states examples in which it holds and in which it is
broken: `microveil.testing.check_claim` checks the checker with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from microveil.claims.evidence import Evidence
from microveil.claims.in_order import ColumnInOrder

About = Literal["original", "release", "cells"]
InUnions = Literal["yes", "with means", "no"]
# what tells whether it holds in a file of which no more than a block is in memory: sums, means and extremes of its
# columns on both sides; each record by itself; which values became which, column by column; the different released
# rows, or groups, with how many records have each; or all records together
SeenBy = Literal["moments", "rows", "pairs", "classes", "file"]

# What a later step may do to columns of which something is promised.
AFFINE = "affine"  # every column is mapped by one increasing affine map of its own
LINEAR = "linear"  # whole rows, without gaps in these columns, are mapped by one affine map that mixes the columns
BLANK = "blank"  # cells only become missing
DROP = "drop"  # records are only left out
COARSEN = "coarsen"  # values are only merged: cells equal in a column stay equal, and gaps stay where they are
PERMUTE = "permute"  # the cells of a column only change places
CHANGES = (AFFINE, LINEAR, BLANK, DROP, COARSEN, PERMUTE)

_NAMES_SHOWN = 6


class Deviation(NamedTuple):
    """What was found, what is allowed as exact, and what rounding may add: numbers, or arrays of one shape."""

    found: ArrayLike
    exact: ArrayLike
    rounding: ArrayLike = 0.0


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds: the deviation found and the largest one allowed.

    Of several statistics the one that exceeds what is allowed by most is shown; `largest` is the largest deviation of
    them all. `exactly` tells a claim that holds as proven from one that holds up to rounding only.
    """

    claim: Claim
    holds: bool
    deviation: float
    allowed: float
    exactly: bool = True
    largest: float = 0.0

    def __str__(self) -> str:
        word = "holds" if self.holds else "BROKEN"
        return f"{word}: {self.claim} (deviation {self.deviation:.3g}, allowed {self.allowed:.3g})"


class Example(NamedTuple):
    """A claim with evidence for which it holds or not, and in words what is special about that."""

    claim: Claim
    evidence: Evidence
    holds: bool
    what: str


_REGISTERED: dict[tuple[str, str], type[Claim]] = {}


def registered_claims() -> tuple[type[Claim], ...]:
    """The claims that were defined so far, sorted by name."""
    return tuple(sorted(_REGISTERED.values(), key=lambda cls: (cls.__name__, cls.__module__)))


@dataclass(frozen=True)
class Claim:
    """Base of all claims; `columns` are filled in when a method runs (empty: all it acts on).

    `about` says what is looked at: "original" compares a statistic of the file with the original's, "release" speaks
    of released values alone, and "cells" compares each released cell or row with its own original, or with fixed facts
    of the original, so that it holds for any part of the rows. `in_unions` says whether what holds in every part of
    the rows holds for their union ("with means": if the means are kept too), given that parts keep their numbers of
    observed cells. `withstands` lists the changes of its columns by a later step that cannot break it.
    """

    about: ClassVar[About] = "original"
    seen_by: ClassVar[SeenBy] = "file"
    of_rows: ClassVar[bool] = False  # where seen by classes: holds them against whole rows of the original
    by_column: ClassVar[bool] = False  # says of each of its columns by itself what it says
    by_record: ClassVar[bool] = False  # compares rows with their own originals: broken where a row has none
    withstands: ClassVar[frozenset[str]] = frozenset()
    of_amounts: ClassVar[bool] = False  # speaks of numbers: it means nothing once a column holds classes
    of_groups: ClassVar[bool] = False  # speaks of the groups that its step formed
    uses_given: ClassVar[bool] = False  # speaks of the columns kept too
    in_spreads: ClassVar[bool] = False  # deviations are in standard deviations, or in variances
    text: ClassVar[str] = ""
    columns: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.deviation is not Claim.deviation:
            # a class defined again in the same place (a notebook cell run twice) replaces the former one
            _REGISTERED[cls.__module__, cls.__qualname__] = cls

    @property
    def in_unions(self) -> InUnions:
        """Whether the claim holds for a union of parts of the rows if it holds in each of them."""
        return "no"

    @property
    def composes(self) -> bool:
        """Whether two steps that each keep it, the second of what the first released, keep it together."""
        return False

    def without_gaps(self) -> Claim:
        """What it comes to where no cell of the original is missing."""
        return self

    @property
    def named(self) -> str:
        """The columns in words, the first six by name; empty where it has none yet."""
        shown = ", ".join(map(str, self.columns[:_NAMES_SHOWN]))
        others = len(self.columns) - _NAMES_SHOWN
        return shown if others <= 0 else f"{shown} and {others} other{'s' * (others > 1)}"

    @property
    def public(self) -> str:
        """The claim in words for anybody: without what the method was set to, which whoever attacks would use."""
        return str(self)

    def on(self, columns: Sequence[str]) -> Self:
        """The claim for these columns, unless it already names its own."""
        return self if self.columns else replace(self, columns=tuple(columns))

    def survives(self, change: str, columns: frozenset[str]) -> bool:
        """Whether a change of this kind to these columns by a later step cannot break it."""
        return change in self.withstands

    def check(self, evidence: Evidence) -> Verdict:
        """Measure the deviation on the claimed columns."""
        chosen = evidence.only(self.columns) if self.columns else evidence
        if self.by_record and (chosen.origin < 0).any():
            return Verdict(self, False, float("inf"), 0.0, False, float("inf"))
        return _judged(self, self.deviation(chosen))

    def check_in_order(self, column: ColumnInOrder, made: bool) -> Verdict:
        """The same of one column that is too long for memory; `made`: some rows have no original."""
        if self.by_record and made:
            return Verdict(self, False, float("inf"), 0.0, False, float("inf"))
        return _judged(self, self.deviation_in_order(column))

    def deviation_in_order(self, column: ColumnInOrder) -> Deviation:
        """The deviation of one column, from its values in their order; what says `by_column` has it."""
        raise TypeError(f"{type(self).__name__} must implement deviation_in_order()")

    def deviation(self, evidence: Evidence) -> Deviation:
        """The deviation, of each column or statistic where there are several, and what is allowed."""
        raise TypeError(f"{type(self).__name__} must implement deviation()")

    @classmethod
    def examples(cls) -> Sequence[Example]:
        """Evidence for which the claim just holds, and evidence for which it just does not."""
        raise TypeError(
            f"{cls.__name__} states no examples; give some in which it holds and some in which it is broken"
        )

    def __str__(self) -> str:
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        within = (
            {"of": f" of {self.named}", "within": f" in {self.named}"} if self.columns else {"of": "", "within": ""}
        )
        return self.text.format(**{**fields, **within})


def _judged(claim: Claim, deviation: Deviation) -> Verdict:
    """The verdict, with the element that exceeds what is allowed by most; one that is not a number is broken."""
    found, exact, rounding = (
        np.ravel(side) for side in np.broadcast_arrays(*(np.asarray(part, dtype=np.float64) for part in deviation))
    )
    if not len(found):
        return Verdict(claim, True, 0.0, 0.0)
    allowed = exact + rounding
    worst = int(np.argmax(np.nan_to_num(found - allowed, nan=np.inf)))
    holds = bool((found <= allowed).all())
    largest = float(np.max(np.where(np.isnan(found), np.inf, found)))
    return Verdict(claim, holds, float(found[worst]), float(allowed[worst]), bool((found <= exact).all()), largest)
