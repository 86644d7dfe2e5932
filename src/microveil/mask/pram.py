"""PRAM: categories changed at random with known probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.core.arrays import Codes, Matrix
from microveil.core.streams import Streams
from microveil.data.table import Values
from microveil.mask.pram_matrix import base_matrix, checked_matrix, forbid, pairs_of
from microveil.mask.transitions import TransitionMask, draw, level_counts, parents_of
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

    def transition(self, name: str, values: Values) -> Matrix:
        """The matrix for a column: row = old level, column = new level."""
        levels = values.levels or ()
        if self.matrix and name in self.matrix:
            P = checked_matrix(self.matrix[name], levels, name)
        else:
            P = base_matrix(self.pattern, self.stay, level_counts(values), parents_of(values))
        return forbid(P, pairs_of(self.forbidden, name, levels))

    def draw_codes(self, codes: Codes, P: Matrix, streams: Streams, chunk_rows: int) -> Codes:
        """New codes by record position, so that any chunking gives the same."""
        out = np.empty_like(codes)
        for start in range(0, len(codes), chunk_rows):
            stop = min(start + chunk_rows, len(codes))
            out[start:stop] = draw(codes[start:stop], P, streams.uniforms(start, stop)[:, 0])
        return out
