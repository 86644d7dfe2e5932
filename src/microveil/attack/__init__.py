"""Attacks: what an intruder finds who knows original values and the method, but not the key."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from microveil.attack.attribute_inference import AttributeInference as AttributeInference
from microveil.attack.base import Attack as Attack
from microveil.attack.block_intersection import BlockIntersection as BlockIntersection
from microveil.attack.centroid_intersection import CentroidIntersection as CentroidIntersection
from microveil.attack.cluster_recovery import ClusterRecovery as ClusterRecovery
from microveil.attack.composition import Composition as Composition
from microveil.attack.downcoding import Downcoding as Downcoding
from microveil.attack.file_leaks import FileLeaks as FileLeaks
from microveil.attack.guesses import Answer as Answer
from microveil.attack.guesses import Finding as Finding
from microveil.attack.guesses import Guesses as Guesses
from microveil.attack.household_linkage import HouseholdLinkage as HouseholdLinkage
from microveil.attack.hybrid_reconstruction import HybridReconstruction as HybridReconstruction
from microveil.attack.mahalanobis_linkage import MahalanobisLinkage as MahalanobisLinkage
from microveil.attack.matrix_inversion import MatrixInversion as MatrixInversion
from microveil.attack.membership_inference import MembershipInference as MembershipInference
from microveil.attack.near_copies import NearCopies as NearCopies
from microveil.attack.nested_linkage import NestedLinkage as NestedLinkage
from microveil.attack.noise_filter import NoiseFilter as NoiseFilter
from microveil.attack.pram_posterior import PramPosterior as PramPosterior
from microveil.attack.rank_swap_attack import RankSwapAttack as RankSwapAttack
from microveil.attack.reverse_mapping import ReverseMapping as ReverseMapping
from microveil.attack.seed_search import SeedSearch as SeedSearch
from microveil.attack.simulated_linkage import SimulatedLinkage as SimulatedLinkage
from microveil.attack.suppression_inference import SuppressionInference as SuppressionInference
from microveil.attack.verbatim import Verbatim as Verbatim
from microveil.attack.view import View as View
from microveil.attack.weight_inference import WeightInference as WeightInference
from microveil.core.names import public_names as _public_names
from microveil.core.typos import suggesting as _suggesting


def __dir__() -> list[str]:
    return _public_names(globals())


if not _TYPE_CHECKING:  # where it would let every name pass
    __getattr__ = _suggesting(__name__)
