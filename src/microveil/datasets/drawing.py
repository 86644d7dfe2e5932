"""Random columns: one stream per name, so that a new column never moves the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from microveil.core.arrays import Bools, Codes, Floats
from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams


@dataclass(frozen=True)
class Draws:
    """Random columns of n records, each from the stream of its own name.

    >>> draws = Draws(Streams(Key.of(1)), 4)
    >>> bool((draws.uniform("age") == draws.uniform("age")).all())
    True
    """

    streams: Streams
    n: int

    def uniform(self, *name: str) -> Floats:
        """Uniform numbers inside (0, 1)."""
        return self.streams.at(*name).uniforms(0, self.n)[:, 0]

    def normal(self, *name: str) -> Floats:
        """Standard normal numbers."""
        return self.streams.at(*name).normals(0, self.n)[:, 0]

    def happens(self, probability: float | Floats, *name: str) -> Bools:
        """True with the given probability, one for all records or one each."""
        return self.uniform(*name) < probability

    def choice(self, weights: ArrayLike, *name: str) -> Codes:
        """Codes 0, 1, ... with the given relative weights."""
        return self.choice_by(np.atleast_2d(np.asarray(weights, dtype=np.float64)), np.int64(0), *name)

    def choice_by(self, table: ArrayLike, rows: Codes | np.int64, *name: str) -> Codes:
        """Codes with the relative weights of the table row that each record names."""
        weights = np.asarray(table, dtype=np.float64)
        cumulated = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
        width = weights.shape[1]
        # row r of the table occupies (r, r + 1]: one sorted search serves all rows
        steps = (cumulated + np.arange(len(weights))[:, None]).ravel()
        codes = np.searchsorted(steps, self.uniform(*name) + rows) - rows * width
        return np.asarray(np.minimum(codes, width - 1), dtype=np.int64)

    def heavy_tail(self, share: float, index: float, *name: str) -> Floats:
        """Factors that are 1, and Pareto distributed with the given tail index for a share of the records."""
        upper = self.uniform(*name) / share
        return np.asarray(np.minimum(upper, 1.0) ** (-1.0 / index), dtype=np.float64)


def draws_of(file: str, n: int, seed: int | str | bytes | Key | None) -> Draws:
    """The draws of one generated file; n must be a whole number of at least 1."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise BadInput(f"n is {n!r}; give a whole number of records")
    if n < 1:
        raise BadInput(f"n must be 1 or more; {n} was given")
    return Draws(Streams(Key.of(seed)).at("datasets", file), int(n))


def zipf(count: int, power: float = 1.0) -> Floats:
    """Weights that fall as 1/rank^power: a few large categories and many rare ones."""
    return np.arange(1, count + 1, dtype=np.float64) ** -power
