"""The figures of verdicts: how far a broken claim is off, in which unit, and how much was allowed."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core import claims
from microveil.core.claims import Evidence
from microveil.core.claims_groups import _smallest_class
from microveil.core.examples import GAP, evidence_of

ALONE = [[1.0, 2, 3, 4]]  # standard deviation sqrt(5) / 2
SD = np.sqrt(5) / 2


@pytest.mark.parametrize(
    ("claim", "before", "after", "deviation"),
    [
        (claims.MeansKept(), ALONE, [[2.0, 3, 4, 5]], 1 / SD),
        (claims.MeansKept(), ALONE, [[0.0, 1, 2, 3]], 1 / SD),
        (claims.VariancesKept(), ALONE, [[2.0, 4, 6, 8]], 3.0),
        (claims.CovariancesKept(), ALONE, [[2.0, 4, 6, 8]], 3.0),
        (claims.CovariancesKept(factor=2.0), ALONE, [[2.0, 4, 6, 8]], 2.0),
        (claims.CovariancesKept(diagonal=2.0), ALONE, [[2.0, 4, 6, 8]], 1.0),
        (claims.TotalsWithin(), ALONE, [[2.0, 3, 4, 5]], 4.0),
        (claims.ValuesKept(), [[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [9, 9, 9]], 3.0),
        (claims.TableKept(), [[1, 1, 2]], [[2, 2, 2]], 2.0),
        (claims.RankShiftWithin(percent=25), [[1, 2, 3, 4, 5, 6, 7, 8]], [[8, 2, 3, 4, 5, 6, 7, 8]], 5.0),
        (claims.CellsUnchanged(), [[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [9, 9, 9]], 3.0),
        (claims.RangeKept(), ALONE, [[1.0, 2, 3, 6]], 2 / SD),
        (claims.RangeKept(), ALONE, [[-1.0, 2, 3, 4]], 2 / SD),
        (claims.ChangeWithin(distance=0.5), ALONE, [[1.0, 2, 3, 6]], 2.0),
        (claims.RelativeChangeWithin(share=0.25), ALONE, [[1.0, 2, 3, 6]], 1 / SD),
        (claims.OrderKept(), ALONE, [[1.0, 5, 3, 4]], 2 / SD),
        (claims.EqualStayEqual(), [[1, 1, 1, 2]], [[1, 2, 3, 3]], 2.0),
        (claims.OneToOne(), [[1, 1, 2, 3]], [[1, 2, 3, 3]], 2.0),
        (claims.MultiplesOf(base=4), [[0, 4]], [[1, 4]], 0.25),
        (claims.MultiplesOf(base=4), [[0, 4]], [[0, 10]], 0.2),
        (claims.BetweenBounds(low=0, high=5), [[0, 4]], [[-2, 6]], 2.0),
        (claims.BetweenBounds(low=0, high=5), [[0, 4]], [[-1, 8]], 3.0),
        (claims.SumHolds(), [[2, 6], [1, 3], [1, 3]], [[2, 6], [1, 3], [1, 5]], 1.0),
        (claims.TailsAtLeast(k=4), [[1, 2, 2]], [[1, 2, 2]], 2.0),
        (claims.ValuesAtLeast(k=4), [[1, 2, 2]], [[1, 2, 2]], 3.0),
        (claims.EqualRowsAtLeast(k=4), [[1, 2, 2]], [[1, 2, 2]], 3.0),
        (claims.EqualRowsAsideGaps(k=4), [[1, GAP, 2]], [[1, GAP, 2]], 2.0),
        (claims.AgreeingRowsAtLeast(k=4), [[1, GAP, 2]], [[1, GAP, 2]], 2.0),
        (claims.DiversityAtLeast(l=3), [[0, 0, 1], [5, 6, 5]], [[0, 0, 1], [5, 6, 5]], 2.0),
        (claims.DiversityAtLeast(l=3, kind="entropy"), [[0, 0], [5, 6]], [[0, 0], [5, 6]], 1.0),
        (claims.DiversityAtLeast(l=3, kind="recursive"), [[0, 0], [5, 6]], [[0, 0], [5, 6]], 3.0),
        (claims.ClosenessWithin(t=0.1), [[0, 1], [5, 6]], [[0, 1], [5, 6]], 0.5),
        (claims.ClosenessWithin(t=0.1, ordered=False), [[0, 1, 2], [5, 6, 7]], [[0, 1, 2], [5, 6, 7]], 2 / 3),
        (claims.ClosenessWithin(t=0.1), [[0, 1, 2], [5, 6, 7]], [[0, 1, 2], [5, 6, 7]], 1 / 2),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, claims.Claim) else "",
)
def test_deviation(claim, before, after, deviation):
    verdict = claim.check(evidence_of(before, after))
    assert not verdict.holds
    assert not verdict.exactly
    assert verdict.deviation == pytest.approx(deviation, rel=1e-12)


GAPPY = [[1, GAP, 1, 1]]


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        (claims.RelativeChangeWithin(share=0.5), evidence_of(ALONE, [[1.1, 2, 3, 4]])),
        (claims.RangeKept(), evidence_of(ALONE, [[2.0, 2, 3, 3]])),
        (claims.BetweenBounds(low=0, high=9), evidence_of(ALONE, ALONE)),
        (claims.OrderKept(), evidence_of(ALONE, [[4.0, 6, 8, 9]])),
        (claims.EqualRowsAtLeast(k=2), evidence_of([[1, 1, 1]], [[1, 1, 1]])),
        (claims.EqualRowsAtLeast(k=2), evidence_of([[]], [[]])),
        (claims.EqualRowsAsideGaps(k=2), evidence_of(GAPPY, GAPPY)),
        (claims.EqualRowsAsideGaps(k=2), evidence_of(GAPPY, GAPPY, groups=[0, 0, 0, 0])),
        (claims.AgreeingRowsAtLeast(k=2), evidence_of(GAPPY, GAPPY)),
        (claims.AgreeingRowsAtLeast(k=2), evidence_of([[]], [[]])),
        (claims.GroupsAtLeast(k=2), evidence_of(GAPPY, GAPPY, groups=[0, 0, 0, 0])),
        (claims.GroupsAtLeast(k=2), evidence_of([[]], [[]], groups=[])),
        (claims.TailsAtLeast(k=2), evidence_of([[1, 2, 2, 2]], [[1, 2, 2, 2]])),
        (claims.ValuesAtLeast(k=2), evidence_of([[1, 1, 1]], [[1, 1, 1]])),
        (claims.DiversityAtLeast(l=2), evidence_of([[], []], [[], []])),
        (claims.ClosenessWithin(t=0.1), evidence_of([[], []], [[], []])),
        (claims.DiversityAtLeast(l=2), evidence_of([[0, 0, 0], [5, 6, 7]], [[0, 0, 0], [5, 6, 7]])),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, claims.Claim) else "",
)
def test_what_is_kept_with_room_to_spare_is_off_by_nothing(claim, evidence):
    verdict = claim.check(evidence)
    assert verdict.holds
    assert (verdict.deviation, verdict.largest) == (0.0, 0.0)
    assert verdict.allowed < 1e-8


@pytest.mark.parametrize(
    ("claim", "exact", "rounding"),
    [
        (claims.MeansKept(), 1e-9, 0.5 / SD),
        (claims.VariancesKept(), 1e-9, 1 / SD + 0.25 / SD**2),
        (claims.CovariancesKept(), 1e-9, 1 / SD + 0.25 / SD**2),
        (claims.CovariancesKept(factor=4.0), 1e-9, 2 / SD + 0.25 / SD**2),
        (claims.CovariancesKept(diagonal=3.0), 1e-9, 2 / SD + 0.25 / SD**2),
        (claims.TotalsWithin(distance=2.0), 2.0, 2.0),
        (claims.ValuesKept(), 0.0, 0.0),
        (claims.TableKept(), 0.0, 0.0),
        (claims.RankShiftWithin(percent=25), 0.0, 0.0),
        (claims.CellsUnchanged(), 0.0, 0.0),
        (claims.RangeKept(), 1e-9, 0.0),
        (claims.ChangeWithin(distance=2.0), 2.0, 0.5),
        (claims.RelativeChangeWithin(share=0.5), 1e-9, 0.5 / SD),
        (claims.OrderKept(), 1e-9, 0.0),
        (claims.EqualStayEqual(), 0.0, 0.0),
        (claims.OneToOne(), 0.0, 0.0),
        (claims.MultiplesOf(), 8 * 2.0**-52, 0.0),
        (claims.BetweenBounds(low=0, high=5), 0.0, 0.5),
        (claims.SumHolds(), 1e-9, 0.5 / SD),
        (claims.TailsAtLeast(), 0.0, 0.0),
        (claims.ValuesAtLeast(), 0.0, 0.0),
        (claims.EqualRowsAtLeast(), 0.0, 0.0),
        (claims.AgreeingRowsAtLeast(), 0.0, 0.0),
        (claims.ClosenessWithin(t=0.5), 0.5, 0.0),
        (claims.DiversityAtLeast(), 1e-9, 0.0),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, claims.Claim) else "",
)
def test_what_is_allowed(claim, exact, rounding):
    """One value for all that was rounded, so that the worst case of every cell is what may have happened."""
    column = np.array(ALONE[0])
    for half, wanted in ((0.0, exact), (0.5, exact + rounding)):
        evidence = Evidence(("a",), [column], [column], np.array([half]), np.arange(4), repeats=np.array([1.0]))
        assert claim.check(evidence).allowed == pytest.approx(wanted, rel=1e-5, abs=1e-17)


def test_sums_are_off_by_half_a_unit_of_every_cell():
    sums = np.array([[2.0, 4, 8], [1, 2, 4], [1, 2, 4]])
    evidence = Evidence(("a", "b", "c"), sums, sums, np.array([0.5, 0.25, 1.0]), np.arange(3))
    assert claims.SumHolds().check(evidence).allowed == pytest.approx(1.75 / sums[0].std())


def test_other_numbers_of_records_are_told():
    verdict = claims.ValuesKept().check(evidence_of([[1.0, 2]], [[1.0]]))
    assert (verdict.deviation, verdict.allowed, verdict.exactly) == (np.inf, 0.0, False)


def test_a_row_without_an_original_is_told():
    verdict = claims.CellsUnchanged().check(evidence_of([[1.0]], [[1.0]], origin=[-1]))
    assert (verdict.deviation, verdict.allowed, verdict.exactly) == (np.inf, 0.0, False)


def test_claims_say_little_unless_told():
    assert claims.RelativeChangeWithin().share == 0
    assert claims.ChangeWithin().distance == 0
    assert claims.TotalsWithin().distance == 0
    assert claims.RankShiftWithin().percent == 100
    assert claims.MultiplesOf().base == 1
    assert (claims.BetweenBounds().low, claims.BetweenBounds().high) == (-np.inf, np.inf)
    assert (claims.CovariancesKept().factor, claims.CovariancesKept().diagonal) == (1, 0)
    for cls in (claims.EqualRowsAtLeast, claims.EqualRowsAsideGaps, claims.AgreeingRowsAtLeast, claims.GroupsAtLeast):
        assert cls().k == 1
    assert (claims.ValuesAtLeast().k, claims.TailsAtLeast().k) == (1, 1)
    assert (claims.TailsAtLeast().top, claims.TailsAtLeast().bottom) == (True, False)
    assert not claims.CellsUnchanged().gaps
    assert (claims.DiversityAtLeast().l, claims.DiversityAtLeast().kind, claims.DiversityAtLeast().c) == (
        1,
        "distinct",
        2,
    )
    assert (claims.ClosenessWithin().t, claims.ClosenessWithin().ordered) == (1, True)


def test_a_claim_is_of_nothing_special_unless_it_says_so():
    flags = ("by_record", "of_amounts", "of_groups", "uses_given", "in_spreads")
    assert not any(getattr(claims.Claim, flag) for flag in flags)
    ours = [cls for cls in claims.registered_claims() if cls.__module__.startswith("microveil.")]
    in_spreads = {cls.__name__ for cls in ours if cls.in_spreads}
    assert in_spreads == {"MeansKept", "VariancesKept", "CovariancesKept", "CovariancesAmongReplaced"}


@pytest.mark.parametrize(
    ("columns", "smallest"),
    [
        ([[0, 1], [1, 0]], 1),  # numbers of values that add up alike
        ([[0, 0, 1, 1], [0, 1, 0, 1]], 1),
        ([[0, 0, 1, 1], [2, 2, 0, 0]], 2),
        ([[5, 5, 5], [1, 1, 2]], 1),
        ([[5, 5, 5], [GAP, GAP, GAP]], 3),
        ([[0, 1, 1, 0], [2, 0, 0, 2], [0, 3, 3, 1]], 1),
    ],
)
def test_the_smallest_class_of_equal_rows(columns, smallest):
    assert _smallest_class([np.array(column, dtype=float) for column in columns]) == smallest


def test_far_values_are_allowed_eight_units_in_the_last_place():
    far = 1e12 + np.array(ALONE[0])
    unit = 8 * 2.0**-52 * (1e12 + 4)
    assert claims.MeansKept().check(evidence_of([far], [far])).allowed == pytest.approx(1e-9 + unit / SD)
    assert claims.ChangeWithin(distance=1.0).check(evidence_of([far], [far])).allowed == pytest.approx(1 + unit)
