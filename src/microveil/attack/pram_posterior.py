"""Odds of categories that were changed at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.beside import Categories
from microveil.attack.guesses import Answer, Guesses
from microveil.attack.masked import find_masked
from microveil.attack.nearest import guess_members
from microveil.attack.transitions import Changed, changed_columns
from microveil.attack.view import View
from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.parameters import Range
from microveil.kernels.tables.classes import first_rows, group_rows
from microveil.mask.pram import Pram
from microveil.measure.keys import common_codes

_CELLS = 1 << 23  # odds held at a time
_SURE = 0.9
_TIED = 1e-9
_OUT = -1e6  # logarithm of the odds where a column that nobody changed differs


@dataclass(frozen=True, kw_only=True)
class PramPosterior(Attack, name="pram-posterior"):
    """Per cent of records found by the odds that their keys became the released ones.

    Use it for PRAM. The matrix is public, and with it the frequencies before follow from those after; so do the chance
    that known keys became those of a released record ("likeliest"), the same over the chance that anybody's did ("most
    telling"), and the probability that a released category is true. Beside stand that probability for the rarest
    category of each column, as the intruder computes it and as it is, and the share of cells that are guessed rightly.
    """

    stay: Annotated[
        float | None, Range(ge=0, le=1), "probability of keeping the category; None: as the release says"
    ] = None

    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many records tell the share
    title: ClassVar[str] = "Odds of changed categories"
    reference: ClassVar[str] = "Gouweleeuw, Kooiman, Willenborg & de Wolf 1998"
    advice: ClassVar[str] = (
        "The matrix is public, and released combinations of categories tell whose they are. Let fewer categories "
        "stay, or release fewer of the changed columns."
    )

    def guess(self, view: View) -> Answer | str:
        """Take the released records of best odds."""
        stated = None if self.stay is None else Pram(stay=self.stay)
        parts = find_masked(view, self.name, stated, f"{type(self).__name__}(stay=0.8)")
        if isinstance(parts, str):
            return parts
        if any(view.known[name].levels is None for part in parts for name in part.columns):
            return "the intruder knows amounts where categories are changed; name the categories in known"
        changed = changed_columns(view, parts)
        likeliest, _ = _best_odds(view, changed, weighed=False)
        telling, sure = _best_odds(view, changed, weighed=True)
        beside = tuple(Categories(one.name, one.known, one.released, *_beliefs(one)) for one in changed)
        return Answer({"most telling": telling, "likeliest": likeliest}, sure, beside=beside)


def _beliefs(one: Changed) -> tuple[Ints, Floats, int]:
    """The likeliest true category by released record, the probability that the released one is true; the rarest."""
    seen = np.maximum(one.released, 0)
    mode = one.posterior.argmax(axis=1)[one.domain, seen]
    shares = np.bincount(one.domain, minlength=len(one.prior)) @ one.prior
    rarest = int(np.argmin(np.where(shares > 0, shares, np.inf)))
    return np.where(one.released < 0, -1, mode), one.posterior[one.domain, seen, seen], rarest


def _best_odds(view: View, changed: Sequence[Changed], weighed: bool) -> tuple[Guesses, Bools]:
    """The released records of best odds for each sought one, which share the guess, and of whom that is sure."""
    known, released = common_codes(view.known.only(view.untouched), view.released.only(view.untouched))
    asked, of_asked, _ = _distinct(np.column_stack([known, *(one.known for one in changed)]))
    shown, of_shown, counts = _distinct(np.column_stack([released, *(one.released for one in changed)]))
    sought, point, sure = [], [], np.zeros(len(asked), dtype=np.bool_)
    for mine, theirs in _meeting(known[asked], released[shown]):
        odds = sum((one.odds(asked[mine], shown[theirs], weighed) for one in changed), np.zeros((1, 1)))
        for x, y in zip(known[asked[mine]].T, released[shown[theirs]].T, strict=True):
            odds = np.where((x[:, None] != y[None, :]) & (x >= 0)[:, None], _OUT, odds)
        best = odds.max(axis=1, keepdims=True)
        rows, places = np.nonzero(odds >= best - _TIED)
        sought.append(mine[rows])
        point.append(theirs[places])
        sure[mine] = 1.0 / (np.exp(odds - best) @ counts[theirs]) >= _SURE
    return _for_all(np.concatenate(sought), np.concatenate(point), of_asked, of_shown), sure[of_asked]


def _meeting(known: Ints, released: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Rows of both files to be compared at a time: those that agree where nobody changed anything.

    Whoever lacks a value there, or agrees with nobody, is compared with all.
    """
    labels = (
        group_rows(np.vstack([known, released]))[0] if known.shape[1] else np.zeros(len(known) + len(released), int)
    )
    of_known, of_released = labels[: len(known)], labels[len(known) :]
    order = np.argsort(of_released, kind="stable")
    alone = (known < 0).any(axis=1) | ~np.isin(of_known, of_released)
    groups = [np.flatnonzero(alone)] if alone.any() else []
    rest = np.flatnonzero(~alone)
    rest = rest[np.argsort(of_known[rest], kind="stable")]
    groups += [rows for rows in np.split(rest, np.flatnonzero(np.diff(of_known[rest])) + 1) if len(rows)]
    for rows in groups:
        label = of_known[rows[0]]
        first, last = np.searchsorted(of_released[order], [label, label + 1])
        theirs = np.arange(len(released)) if alone[rows[0]] else order[first:last]
        for some in np.array_split(rows, -(-len(rows) * len(theirs) // _CELLS)):
            yield some, theirs


def _for_all(sought: Ints, point: Ints, of_asked: Ints, of_shown: Ints) -> Guesses:
    """The points of each kind of sought record, for all records of that kind."""
    order = np.argsort(sought, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(sought))])
    each = np.diff(start)[of_asked]
    within = np.arange(int(each.sum())) - np.repeat(np.cumsum(each) - each, each)
    places = point[order][np.repeat(start[of_asked], each) + within]
    return guess_members(np.repeat(np.arange(len(of_asked)), each), places, len(of_asked), of_shown)


def _distinct(codes: Ints) -> tuple[Ints, Ints, Ints]:
    """One row of each class of equal rows, the class of each row, and how many each has."""
    labels, counts = group_rows(codes)
    return first_rows(labels, len(counts)), labels, counts
