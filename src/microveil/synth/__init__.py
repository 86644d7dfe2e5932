"""Synthetic data: records drawn from models of the original."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from microveil.core.names import public_names as _public_names
from microveil.core.typos import suggesting as _suggesting
from microveil.synth.base import FullSynthesiser as FullSynthesiser
from microveil.synth.base import Synthesiser as Synthesiser
from microveil.synth.cart import Cart as Cart
from microveil.synth.checking import PostCheck as PostCheck
from microveil.synth.checking import post_check as post_check
from microveil.synth.cholesky_synthesis import CholeskySynthesis as CholeskySynthesis
from microveil.synth.combining import Combined as Combined
from microveil.synth.combining import combine as combine
from microveil.synth.comparing import Comparison as Comparison
from microveil.synth.comparing import compare as compare
from microveil.synth.feasible_rotation import FeasibleRotation as FeasibleRotation
from microveil.synth.gaussian_copula import GaussianCopula as GaussianCopula
from microveil.synth.in_groups import InGroups as InGroups
from microveil.synth.in_groups import LeastGroup as LeastGroup
from microveil.synth.in_groups import SmallGroups as SmallGroups
from microveil.synth.ipso import Ipso as Ipso
from microveil.synth.latin_hypercube import LatinHypercube as LatinHypercube
from microveil.synth.model_based import ModelBased as ModelBased
from microveil.synth.multiple_imputation import MultipleImputation as MultipleImputation
from microveil.synth.sequential import SequentialSynthesiser as SequentialSynthesiser
from microveil.synth.sequential_regression import SequentialRegression as SequentialRegression
from microveil.synth.smoothed_bootstrap import SmoothedBootstrap as SmoothedBootstrap


def __dir__() -> list[str]:
    return _public_names(globals())


if not _TYPE_CHECKING:  # where it would let every name pass
    __getattr__ = _suggesting(__name__)
