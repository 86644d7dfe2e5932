"""Sums that hold among amounts are found by solving for them in a few records."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.plan.exact_sums import find_sums

draw = np.random.default_rng(1)
N = 600


def amounts(count: int, zeros: float = 0.3) -> list[np.ndarray]:
    return [np.round(draw.gamma(1.0, 900.0, N) * (draw.random(N) >= zeros), 2) for _ in range(count)]


def found(**columns: np.ndarray) -> list[str]:
    return [str(edit) for edit in find_sums(columns)]


def test_totals_are_found_and_totals_of_totals_by_their_totals():
    a, b, c, d = amounts(4)
    first = np.round(a + b, 2)
    assert found(first=first, a=a, b=b, all=np.round(first + c + d, 2), c=c, d=d) == [
        "first == a + b",
        "all == first + c + d",
    ]


def test_differences_shares_of_a_hundred_and_multiples_are_sums_too():
    revenue, costs, month = amounts(3)
    one, two = draw.integers(1, 40, (2, N)).astype(float)
    got = found(
        profit=np.round(revenue - costs, 2),
        revenue=revenue,
        costs=costs,
        one=one,
        two=two,
        three=100 - one - two,
        year=np.round(12 * month, 2),
        month=month,
    )
    assert set(got) == {"year == 12 * month", "one + two + three == 100", "revenue == profit + costs"}


def test_a_part_that_is_nearly_always_zero_belongs_to_its_sum():
    a, b = amounts(2)
    rare = np.zeros(N)
    rare[draw.choice(N, 25, replace=False)] = 70.5
    assert found(total=np.round(a + b + rare, 2), a=a, b=b, rare=rare) == ["total == a + b + rare"]


def test_broken_records_and_gaps_hide_no_sum():
    a, b, c = amounts(3)
    total = np.round(a + b + c, 2)
    total[::150] += 1
    a[5::9] = np.nan
    assert "total == a + b + c" in found(a=a, b=b, c=c, total=total)


@pytest.mark.parametrize("count", [1, 3, 8])
def test_unrelated_amounts_have_no_sum(count):
    assert not found(**{f"x{number}": column for number, column in enumerate(amounts(count))})
