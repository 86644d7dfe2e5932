"""PRAM: categories changed at random with known probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from microveil.core.arrays import Floats, Matrix
from microveil.data.table import Values
from microveil.mask.pram_matrix import base_matrix, check_transition, forbid, pairs_of
from microveil.mask.transitions import TransitionMask, parents_of
from microveil.run.method import depends


@dataclass(frozen=True, kw_only=True)
class Pram(TransitionMask, name="pram"):
    """Change each category at random by a transition matrix that may be published.

    Use it on categorical keys: nobody knows which values are true, and frequencies can be estimated back
    without bias (`estimate_frequencies`). Own matrices list their rows in the order of the levels. `by=`
    uses the frequencies of each stratum; `joint` treats all columns as one, so that combinations that do
    not occur never appear. Missing cells stay.
    """

    columns_apart: ClassVar[bool] = depends(True, lambda mask: not mask.joint)

    def matrix_of(self, name: str, values: Values, counts: Floats) -> Matrix:
        """The matrix for a column whose levels occur so often: row = old level, column = new level."""
        levels = values.levels or ()
        if self.matrix and name in self.matrix:
            P = check_transition(self.matrix[name], levels, name)
        else:
            P = base_matrix(self.pattern, self.stay, counts, parents_of(values))
        return forbid(P, pairs_of(self.forbidden, name, levels))
