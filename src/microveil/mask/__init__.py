"""Masking methods: perturb or coarsen the original values."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from microveil.core.names import public_names as _public_names
from microveil.core.typos import suggesting as _suggesting
from microveil.mask.base import ColumnMask as ColumnMask
from microveil.mask.base import Mask as Mask
from microveil.mask.base import MatrixMethod as MatrixMethod
from microveil.mask.base import OrderMask as OrderMask
from microveil.mask.base import RowMask as RowMask
from microveil.mask.base import RowWise as RowWise
from microveil.mask.correlated_noise import CorrelatedNoise as CorrelatedNoise
from microveil.mask.data_shuffle import DataShuffle as DataShuffle
from microveil.mask.data_swap import DataSwap as DataSwap
from microveil.mask.exact_noise import ExactNoise as ExactNoise
from microveil.mask.gadp import Gadp as Gadp
from microveil.mask.global_recode import GlobalRecode as GlobalRecode
from microveil.mask.individual_ranking import IndividualRanking as IndividualRanking
from microveil.mask.invariant_pram import InvariantPram as InvariantPram
from microveil.mask.k_anonymise import KAnonymise as KAnonymise
from microveil.mask.kim_noise import KimNoise as KimNoise
from microveil.mask.kim_noise import corrected_domain_moments as corrected_domain_moments
from microveil.mask.lattice import Lattice as Lattice
from microveil.mask.local_suppression import LocalSuppression as LocalSuppression
from microveil.mask.massc import Massc as Massc
from microveil.mask.matrix_mask import MatrixMask as MatrixMask
from microveil.mask.matrix_mask import matrix_form as matrix_form
from microveil.mask.microaggregation import Microaggregation as Microaggregation
from microveil.mask.multiplicative_noise import MultiplicativeNoise as MultiplicativeNoise
from microveil.mask.pram import Pram as Pram
from microveil.mask.pram_matrix import estimate_frequencies as estimate_frequencies
from microveil.mask.pram_matrix import estimate_table as estimate_table
from microveil.mask.pram_matrix import maximum_likelihood_frequencies as maximum_likelihood_frequencies
from microveil.mask.pseudonymise import Pseudonymise as Pseudonymise
from microveil.mask.random_orthogonal import RandomOrthogonal as RandomOrthogonal
from microveil.mask.rank_swap import RankSwap as RankSwap
from microveil.mask.record_swap import RecordSwap as RecordSwap
from microveil.mask.repair import Repair as Repair
from microveil.mask.resample import Resample as Resample
from microveil.mask.rescale import Rescale as Rescale
from microveil.mask.round_to_points import RoundToPoints as RoundToPoints
from microveil.mask.rounding import Round as Round
from microveil.mask.sample import Sample as Sample
from microveil.mask.sullivan_noise import SullivanNoise as SullivanNoise
from microveil.mask.swap_in_groups import SwapInGroups as SwapInGroups
from microveil.mask.top_bottom_code import TopBottomCode as TopBottomCode
from microveil.mask.uncorrelated_noise import UncorrelatedNoise as UncorrelatedNoise


def __dir__() -> list[str]:
    return _public_names(globals())


if not _TYPE_CHECKING:  # where it would let every name pass
    __getattr__ = _suggesting(__name__)
