"""The common suite over everything registered: at first grid points, and in `make test-full` at all of them."""

from __future__ import annotations

import pytest

from microveil.core import registered
from microveil.testing import all_cases, grid_points
from microveil.testing.suite import tier_of

MARKS = {"quick": (), "long": (pytest.mark.long,), "full": (pytest.mark.full,)}


def test_everything_registered_is_tried():
    silent = [cls.__name__ for cls in registered() if not list(grid_points(cls))]
    assert not silent, f"{silent} state neither a grid for their required parameters nor an example"


def parameters():
    for member, check in all_cases():
        yield pytest.param(member, check, id=f"{member!r}-{check.__name__}", marks=MARKS[tier_of(member, check)])


@pytest.mark.parametrize(("member", "check"), list(parameters()))
def test_member(member, check):
    check(member)
