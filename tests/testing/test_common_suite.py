"""The common suite over everything registered, at every grid point."""

from __future__ import annotations

import pytest

from microveil.core import registered
from microveil.testing import all_cases, grid_points


def test_everything_registered_is_tried():
    silent = [cls.__name__ for cls in registered() if not list(grid_points(cls))]
    assert not silent, f"{silent} state neither a grid for their required parameters nor an example"


@pytest.mark.parametrize(
    ("member", "check"),
    [pytest.param(member, check, id=f"{member!r}-{check.__name__}") for member, check in all_cases()],
)
def test_member(member, check):
    check(member)
