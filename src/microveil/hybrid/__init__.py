"""Hybrid methods: records between original and synthetic, with the original's moments."""

from microveil.hybrid.base import Hybrid as Hybrid
from microveil.hybrid.cholesky_hybrid import CholeskyHybrid as CholeskyHybrid
from microveil.hybrid.micro_hybrid import MicroHybrid as MicroHybrid
from microveil.hybrid.muralidhar_sarathy import MuralidharSarathy as MuralidharSarathy
