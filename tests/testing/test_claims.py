"""The suite of claims over every claim of the package, and that it finds claims which are no good."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from microveil.core.claims import (
    AFFINE,
    PERMUTE,
    Claim,
    Deviation,
    Evidence,
    Example,
    MeansKept,
    RangeKept,
    registered_claims,
)
from microveil.core.examples import evidence_of
from microveil.testing import check_claim
from microveil.testing.claims import CLAIM_CHECKS

OURS = [cls for cls in registered_claims() if cls.__module__.startswith("microveil.")]


@pytest.mark.parametrize("cls", OURS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("check", CLAIM_CHECKS, ids=lambda check: check.__name__)
def test_claim(cls, check):
    check(cls)
