"""V-MDAV: MDAV with groups that grow where the next record is close."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from microveil.core.arrays import Labels, Matrix
from microveil.core.parameters import Range
from microveil.core.streams import Streams
from microveil.partition.base import Partition


@dataclass(frozen=True, kw_only=True)
class VMDAV(Partition, name="vmdav"):
    """Variable-size MDAV: groups of k around records far from the centre take in near records up to 2k - 1.

    Use it on clustered data with `gamma` about 1.1; about 0.2 on scattered data, where it is close to MDAV. A record
    is taken in when its distance to the group is below `gamma` times that to the nearest record left. The fewer than k
    records left over join the group of their nearest record, which may exceed 2k - 1 unless `split` is set.

    >>> VMDAV(k=2, gamma=1.1).labels([[0.0], [0.1], [0.2], [9.0], [9.1]]).tolist()
    [1, 1, 1, 0, 0]
    """

    gamma: Annotated[float, Range(ge=0, grid=(0.2, 1.1)), "how readily groups grow; 0: not at all"] = 0.2
    split: Annotated[bool, "split groups of 2k records and more by MDAV"] = False

    reference = "Solanas & Martinez-Balleste 2006"

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a standardised matrix."""
        from microveil.kernels.grouping.pieces import split_large
        from microveil.kernels.grouping.variable import vmdav

        labels = vmdav(X, self.k, self.gamma)
        return np.asarray(split_large(X, labels, self.k) if self.split else labels, dtype=np.int64)
