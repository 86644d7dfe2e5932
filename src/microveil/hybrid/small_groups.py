"""Groups too small for a regression on the columns kept: refused, enlarged, or drawn without these columns."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from microveil.core.errors import BadInput
from microveil.hybrid.cluster_columns import resized
from microveil.partition.base import Labels, Partition
from microveil.synth.ipso import Ipso

Float = NDArray[np.float64]
Bool = NDArray[np.bool_]

SmallGroups = Literal["error", "raise_k", "drop_kept", "pooled"]


def dimensions_needed(ipso: Ipso, replaced: int) -> int:
    """Free dimensions a group should have: one for each column replaced, twice as many to stay near the original."""
    return max(ipso.freedom, replaced if ipso.rho in (None, 1) else 2 * replaced)


def refuse_small(k: int, kept: int, freedom: int) -> None:
    """Groups of k must not be fitted without residuals: IPSO would return the original."""
    if k <= kept + 1:
        raise BadInput(
            f"k={k} with {kept} kept columns: a regression on them fits groups of {k} records without residuals, so "
            f"that IPSO would return the original; take k >= {kept + 1 + freedom}, keep fewer columns (given; none "
            "unless you name them) or set small_groups"
        )


def enlarged(partition: Partition, kept: int, needed: int) -> tuple[Partition, tuple[str, ...]]:
    """The partition with k raised to 1 + kept columns + free dimensions needed, and a note if it was."""
    smallest = 1 + kept + needed
    if partition.k >= smallest:
        return partition, ()
    note = f"k was raised from {partition.k} to {smallest}: 1 + {kept} for the columns kept + {needed} free dimensions"
    return resized(partition, smallest), (note,)


def too_small(S: Float, labels: Labels, needed: int) -> Bool:
    """Which groups leave fewer free dimensions than are needed."""
    from microveil.kernels.draws.groups import free_dimensions

    return np.asarray(free_dimensions(S, labels) < needed)
