"""Claims: each finds the violation it is about, and allows what rounding can do and no more."""

from __future__ import annotations

import re

import numpy as np
import pytest

from microveil import claims
from microveil.claims import Evidence
from microveil.claims.examples import evidence_of

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
    assert claims.GroupsAtLeast(k=4).check(evidence(X, groups=groups)).deviation == 1


def test_rounding_is_allowed_for_and_told():
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


@pytest.mark.parametrize("cls", claims.registered_claims(), ids=lambda cls: cls.__name__)
def test_nothing_released_is_no_crash(cls):
    nothing = evidence(X[:0])
    for example in cls.examples():
        assert isinstance(example.claim.check(nothing).holds, bool)


def test_claims_about_rows_hold_for_none():
    nothing = evidence(X[:0], groups=np.zeros(0, dtype=np.int64))
    of_rows = (claims.EqualRowsAtLeast(k=2), claims.AgreeingRowsAtLeast(k=2), claims.GroupsAtLeast(k=2))
    for claim in (*of_rows, claims.DiversityAtLeast(l=2), claims.ClosenessWithin(t=0.1)):
        assert claim.check(nothing).holds
        assert claim.check(nothing).exactly
    assert not claims.MeansKept().check(nothing).holds


class Found(claims.Claim):
    """Finds what it was told to."""

    told: claims.Deviation

    def deviation(self, evidence):
        return type(self).told


@pytest.mark.parametrize(
    ("told", "holds", "exactly", "deviation", "allowed"),
    [
        ((0.5, 1.0), True, True, 0.5, 1.0),
        ((1.0, 1.0), True, True, 1.0, 1.0),
        ((1.5, 1.0), False, False, 1.5, 1.0),
        ((1.5, 1.0, 0.5), True, False, 1.5, 1.5),
        (([1.0, 3.0], [0.0, 9.0]), False, False, 1.0, 0.0),
        (([1.0, 3.0], [9.0, 0.0]), False, False, 3.0, 0.0),
        (([1.0, 3.0], [1.0, 2.0], [0.0, 1.0]), True, False, 1.0, 1.0),
        (([[0.0, 0.0], [0.0, 2.0]], 1.0), False, False, 2.0, 1.0),
        ((np.inf, 0.0), False, False, np.inf, 0.0),
        (([], 0.0), True, True, 0.0, 0.0),
    ],
)
def test_a_verdict_tells_the_worst(told, holds, exactly, deviation, allowed):
    Found.told = claims.Deviation(*told)
    verdict = Found().check(evidence(X))
    assert (verdict.holds, verdict.exactly, verdict.deviation, verdict.allowed) == (holds, exactly, deviation, allowed)
    assert verdict.largest == np.max(told[0], initial=0.0)


def test_what_is_not_a_number_does_not_hold():
    for found in (np.nan, [0.0, np.nan], [np.nan, 5.0]):
        Found.told = claims.Deviation(found, 1.0, 1.0)
        verdict = Found().check(evidence(X))
        assert not verdict.holds
        assert not verdict.exactly
        assert np.isnan(verdict.deviation)
        assert verdict.largest == np.inf


