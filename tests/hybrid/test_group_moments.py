"""What is said of the moments of groups."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.data.table import Table, Values
from microveil.hybrid.groups import tell_exact_moments, tell_moved_moments

LABELS = np.array([0, 0, 1, 1])
BEFORE = Table.of_matrix(np.array([[-1.0, 4.0], [1.0, 4.0], [9.0, 4.0], [11.0, 4.0]]), ["x", "still"])


def after(*x: float) -> dict[str, Values]:
    return {"x": Values("continuous", np.array(x)), "still": BEFORE["still"]}


def test_kept_moments_bound_the_change_of_skewness() -> None:
    # 2 n B^(3/2) is 4 in each group; the variance of the file is 26
    (note,) = tell_exact_moments(BEFORE, after(1, -1, 11, 9), LABELS)
    said, bound = note.split(": ")
    assert said.endswith("changes by no more than this bound, mostly by far less")
    assert bound == f"x {8 / (4 * 26**1.5):.2g}"


@pytest.mark.parametrize("size", [1e-150, 1e-200, 1e70])
def test_the_bound_does_not_depend_on_the_unit(size: float) -> None:
    """Cubes of very small numbers are 0, and those of very large ones infinite."""
    small = Table.of_matrix(np.array([[-1.0], [1.0], [9.0], [11.0]]) * size, ["x"])
    new = {"x": Values("continuous", np.array([1.0, -1.0, 11.0, 9.0]) * size)}
    (note,) = tell_exact_moments(small, new, LABELS)
    assert note.endswith(f": x {8 / (4 * 26**1.5):.2g}")
    (moved,) = tell_moved_moments(small, {"x": Values("continuous", np.array([-0.75, 1.25, 8.5, 11.5]) * size)}, LABELS)
    assert moved.startswith("jitter moved means of groups by 0.25 and their standard deviations by 0.5 standard")


def test_no_bound_is_given_where_a_mean_or_a_variance_moved() -> None:
    assert tell_exact_moments(BEFORE, after(1.1, -0.9, 11, 9), LABELS) == ()
    assert tell_exact_moments(BEFORE, after(1.1, -1.1, 11, 9), LABELS) == ()


def test_moved_moments_are_told_in_standard_deviations() -> None:
    (note,) = tell_moved_moments(BEFORE, after(-0.75, 1.25, 8.5, 11.5), LABELS)
    assert note.startswith("jitter moved means of groups by 0.25 and their standard deviations by 0.5 standard")
    assert note.endswith(f"means of the file by {0.125 / 26**0.5:.2g} of its own")
    categories = {"c": Values("nominal", np.zeros(4, dtype=np.int64), ("a",))}
    assert tell_moved_moments(Table(categories, 4), categories, LABELS) == ()
