"""Partitions of records into groups of at least k."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from microveil.core.names import public_names as _public_names
from microveil.core.typos import suggesting as _suggesting
from microveil.partition.base import Partition as Partition
from microveil.partition.best import Best as Best
from microveil.partition.blocked import Blocked as Blocked
from microveil.partition.condensation import Condensation as Condensation
from microveil.partition.consensus import Consensus as Consensus
from microveil.partition.information import information_loss as information_loss
from microveil.partition.k_modes import KModes as KModes
from microveil.partition.mdav import MDAV as MDAV
from microveil.partition.mhm import MHM as MHM
from microveil.partition.mixture import Mixture as Mixture
from microveil.partition.mondrian import Mondrian as Mondrian
from microveil.partition.mst import MST as MST
from microveil.partition.mu_approx import MuApprox as MuApprox
from microveil.partition.optimal_univariate import OptimalUnivariate as OptimalUnivariate
from microveil.partition.projection import Projection as Projection
from microveil.partition.refined import Refined as Refined
from microveil.partition.vmdav import VMDAV as VMDAV


def __dir__() -> list[str]:
    return _public_names(globals())


if not _TYPE_CHECKING:  # where it would let every name pass
    __getattr__ = _suggesting(__name__)
