"""A nested mask that restores moments sees what its hybrid was given, not the original behind it."""

from __future__ import annotations

import pytest

import microveil as mv
from microveil.testing.declared import check_looks_back

RESTORING = mv.mask.Rescale(mask=mv.mask.Microaggregation())


@pytest.mark.parametrize(
    "hybrid",
    [
        mv.hybrid.LocalMasking(mask=RESTORING),
        mv.hybrid.CholeskyHybrid(mask=RESTORING),
        mv.hybrid.PostMaskingOptimisation(mask=RESTORING),
    ],
    ids=lambda hybrid: hybrid.name,
)
def test_a_nested_mask_does_not_undo_what_earlier_steps_hid(hybrid):
    check_looks_back(hybrid)
