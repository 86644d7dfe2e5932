"""Hybrid methods: records between original and synthetic, with the original's moments."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from microveil.core.names import public_names as _public_names
from microveil.core.typos import suggesting as _suggesting
from microveil.hybrid.base import Hybrid as Hybrid
from microveil.hybrid.cholesky_hybrid import CholeskyHybrid as CholeskyHybrid
from microveil.hybrid.combine import Combine as Combine
from microveil.hybrid.groups import describe_groups as describe_groups
from microveil.hybrid.local_masking import LocalMasking as LocalMasking
from microveil.hybrid.local_synthesis import LocalSynthesis as LocalSynthesis
from microveil.hybrid.micro_hybrid import MicroHybrid as MicroHybrid
from microveil.hybrid.muralidhar_sarathy import MuralidharSarathy as MuralidharSarathy
from microveil.hybrid.post_masking_optimisation import PostMaskingOptimisation as PostMaskingOptimisation
from microveil.hybrid.subdomains import suggest_subdomains as suggest_subdomains


def __dir__() -> list[str]:
    return _public_names(globals())


if not _TYPE_CHECKING:  # where it would let every name pass
    __getattr__ = _suggesting(__name__)
