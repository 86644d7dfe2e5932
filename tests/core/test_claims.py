"""Claims: each finds the violation it is about, and allows what rounding can do and no more."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core import claims
from microveil.core.claims import Evidence

RNG = np.random.default_rng(1)
X = RNG.normal(size=(60, 2)) * [1.0, 50.0] + [3.0, -7.0]


def evidence(after, before=X, half_unit=(0.0, 0.0), **more):
    names = tuple("ab"[: before.shape[1]])
    origin = more.pop("origin", np.arange(len(after)))
    return Evidence(names, before.T, after.T, np.array(half_unit[: before.shape[1]]), origin, **more)


def nudged(column, by):
    after = X.copy()
    after[0, column] += by
    return after


@pytest.mark.parametrize(
    ("claim", "kept", "broken"),
    [
        (claims.MeansKept(), X[::-1], nudged(0, 1e-3)),
        (claims.VariancesKept(), X[::-1], nudged(1, 1.0)),
        (claims.CovariancesKept(), X[::-1], np.column_stack([X[:, 0], X[::-1, 1]])),
        (claims.CovariancesKept(factor=4.0), 2 * X, X),
        (claims.ValuesKept(), np.column_stack([X[:, 0], X[::-1, 1]]), nudged(0, 1e-9)),
        (claims.RankShiftWithin(percent=5), X, X[::-1]),
        (claims.EqualRowsAtLeast(k=2), np.repeat(X[:30], 2, axis=0), X),
        (claims.RangeKept(), np.clip(X * 2, X.min(axis=0), X.max(axis=0)), nudged(0, 100.0)),
        (claims.ChangeWithin(distance=0.5), X + 0.5, X + 0.51),
        (claims.MultiplesOf(base=5), np.round(X / 5) * 5, X),
        (claims.TailsAtLeast(k=2), np.minimum(X, np.sort(X, axis=0)[-3]), X),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, claims.Claim) else "",
)
def test_a_claim_accepts_what_it_promises_and_nothing_else(claim, kept, broken):
    assert claim.check(evidence(kept)).holds
    verdict = claim.check(evidence(broken))
    assert not verdict.holds
    assert "BROKEN" in str(verdict)


def test_groups_below_k_are_found():
    groups = np.array([0] * 57 + [1] * 3)
    assert claims.GroupsAtLeast(k=3).check(evidence(X, groups=groups)).holds
    assert not claims.GroupsAtLeast(k=4).check(evidence(X, groups=groups)).holds
    assert not claims.GroupsAtLeast(k=1).check(evidence(X)).holds


def test_rounding_is_allowed_its_half_unit_and_no_more():
    rounded = np.round(X)
    assert not claims.MeansKept().check(evidence(rounded)).holds
    verdict = claims.MeansKept().check(evidence(rounded, half_unit=(0.5, 0.5)))
    assert verdict.holds
    assert not verdict.exactly
    assert not claims.MeansKept().check(evidence(X + np.array([2.0, 0.0]), half_unit=(0.5, 0.5))).holds


def test_far_values_are_held_to_what_doubles_can_hold():
    far = X + 1e12
    assert claims.MeansKept().check(evidence(far[::-1], before=far)).holds
    assert not claims.MeansKept().check(evidence(far + 0.5, before=far)).holds


def test_missing_cells_are_values_of_their_own_for_equal_rows():
    rows = np.array([[1.0, np.nan], [1.0, np.nan], [2.0, 3.0], [2.0, 3.0]])
    assert claims.EqualRowsAtLeast(k=2).check(evidence(rows, before=rows)).holds
    rows[0, 1] = 5.0
    assert not claims.EqualRowsAtLeast(k=2).check(evidence(rows, before=rows)).holds


def test_covariances_with_kept_columns_are_part_of_the_claim():
    kept = X @ np.array([[1.0], [0.02]])
    flipped = 2 * X.mean(axis=0) - X  # same means and covariances among themselves
    assert claims.CovariancesKept().check(evidence(flipped)).holds
    assert not claims.CovariancesKept().check(evidence(flipped, given=kept)).holds


def test_a_claim_may_name_some_of_the_columns_only():
    claim = claims.MeansKept(columns=("b",))
    assert claim.check(evidence(nudged(0, 5.0))).holds
    assert claims.MeansKept().on(("a",)).columns == ("a",)
    assert claim.on(("a",)).columns == ("b",)


def test_subdomains_are_cut_out_by_their_original_rows():
    domain = np.arange(60) < 20
    shifted = X.copy()
    shifted[:20, 0] += 1
    shifted[20:, 0] -= 0.5
    whole = evidence(shifted)
    assert claims.MeansKept().check(whole).holds
    assert not claims.MeansKept().check(whole.rows(domain)).holds
