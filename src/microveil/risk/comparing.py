"""One column of the original beside the same column of the release, as an intruder compares them.

A raw value agrees with the class, range, set or gap that contains it. Where all released values are true ones,
coarser or left out at most, what does not contain the raw value is out of the question; otherwise it is only
farther away. Gaps that stand where they stood tell records apart as values do: a gap is far from every value there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints, SmallInts, Words
from microveil.measure.classes import Classes

OUT_OF_THE_QUESTION = 1e6  # squared standard deviations: no distance in other columns makes up for it
_LESS_TELLING = 1e-8  # decides between records that are equally near otherwise: the narrower class is likelier
_WORD = 64
_FAR = 1e3  # ranges of all numbers: the square of as many standard deviations is out of the question


@dataclass(frozen=True)
class Side:
    """A column of one file: ranges of numbers, or sets (bits), the distinct values as codes, and its gaps."""

    low: Floats
    high: Floats
    codes: SmallInts
    gaps: Bools
    sets: Words | None = None

    @property
    def plain(self) -> bool:
        """Whether every record has one value."""
        return self.sets is None and self.high is self.low and not self.gaps.any()

    def rows(self, chosen: Ints) -> Side:
        """Some of the records."""
        low = self.low[chosen]
        high = low if self.high is self.low else self.high[chosen]
        sets = None if self.sets is None else self.sets[chosen]
        return Side(low, high, self.codes[chosen], self.gaps[chosen], sets)


@dataclass(frozen=True)
class Compared:
    """A column of both files. `step` is what disagreement adds to a squared distance; 0 where the numbers say it.

    `gap_cost` is what a gap adds, `less_telling` what a wide class does.
    """

    original: Side
    released: Side
    step: float = 0.0
    gap_cost: float = 0.0
    less_telling: Floats | None = None
    amounts: bool = False  # numbers that only come near the true ones

    @property
    def settled(self) -> bool:
        """Whether every released value is the true one, so that a record with another one is out of the question."""
        return self.step >= OUT_OF_THE_QUESTION and self.original.plain and self.released.plain

    def handicap(self, manhattan: bool, of_released: bool) -> Floats | None:
        """What every record of a file has to make up for in this column: a gap that may hold anything is no match."""
        out = self.less_telling if of_released else None
        side = self.released if of_released else self.original
        if self.gap_cost > 0 and side.gaps.any():
            cost = np.sqrt(self.gap_cost) if manhattan else self.gap_cost
            wide = side.gaps if side.sets is not None else side.gaps & (side.low < side.high)
            more = np.where(wide, cost, 0.0)
            out = more if out is None else out + more
        return out


def plain_side(x: Floats) -> Side:
    """Numbers without gaps."""
    return Side(x, x, _codes_of(x), np.isnan(x))


def compare_amounts(
    x: Floats, y: Floats, left: Ints, right: Ints, scaled: tuple[Floats, Floats] | None, partial: bool = False
) -> Compared:
    """A column of numbers in both files; `scaled` are the numbers in a common scale.

    With `partial` a gap says nothing, wherever it stands, and costs nothing.
    """
    both = ~np.isnan(x[left]) & ~np.isnan(y[right])
    if both.any() and bool((x[left][both] == y[right][both]).all()):
        return _of_true_amounts(x, y, left, right, partial)
    a, b = (x, y) if scaled is None else scaled
    codes = [_codes_of(x), _codes_of(y)]
    gap_cost = float(np.mean((a[left][both] - b[right][both]) ** 2)) if both.any() and not partial else 0.0
    return Compared(*_with_gaps(a, b, codes, left, right, partial), gap_cost=gap_cost, amounts=True)


def _of_true_amounts(x: Floats, y: Floats, left: Ints, right: Ints, partial: bool) -> Compared:
    values = np.unique(np.concatenate([x[~np.isnan(x)], y[~np.isnan(y)]]))
    a, b = (np.where(np.isnan(z), np.nan, np.searchsorted(values, z)) for z in (x, y))
    counts = np.bincount(a[~np.isnan(x)].astype(np.int64), minlength=len(values))
    shares = counts / max(int(counts.sum()), 1)
    held = np.where(np.isnan(y), 1.0, shares[np.where(np.isnan(y), 0, b).astype(np.int64)])
    sides = _with_gaps(a, b, [_codes_of(x), _codes_of(y)], left, right, partial)
    return Compared(*sides, step=OUT_OF_THE_QUESTION, less_telling=_less_telling(held))


def _with_gaps(
    a: Floats, b: Floats, codes: list[SmallInts], left: Ints, right: Ints, partial: bool
) -> tuple[Side, Side]:
    """Both sides with gaps far from all numbers; also over all numbers where a true pair has a gap on one side."""
    gaps = (np.isnan(a), np.isnan(b))
    observed = np.concatenate([a[~gaps[0]], b[~gaps[1]]])
    least, most = (float(observed.min()), float(observed.max())) if len(observed) else (0.0, 0.0)
    far = most + _FAR * max(most - least, 1.0)
    sides = []
    for numbers, gap, code, lone in zip((a, b), gaps, codes, _gaps_alone(*gaps, left, right, partial), strict=True):
        low = np.where(gap, least if lone else far, numbers) if gap.any() else numbers
        high = np.where(gap, far, numbers) if gap.any() and lone else low
        sides.append(Side(low, high, code, gap))
    return sides[0], sides[1]


def _gaps_alone(original: Bools, released: Bools, left: Ints, right: Ints, partial: bool) -> tuple[bool, bool]:
    """Whether an original gap was filled, and whether a value was left out: then such a gap may hold anything.

    With `partial` every gap may.
    """
    if partial:
        return True, True
    before, after = original[left], released[right]
    return bool((before & ~after).any()), bool((after & ~before).any())


def compare_classes(
    classes: Classes, kind: str, left: Ints, right: Ints, scaled: bool, partial: bool = False
) -> Compared:
    """A column of categories, or of classes of amounts; `scaled` counts steps between ordered ones as shares of all.

    With `partial` a gap says nothing, wherever it stands, and costs nothing.
    """
    observed = (classes.code[left] >= 0) & (classes.released[right] >= 0)
    agree = classes.contains(left[observed], right[observed])
    true = bool(agree.all())
    codes = (_int32(classes.code), _int32(classes.released))
    gaps = (classes.code < 0, classes.released < 0)
    if classes.holds is not None:
        step = OUT_OF_THE_QUESTION if true else 1.0
        return Compared(*_set_sides(classes, codes, gaps), step, *_costs(classes, true, _share(~agree), partial))
    filled, left_out = _gaps_alone(*gaps, left, right, partial)
    # a gap is a class of its own, far from the others; where one file alone has it, it may be any of them
    far = int(_FAR) * max(classes.values, 1)
    low, high = np.append(classes.low, 0 if left_out else far), np.append(classes.high, far)
    # no range at all: nothing is contained
    empty = low > high
    low[empty], high[empty] = -2, -2
    x = np.where(gaps[0], 0 if filled else far, classes.code).astype(np.float64)
    scale = 1.0 if true or kind == "nominal" or not scaled else max(classes.values, 1)
    x_high = np.where(gaps[0], far, classes.code).astype(np.float64) if filled else x
    ranges = bool((low[:-1] != high[:-1]).any()) or left_out
    y = low[classes.released] / scale
    y_high = high[classes.released] / scale if ranges else y
    first, second = x / scale, x_high / scale if x_high is not x else None
    original = Side(first, first if second is None else second, codes[0], gaps[0])
    released = Side(y, y_high, codes[1], gaps[1])
    if true or kind == "nominal":
        step = OUT_OF_THE_QUESTION if true else 1.0
        return Compared(original, released, step, *_costs(classes, true, _share(~agree), partial))
    a, b = left[observed], right[observed]
    apart = np.maximum(0.0, np.maximum(y[b] - first[a], first[a] - y_high[b]))
    return Compared(original, released, gap_cost=float(np.mean(apart**2)) if len(apart) and not partial else 0.0)


def _share(flags: Bools) -> float:
    return float(flags.mean()) if len(flags) else 0.0


def _costs(classes: Classes, true: bool, disagree: float, partial: bool) -> tuple[float, Floats | None]:
    if not true:
        return 0.0 if partial else disagree, None
    shares = np.append(classes.shares(), 1.0)
    return 0.0, _less_telling(shares[classes.released])


def _less_telling(shares: Floats) -> Floats | None:
    """A small cost of classes that hold much: of records that agree, the one in the narrowest class is likeliest."""
    found = np.maximum(shares, 1.0 / (10.0 * max(len(shares), 1)))
    least = float(found.min()) if len(found) else 1.0
    cost = _LESS_TELLING * np.log(found / least)
    return cost if cost.any() else None


def _set_sides(classes: Classes, codes: tuple[SmallInts, SmallInts], gaps: tuple[Bools, Bools]) -> tuple[Side, Side]:
    assert classes.holds is not None
    every = np.ones((1, classes.values), dtype=np.bool_)
    one_each = _packed(np.vstack([np.eye(classes.values, dtype=np.bool_), every]))
    held = _packed(np.vstack([classes.holds, every]))
    # only to put neighbours together
    x, y = classes.code.astype(np.float64), np.append(classes.low, 0)[classes.released].astype(np.float64)
    return (
        Side(x, x, codes[0], gaps[0], one_each[classes.code]),
        Side(y, y, codes[1], gaps[1], held[classes.released]),
    )


def _packed(holds: Bools) -> Words:
    """Rows of truth values as words of 64 bits."""
    words = -(-holds.shape[1] // _WORD)
    padded = np.zeros((len(holds), words * _WORD), dtype=np.bool_)
    padded[:, : holds.shape[1]] = holds
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def _codes_of(x: Floats) -> SmallInts:
    gaps = np.isnan(x)
    out = np.full(len(x), -1, dtype=np.int32)
    out[~gaps] = np.unique(x[~gaps], return_inverse=True)[1].reshape(-1)
    return out


def _int32(codes: Ints) -> SmallInts:
    return np.asarray(codes, dtype=np.int32)
