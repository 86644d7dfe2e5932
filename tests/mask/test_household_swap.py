"""Partners of households, level by level."""

from __future__ import annotations

import numpy as np

from microveil.mask.household_swap import swap_households


def swapped(areas: list[list[int]], risk: list[int], sizes: list[int], k: int = 2, rate: float = 0.0):
    """Households of one record each; `sizes` is the profile on which partners agree."""
    n = len(areas)
    return swap_households(
        np.array(areas), np.array(risk)[:, None], [np.array(sizes)[:, None]], np.arange(n), n, k, rate,
        np.random.default_rng(0),
    )  # fmt: skip


def test_a_risky_household_changes_places_with_one_of_another_area_and_its_own_profile():
    # household 0 is alone with its risk value in area 0; only 4 has its size elsewhere
    found = swapped([[0], [0], [0], [1], [1], [1]], [7, 1, 1, 1, 1, 1], [5, 2, 2, 2, 5, 2])
    assert found.partner.tolist() == [4, 1, 2, 3, 0, 5]
    assert found.without_partner == 0


def test_who_finds_nobody_is_counted_and_stays():
    found = swapped([[0], [0], [0], [1], [1]], [7, 1, 1, 1, 1], [5, 2, 2, 2, 2])
    assert found.partner.tolist() == [0, 1, 2, 3, 4]
    assert found.without_partner == 1


def test_the_rate_adds_households_that_are_not_at_risk():
    found = swapped([[0]] * 20 + [[1]] * 20, [1] * 40, [2] * 40, rate=0.5)
    moved = np.flatnonzero(found.partner != np.arange(40))
    assert len(moved) == 20
    assert (found.partner[found.partner] == np.arange(40)).all()
    assert ((moved < 20) != (found.partner[moved] < 20)).all()  # always into the other area
