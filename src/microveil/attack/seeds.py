"""Weak seeds: which are tried, and whether one of them gives a release once more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from microveil.attack.rerunning import rerun
from microveil.core.arrays import Floats, Ints
from microveil.core.errors import MicroveilError
from microveil.core.streams import Key
from microveil.data.coding import in_common
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.data.table import Table, Values
from microveil.measure import Pair
from microveil.measure.keys import common_codes
from microveil.run.release import AnyFile

MOST_CELLS = 100_000_000  # that all tries together draw anew
_LIKED = (1234, 12345, 123456, 1234567, 31415, 314159, 27182, 271828, 2**31 - 1, 4711, 9999, 99999, -1)
_YEARS = range(1950, 2051)
_WORDS = ("", "seed", "secret", "password", "key", "test", "release", "microveil", "anonymous", "random", "1", "42")


class SeedsTried(NamedTuple):
    """How many seeds were tried, the seed that gives the release once more if any, and the largest share of records."""

    tried: int
    found: int | str | None
    best: float


def weak_seeds(numbers: int, guesses: Sequence[str]) -> Iterator[int | str]:
    """Stated guesses first, then what people take: small numbers, liked ones, years, words.

    Numbers are tried as text, too: that is what a seed on a command line is.
    """
    chosen = (*_LIKED, *range(numbers), *_YEARS)
    yield from dict.fromkeys((*guesses, *_WORDS, *(seed for number in chosen for seed in (number, str(number)))))


def try_seeds(
    original: AnyFile, protected: AnyFile | None, known: Sequence[str] | None, seeds: Iterable[int | str]
) -> SeedsTried | str:
    """Run the public plan with one seed after the other, until the released records come out.

    Records are compared by the changed columns, or by those among them that are `known`.
    """
    pair = Pair.of(original, protected)
    if pair.plan is None:
        return "nobody knows how this file was made; give the release itself"
    both = [name for name in pair.before.columns if name in pair.after.columns]
    check_names(tuple(known or ()), both, "known")
    names = [name for name in both if name in pair.plan.changed and (known is None or name in known)]
    if not names or not any(step.method.random for step in pair.plan.steps):
        return "nothing was drawn for these columns, so that there is no key to find"
    wanted = _records(pair.after, pair.after, names, pair.link)
    most = max(MOST_CELLS // max(pair.before.n * len(names), 1), 1)
    best, tried = 0.0, 0
    for seed in seeds:
        if tried == most:
            break
        tried += 1
        try:
            again = rerun(pair.plan, pair.before, Key.of(seed))
        except MicroveilError as problem:
            return f"its plan cannot be run again ({problem})"
        best = max(best, _share_equal(wanted, _records(again.data, pair.after, names, again.origin)))
        if best == 1.0:
            return SeedsTried(tried, seed, best)
    return SeedsTried(tried, None, best)


def _records(data: Microdata, like: Microdata, names: Sequence[str], origin: Ints | None) -> Table:
    """The changed columns, and whose record each is where that is known: few categories agree by chance otherwise."""
    columns = {name: data.values(name, like.kinds[name]) for name in names}
    whose = np.full(data.n, -1) if origin is None else origin
    return Table({**columns, "whose record": Values("continuous", whose.astype(np.float64))}, data.n)


def _share_equal(wanted: Table, found: Table) -> float:
    """The share of wanted records that the other file has as well, each as often."""
    if not found.rows:
        return 0.0
    columns = [_coded(wanted, found, name) for name in wanted.names]
    both = np.column_stack([np.concatenate(pair) for pair in columns])
    labels = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
    counts = [np.bincount(part, minlength=int(labels.max()) + 1) for part in np.split(labels, [wanted.rows])]
    return float(np.minimum(*counts).sum()) / wanted.rows


def _coded(wanted: Table, found: Table, name: str) -> tuple[Floats, Floats]:
    x, y = in_common([wanted[name], found[name]])
    a, b = common_codes(Table({name: x}, wanted.rows), Table({name: y}, found.rows))
    return a[:, 0].astype(np.float64), b[:, 0].astype(np.float64)
