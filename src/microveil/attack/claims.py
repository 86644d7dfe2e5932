"""Claims about hidden values: what an attack says, how it is judged, and what guessing would get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.core.streams import Key, Streams
from microveil.core.words import counted
from microveil.measure.classes import Classes
from microveil.measure.shares import share_interval


@dataclass(frozen=True)
class Claims:
    """For each cell asked for the value claimed, as its code (-1: none), and whether the intruder is sure of it.

    `alike` numbers cells that nobody can tell apart: claims about those of one number say how many of them have a
    value, not which, and where nothing is claimed nothing is guessed.
    """

    value: Ints
    sure: Bools
    alike: Ints | None = None

    @classmethod
    def none(cls, cells: int) -> Claims:
        """No claim at all."""
        return cls(np.full(cells, -1, dtype=np.int64), np.zeros(cells, dtype=np.bool_))

    def over(self, other: Claims) -> Claims:
        """These claims, and those of another attempt where there is none."""
        made = self.value >= 0
        return Claims(np.where(made, self.value, other.value), np.where(made, self.sure, other.sure))


@dataclass(frozen=True)
class Holds:
    """The values that each class may stand for: a range of their numbers, or a row of `sets`."""

    low: Ints
    high: Ints
    sets: Bools | None = None

    @classmethod
    def by(cls, classes: Classes) -> Holds:
        """What released classes stand for."""
        return cls(np.maximum(classes.low, 0), classes.high, classes.holds)

    def of(self, level: int) -> Ints:
        """The numbers of the values of one class, in order."""
        if self.sets is not None:
            return np.flatnonzero(self.sets[level])
        return np.arange(self.low[level], self.high[level] + 1)

    @property
    def sizes(self) -> Ints:
        """How many values each class stands for."""
        return np.asarray(self.high - self.low + 1 if self.sets is None else self.sets.sum(axis=1), dtype=np.int64)


class Judged(NamedTuple):
    """Claims about one column compared with the truth, cell by cell; cells without a true value are not in it.

    `guessed` is the chance of each cell to be right by guessing without any attack.
    """

    right: Floats
    sure: Bools
    guessed: Floats


def judge(claims: Claims, truth: Ints, guessed: Floats) -> Judged:
    """The claims beside the truth; where there is none, the intruder guesses."""
    there = truth >= 0
    if claims.alike is None:
        right = np.where(claims.value >= 0, claims.value == truth, guessed)
    else:
        right = true_of_alike(claims.value, truth, claims.alike)
    return Judged(right[there], claims.sure[there], guessed[there])


def true_of_alike(value: Ints, truth: Ints, alike: Ints) -> Floats:
    """For each claim the chance to be true, if as many cells of its number as have the value take it."""
    width = int(max(value.max(initial=-1), truth.max(initial=-1))) + 1
    claimed, known = value >= 0, truth >= 0
    kinds, which, claims = np.unique(alike[claimed] * width + value[claimed], return_inverse=True, return_counts=True)
    true, cells = np.unique(alike[known] * width + truth[known], return_counts=True)
    place = np.minimum(np.searchsorted(true, kinds), max(len(true) - 1, 0))
    held = np.where(true[place] == kinds, cells[place], 0) if len(true) else np.zeros(len(kinds))
    out = np.zeros(len(value))
    out[claimed] = (np.minimum(held, claims) / claims)[which.reshape(-1)]
    return out


def advantage_over(right: float, guessed: float) -> float:
    """How far it is from guessing to certainty, in per cent; both are shares, and what is worse than guessing is 0."""
    if guessed >= 1.0:
        return 0.0
    return 100.0 * min(max((right - guessed) / (1.0 - guessed), 0.0), 1.0)


def tell_advantage(judged: Mapping[str, Judged], what: Sequence[str], notes: Sequence[str] = ()) -> tuple[float, Json]:
    """The value of an attack on hidden values, and what else its figure holds; `what` is one cell and several."""
    right, sure, guessed = (np.concatenate([one[j] for one in judged.values()]) for j in range(3))
    found, base, claims = float(right.mean()), float(guessed.mean()), int(sure.sum())
    value = advantage_over(found, base)
    low, high = (advantage_over(end / 100, base) for end in share_interval(100 * found, len(right)))
    parts = {
        "certain": 100.0 * claims / len(right),
        "precision": float(right[sure].mean()) if claims else 0.0,
        "baseline": 100.0 * base,
        "right": 100.0 * found,
    }
    if len(judged) > 1:
        parts |= {f"right[{name}]": 100.0 * float(one.right.mean()) for name, one in judged.items() if len(one.right)}
    reading = (
        f"An intruder says the true value of {format_number(100 * found)} % of "
        f"{counted(len(right), what[0], what[1])}, where guessing gets {format_number(100 * base)} %: an advantage of "
        f"{format_number(value)} % of what guessing leaves."
    )
    return value, {
        "parts": parts,
        "interval": (min(low, value), max(high, value)),
        "reading": reading,
        "notes": tuple(notes),
    }


def guess_commonest(shown: Ints, truth: Ints) -> Floats:
    """The chance that the commonest of the values shown is the true one; equally common ones share the guess."""
    counts = np.bincount(shown[shown >= 0], minlength=int(truth.max(initial=0)) + 1)
    leaders = counts == counts.max(initial=1)
    return np.where(truth >= 0, leaders[np.maximum(truth, 0)] / max(int(leaders.sum()), 1), 0.0)


def guess_held(classes: Ints, holds: Holds, counts: Ints, claims: Claims, truth: Ints) -> Floats:
    """The chance to be right by naming, of the values that a class may stand for, the commonest in the whole file.

    Of cells that nobody can tell apart as many get a guess as there are claims, each another value. Which of equally
    common values comes first is drawn, for the least of a range is no guess.
    """
    value = np.full(len(classes), -1, dtype=np.int64)
    ranks = np.empty(len(counts), dtype=np.int64)
    drawn = Streams(Key.of(0)).at("equally common values").words(0, len(counts))[:, 0]
    ranks[np.lexsort((drawn, -counts))] = np.arange(len(counts))
    for cells in cells_by_label(classes):
        held = holds.of(int(classes[cells[0]]))
        if claims.alike is None:
            value[cells] = held[ranks[held].argmin()]
            continue
        claimed = cells[claims.value[cells] >= 0]
        several = [claimed[chosen] for chosen in cells_by_label(claims.alike[claimed])]
        best = _first_of(held, ranks[held], max(map(len, several), default=0))
        for chosen in several:
            value[chosen[: len(best)]] = best[: len(chosen)]
    if claims.alike is not None:
        return true_of_alike(value, truth, claims.alike)
    return np.asarray(value == truth, dtype=np.float64)


def guess_amounts(possible: Floats, claims: Claims, truth: Ints) -> Floats:
    """The chance of each claim about cells that nobody can tell apart, had it named any possible amount of its range.

    `possible` are the amounts that the range of each cell may stand for, whether or not anybody has them.
    """
    assert claims.alike is not None
    known = truth >= 0
    pairs = np.unique(np.column_stack([claims.alike[known], truth[known]]), axis=0)
    different = np.bincount(pairs[:, 0], minlength=int(claims.alike.max(initial=0)) + 1)
    return np.where(claims.value >= 0, np.minimum(different[claims.alike] / possible, 1.0), 0.0)


def _first_of(held: Ints, ranks: Ints, count: int) -> Ints:
    """The values with the lowest ranks, in their order."""
    few = np.argpartition(ranks, count - 1)[:count] if 0 < count < len(held) else np.arange(len(held))
    return np.asarray(held[few[np.argsort(ranks[few])]][:count], dtype=np.int64)


def cells_by_label(labels: Ints) -> Iterator[Ints]:
    """The cells of each label, one label after the other."""
    order = np.argsort(labels, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(order) else ()