def test_many_columns_are_counted():
    names = [f"c{i}" for i in range(1, 11)]
    assert str(claims.MeansKept(tuple(names[:2]))) == "means of c1, c2 are exactly the original's"
    assert str(claims.MeansKept(tuple(names[:6]))) == "means of c1, c2, c3, c4, c5, c6 are exactly the original's"
    assert "of c1, c2, c3, c4, c5, c6 and 1 other are" in str(claims.MeansKept(tuple(names[:7])))
    assert "of c1, c2, c3, c4, c5, c6 and 4 others are" in str(claims.MeansKept(tuple(names)))
    assert claims.MeansKept().named == ""


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (claims.MeansKept(), "means are exactly the original's"),
        (claims.ValuesKept(("a",)), "values of a are exactly the original's, in another order"),
        (
            claims.CovariancesKept(("a", "b"), factor=2),
            "covariances of a, b are exactly 2 times the original's, so correlations are kept",
        ),
        (claims.CovariancesKept(factor=2), "covariances are exactly 2 times the original's, so correlations are kept"),
        (claims.CovariancesKept(diagonal=1), "covariances are exactly the original's, variances 2 times"),
        (
            claims.CovariancesAmongReplaced(),
            "covariances of the replaced columns with one another are exactly the original's",
        ),
        (claims.EqualRowsAtLeast(("a", "b"), 3), "every combination of values in a, b occurs at least 3 times"),
        (
            claims.EqualRowsAsideGaps(k=3),
            "every combination of values occurs at least 3 times, gaps of the original aside",
        ),
        (
            claims.AgreeingRowsAtLeast(("a",), 3),
            "every record agrees with at least 3 on a, missing cells agreeing with any value",
        ),
        (claims.GroupsAtLeast(("a", "b"), 3), "groups in which a, b were changed have at least 3 records"),
        (claims.GroupsAtLeast(k=3), "groups have at least 3 records"),
        (claims.TailsAtLeast(("a", "b"), 3), "the largest value of each of a, b occurs at least 3 times"),
        (claims.TailsAtLeast(("a",), 3, top=False, bottom=True), "the smallest value of a occurs at least 3 times"),
        (claims.TailsAtLeast(k=3, bottom=True), "the largest and the smallest value each occur at least 3 times"),
        (claims.SumHolds(("a", "b", "c")), "a is the sum of b, c"),
        (claims.SumHolds(), "the first column is the sum of the others"),
        (claims.CellsUnchanged(("a",), gaps=True), "every cell of a is the original's or missing"),
        (claims.DiversityAtLeast(("a", "s"), 2), "in every class of equal keys s has distinct diversity of at least 2"),
        (
            claims.ClosenessWithin(t=0.2),
            "in every class of equal keys the sensitive attribute is within 0.2 of its distribution in the file",
        ),
        (
            claims.FileClosenessWithin(("a", "s"), 0.2),
            "in every class of equal keys s is within 0.2 of its distribution in the original file",
        ),
        (
            claims.LikenessWithin(("a", "s"), 0.5),
            "in every class of equal keys each value of s is at most 1.5 times as frequent as in the file",
        ),
        (
            claims.AverageRiskWithin(("a",), 0.1),
            "who knows the keys in a picks the right record with a chance of at most 0.1 on average",
        ),
        (
            claims.FewInSmallClasses(("a",), 0.1, 5),
            "at most a share of 0.1 of the records share their keys in a with fewer than 5 records in all",
        ),
        (claims.BetweenBounds(("a",), 0, 1), "every value of a lies between 0 and 1"),
        (claims.BetweenBounds(("a",), low=0), "no value of a is below 0"),
        (claims.BetweenBounds(high=1e6), "no value is above 1,000,000"),
    ],
)
def test_words(claim, text):
    assert str(claim) == text


def test_what_claims_are_about():
    about = {
        kind: {
            cls.__name__ for cls in claims.registered_claims() if cls.about == kind and "microveil" in cls.__module__
        }
        for kind in ("original", "release", "cells")
    }
    assert about["cells"] == {
        "CellsUnchanged", "ChangeWithin", "RelativeChangeWithin", "RangeKept", "OrderKept", "EqualStayEqual",
        "OneToOne",
    }  # fmt: skip
    assert about["release"] == {
        "EqualRowsAtLeast", "EqualRowsAsideGaps", "AgreeingRowsAtLeast", "GroupsAtLeast", "DiversityAtLeast",
        "ClosenessWithin", "LikenessWithin", "AverageRiskWithin", "FewInSmallClasses", "ValuesAtLeast", "TailsAtLeast",
        "MultiplesOf", "BetweenBounds", "SumHolds", "EditHolds",
    }  # fmt: skip
    assert len(about["original"]) == 10


def test_groups_are_a_hint_and_no_proof():
    rows = np.array([[1.0, np.nan], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]])
    for groups in (np.zeros(4, dtype=np.int64), np.array([0, 0, 1, 1]), np.array([0, 0, -1, -1])):
        assert not claims.EqualRowsAsideGaps(k=2).check(evidence(rows, before=rows, groups=groups)).holds
    alike = np.array([[1.0, np.nan], [1.0, 5.0], [3.0, 5.0], [3.0, 5.0]])
    for groups in (np.zeros(4, dtype=np.int64), np.array([0, 1, 2, 3]), np.array([0, 0, 1, 1]), None):
        assert claims.EqualRowsAsideGaps(k=2).check(evidence(alike, before=alike, groups=groups)).holds


def test_combinations_of_many_and_few_values_are_told_apart():
    """Three values beside two: numbered carelessly, the third with the first is as the first with the second."""
    columns = [[0.0, 0, 0, 1, 1, 2], [0.0, 0, 1, 0, 0, 0]]
    assert claims.EqualRowsAtLeast(k=2).check(evidence_of(columns, columns)).deviation == 1
    gappy = [[*columns[0], 3, 3], [*columns[1], np.nan, np.nan]]
    for claim in (claims.EqualRowsAsideGaps(k=2), claims.AgreeingRowsAtLeast(k=2)):
        assert claim.check(evidence_of(gappy, gappy)).deviation == 1


def test_what_is_said_of_claims_to_anybody_holds_no_setting() -> None:
    for claim in (
        claims.FileClosenessWithin(("a", "b"), t=0.37),
        claims.FileLikenessWithin(("a", "b"), beta=1.7),
        claims.RankShiftWithin(("a",), percent=20),
        claims.TotalsWithin(("a",), distance=3),
        claims.CovariancesKept(("a",), factor=1.5),
        claims.CovariancesKept(("a",), diagonal=0.5),
    ):
        assert re.search(r"\d", str(claim)), claim
        assert not re.search(r"\d", claim.public), claim.public
    assert claims.CovariancesKept(("a",)).public == str(claims.CovariancesKept(("a",)))
