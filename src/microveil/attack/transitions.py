"""What an intruder makes of categories changed at random: the matrix again, the frequencies before, and odds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from microveil.attack.domains import domains_of
from microveil.attack.masked import Masked
from microveil.attack.view import View
from microveil.core.arrays import Floats, Ints
from microveil.data.table import Values
from microveil.kernels.tables.classes import first_rows, group_rows
from microveil.mask.pram_matrix import maximum_likelihood_frequencies
from microveil.mask.transitions import TransitionMask, level_counts
from microveil.measure.keys import common_codes

_ROUNDS = 8  # the matrix may follow from the frequencies, which are estimated by the matrix
_NEVER = 1e-30


@dataclass(frozen=True)
class Changed:
    """One column of both files that a matrix changed, or several taken as one; -1 where missing.

    `matrix` and `prior`, the shares of the levels before, are those of each subdomain, and `domain` is that of each
    released record.
    """

    name: str
    known: Ints
    released: Ints
    domain: Ints
    matrix: Floats
    prior: Floats

    @cached_property
    def share(self) -> Floats:
        """By subdomain and released level, the share of records expected there."""
        return np.asarray(np.einsum("dk,dkl->dl", self.prior, self.matrix))

    @cached_property
    def posterior(self) -> Floats:
        """By subdomain, true and released level, the probability that this is the true one where that is released."""
        joint = self.prior[:, :, None] * self.matrix
        return np.asarray(joint / np.maximum(joint.sum(axis=1, keepdims=True), _NEVER))

    def odds(self, asked: Ints, shown: Ints, weighed: bool) -> Floats:
        """Logarithms of the chance that known records (rows) became released ones (columns).

        `weighed`: over the chance that anybody did. Gaps stay, and a known one says nothing.
        """
        x, y, d = self.known[asked], self.released[shown], self.domain[shown]
        chance = self.matrix[d[None, :], x[:, None], y[None, :]]
        if weighed:
            chance = chance / np.maximum(self.share[d, y], _NEVER)[None, :]
        chance = np.where((y < 0)[None, :], 0.0, chance)
        return np.where((x < 0)[:, None], 0.0, np.log(np.maximum(chance, _NEVER)))


def changed_columns(view: View, parts: Sequence[Masked]) -> list[Changed]:
    """The columns that each method changed, with its matrices as far as they can be known."""
    found = []
    for part in parts:
        method, of_y = part.method, domains_of(view, part.by)[1]
        assert isinstance(method, TransitionMask)
        for name, known, released in _columns(view, part.columns, method.joint):
            whole = [_matrix_and_prior(method, name, released.take(of_y == d)) for d in range(int(of_y.max()) + 1)]
            matrix, prior = (np.stack(side) for side in zip(*whole, strict=True))
            found.append(Changed(name, known, released.data, of_y, matrix, prior))
    return found


def _columns(view: View, names: Sequence[str], joint: bool) -> list[tuple[str, Ints, Values]]:
    """Known codes and released values of each column, or of all crossed: of combinations those that were released."""
    if not joint:
        return [(name, view.known[name].data, view.released[name]) for name in names]
    codes = np.vstack(common_codes(view.released.only(names), view.known.only(names)))
    labels, counts = group_rows(codes)
    n = view.released.rows
    levels = np.unique(labels[:n][(codes[:n] >= 0).all(axis=1)])
    place = np.full(len(counts), -1, dtype=np.int64)
    place[levels] = np.arange(len(levels))
    cells = tuple(map(tuple, codes[first_rows(labels, len(counts))[levels]].tolist()))
    return [("joint", place[labels[n:]], Values("nominal", place[labels[:n]], cells))]


def _matrix_and_prior(method: TransitionMask, name: str, released: Values) -> tuple[Floats, Floats]:
    """The matrix by which a column was changed, and the frequencies it had, as released values tell them."""
    seen = level_counts(released)
    before, matrix = seen, method.transition(name, released.with_data(_cells(seen)))
    if not np.allclose(seen @ matrix, seen):  # an invariant matrix leaves the frequencies as they were
        for _ in range(_ROUNDS):
            before = maximum_likelihood_frequencies(matrix, seen, rounds=1_000)
            matrix = method.transition(name, released.with_data(_cells(before)))
    return matrix, before / max(float(before.sum()), 1.0)


def _cells(counts: Floats) -> Ints:
    """A column with about these frequencies: methods ask a column for them."""
    return np.repeat(np.arange(len(counts)), np.rint(counts).astype(np.int64))
