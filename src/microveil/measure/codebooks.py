"""What an intruder knows of released labels: what their text, a hierarchy or the public plan says they stand for.

Labels that say nothing could be read from the true pairs, as if these were a codebook. Where nobody published one that
would tell links: of a random label that one record shows, the pair says whose it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from microveil.claims import OneToOne
from microveil.core.arrays import Bools, Ints
from microveil.measure.classes import Classes, read_classes
from microveil.measure.pair import Pair

LEAST_SHOWN = 5  # records that show a label of an unknown method, before it counts as a name of a class
_TIMES_EACH = 2  # such records for each different category behind the label
_NOBODY: Ints = np.empty(0, dtype=np.int64)


def public_classes(pair: Pair, name: str) -> Classes:
    """The classes of a released column as an intruder can know them.

    Where every step on the column releases true values made coarser, how it did so is public: the true pairs stand for
    its codebook. Where a step drew new names, they may stand for anything. Otherwise a label is read from the pairs
    only where these look like a codebook: at least `LEAST_SHOWN` records show it, its values have no other label, and
    they are either neighbours in the order of a column, or categories of which each has two such records on average.
    Without any pairs a label that says nothing stands for no value.
    """
    before, after = (table[name] for table in pair.own_tables([name]))
    if pair.link is None:
        return read_classes(before, after, _NOBODY, _NOBODY)
    left, right = pair.linked_rows
    if _is_renamed(pair, name):
        return _anything(read_classes(before, after, _NOBODY, _NOBODY))
    if _is_public(pair, name):
        return read_classes(before, after, left, right)
    return read_classes(before, after, left, right, _like_a_codebook if before.kind == "nominal" else _in_order)


def _is_renamed(pair: Pair, name: str) -> bool:
    """Whether the plan says that values have new names that were drawn: even a text that reads as one says nothing."""
    steps = () if pair.plan is None else pair.plan.steps_on(name)
    return any(isinstance(claim, OneToOne) for step in steps for claim in step.method.claims((name,)))


def _is_public(pair: Pair, name: str) -> bool:
    """Whether the plan says that values were made coarser, and nothing else was done to them."""
    steps = () if pair.plan is None else pair.plan.steps_on(name)
    return bool(steps) and all(step.method.coarsens for step in steps)


def _anything(classes: Classes) -> Classes:
    everything = np.full(len(classes.low), classes.values - 1, dtype=np.int64)
    return replace(classes, low=np.zeros_like(everything), high=everything, holds=None, silent=True)


def _of_their_own(level: Ints, value: Ints, levels: int) -> Bools:
    """The levels that enough records show, and whose values are shown by no other."""
    pairs = np.unique(np.column_stack([level, value]), axis=0)
    several = np.bincount(pairs[:, 1])[pairs[:, 1]] > 1
    mixed = np.bincount(pairs[several, 0], minlength=levels) > 0
    return np.asarray((np.bincount(level, minlength=levels) >= LEAST_SHOWN) & ~mixed)


def _like_a_codebook(level: Ints, value: Ints, levels: int) -> Bools:
    """Levels of categories that come back: those of each stand for the same wherever they are."""
    kinds = np.bincount(np.unique(np.column_stack([level, value]), axis=0)[:, 0], minlength=levels)
    return np.asarray(
        _of_their_own(level, value, levels) & (np.bincount(level, minlength=levels) >= _TIMES_EACH * kinds)
    )


def _in_order(level: Ints, value: Ints, levels: int) -> Bools:
    """Levels of values between which no value of another level lies."""
    pairs = np.unique(np.column_stack([value, level]), axis=0)
    runs = np.flatnonzero(np.diff(pairs[:, 1], prepend=-1) != 0)
    return np.asarray(_of_their_own(level, value, levels) & (np.bincount(pairs[runs, 1], minlength=levels) == 1))


def tell_silent(names: Sequence[str]) -> tuple[str, ...]:
    """A note on the columns whose labels tell nothing; none without any."""
    if not names:
        return ()
    tell = "this column tells" if len(names) == 1 else "these columns tell"
    told = (
        f"nothing says what labels of {', '.join(map(str, names))} stand for, neither their text nor a hierarchy nor a "
        f"plan, so that {tell} nothing there"
    )
    return (told,)
