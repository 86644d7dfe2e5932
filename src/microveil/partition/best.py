"""The strongest partition for the time there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from microveil.core.arrays import Labels, Matrix
from microveil.core.errors import BadInput
from microveil.core.parameters import Range, When
from microveil.core.streams import Streams
from microveil.partition.base import Partition


@dataclass(frozen=True, kw_only=True)
class Best(Partition, name="best"):
    """The partition with the lowest loss that a budget of processor time can find.

    Use it for the final release of a file that is worth a minute. MDAV is annealed, and for small files the groups met
    on the way are recombined; all groups have k to 2k - 1 records. How far it comes in `seconds` depends on the
    machine, so that the same seed may give another partition; with `sweeps` (tries per record, and seconds=None) the
    seed alone decides.
    """

    seconds: Annotated[float | None, Range(gt=0), "processor time, about"] = 60.0
    sweeps: Annotated[int | None, Range(ge=1), When(seconds=None), "tries per record instead of a time"] = None

    random: ClassVar[bool] = True
    reference = "Kirkpatrick, Gelatt & Vecchi 1983; Hansen & Mukherjee 2003"
    example = {"seconds": None, "sweeps": 5}  # noqa: RUF012 - read, never changed

    def validate(self) -> None:
        """There is a budget."""
        if self.seconds is None and self.sweeps is None:
            raise BadInput("seconds and sweeps are both left out; give one of them")

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a standardised matrix."""
        from microveil.kernels.mdav.engine import mdav
        from microveil.kernels.refinement.anneal import anneal
        from microveil.kernels.refinement.best import best

        generator = streams.generator()
        if self.seconds is not None:
            return np.asarray(best(X, self.k, self.seconds, generator), dtype=np.int64)
        found = anneal(X, mdav(X, self.k), self.k, sweeps=self.sweeps, generator=generator)
        return np.asarray(found, dtype=np.int64)
