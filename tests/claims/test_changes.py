"""What claims do not withstand, shown by a change that breaks them; and what does not last in unions."""

from __future__ import annotations

import numpy as np
import pytest

from microveil import claims
from microveil.claims import AFFINE, BLANK, CHANGES, COARSEN, DROP, LINEAR, PERMUTE, registered_claims
from microveil.claims.examples import evidence_of
from microveil.testing.changes import changed, ways
from microveil.testing.claims import examples_of

OURS = [cls for cls in registered_claims() if cls.__module__.startswith("microveil.")]

BETWEEN = [2.1, 2.2, 2.3, 2.4, 2.5, 2.6]


def survivors(cls, change):
    """The draws of a change of a claim's examples that the claim does not say it withstands."""
    draws = np.random.default_rng(1)
    for one in examples_of(cls):
        if one.holds:
            for columns, after in ways(one.evidence, change, draws, tries=40):
                if not one.claim.survives(change, columns):
                    yield one.claim.check(after).holds


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("cls", OURS, ids=lambda cls: cls.__name__)
def test_what_a_claim_does_not_withstand_breaks_it(cls, change):
    outcomes = list(survivors(cls, change))
    assert not outcomes or not all(outcomes), f"nothing shows that {cls.__name__} does not withstand {change}"


@pytest.mark.parametrize(
    ("claim", "columns", "what"),
    [
        (claims.EqualRowsAtLeast(("a", "b"), 2), {"a", "b"}, {AFFINE, LINEAR, COARSEN}),
        (claims.EqualRowsAtLeast(("a", "b"), 2), {"a"}, {AFFINE, LINEAR, COARSEN}),
        (claims.EqualRowsAtLeast(("a",), 2), {"a", "b"}, {AFFINE, COARSEN}),
        (claims.EqualRowsAsideGaps(("a",), 2), {"a", "b"}, {AFFINE, COARSEN}),
        (claims.AgreeingRowsAtLeast(("a", "b"), 2), {"a"}, {AFFINE, LINEAR, COARSEN, BLANK}),
        (claims.GroupsAtLeast(("a",), 2), {"a"}, {AFFINE, LINEAR, BLANK, COARSEN, PERMUTE}),
        (claims.CellsUnchanged(("a",)), {"a"}, {DROP}),
        (claims.CellsUnchanged(("a",), gaps=True), {"a"}, {DROP, BLANK}),
        (claims.ChangeWithin(("a",)), {"a"}, {DROP, BLANK}),
        (claims.RangeKept(("a",)), {"a"}, {DROP, BLANK, PERMUTE}),
        (claims.OrderKept(("a",)), {"a"}, {AFFINE, BLANK, DROP}),
        (claims.ValuesKept(("a",)), {"a"}, {PERMUTE}),
        (claims.CovariancesKept(("a", "b")), {"a"}, set()),
        (claims.TableKept(("a",)), {"a"}, {PERMUTE}),
        (claims.TableKept(("a", "b")), {"a"}, set()),
        (claims.DiversityAtLeast(("a", "b", "s"), 2), {"a", "b"}, {AFFINE, LINEAR, COARSEN}),
        (claims.DiversityAtLeast(("a", "b", "s"), 2), {"a", "s"}, {AFFINE}),
        (claims.ClosenessWithin(("a", "s"), 0.1), {"a", "c"}, {AFFINE}),
    ],
)
def test_what_a_claim_withstands(claim, columns, what):
    assert {change for change in CHANGES if claim.survives(change, frozenset(columns))} == what


def test_rows_equal_on_some_of_the_mixed_columns_are_not_equal_any_more():
    claim = claims.EqualRowsAtLeast(("a",), 2)
    rows = evidence_of([[1, 1], [3, 4]], [[1, 1], [3, 4]])
    assert claim.check(rows).holds
    draws, both = np.random.default_rng(0), frozenset({"a", "b"})
    assert not all(claim.check(changed(rows, LINEAR, both, draws)).holds for _ in range(20))
    assert not claim.survives(LINEAR, frozenset({"a", "b"}))


def union(claim, *parts):
    """Whether a claim holds in every part, and in all of them together; a part is (before, after)."""
    each = [claim.check(evidence_of([before], [after])).holds for before, after in parts]
    before, after = (np.concatenate(side) for side in zip(*parts, strict=True))
    return all(each), claim.check(evidence_of([before], [after])).holds


@pytest.mark.parametrize(
    ("claim", "parts"),
    [
        (claims.VariancesKept(), [([1, 3], [1, 3]), ([11, 13], [1, 3])]),
        (claims.CovariancesKept(), [([1, 3], [1, 3]), ([11, 13], [1, 3])]),
        (claims.CovariancesKept(factor=4.0), [([1, 3], [0, 4]), ([11, 13], [10, 14])]),
        (claims.CovariancesKept(diagonal=3.0), [([1, 3], [0, 4]), ([11, 13], [10, 14])]),
        (claims.TotalsWithin(distance=1.0), [([1, 3], [2, 3]), ([1, 3], [2, 3])]),
        (claims.RankShiftWithin(percent=50.0), [([1, 2, 3, 4], [3, 4, 1, 2]), (BETWEEN, BETWEEN)]),
        (claims.OrderKept(), [([1, 2], [8, 9]), ([3, 4], [1, 2])]),
        (claims.EqualStayEqual(), [([1, 1], [2, 2]), ([1, 1], [3, 3])]),
        (claims.OneToOne(), [([1, 1], [2, 2]), ([5, 5], [2, 2])]),
        (claims.ClosenessWithin(t=0.1), [([1, 1], [1, 1]), ([2, 2], [2, 2])]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, claims.Claim) else "",
)  # fmt: skip
def test_what_does_not_last_in_unions(claim, parts):
    assert claim.in_unions != "yes"
    if isinstance(claim, claims.ClosenessWithin):
        # one class in each part, as in the part; not as in the whole
        keys, values = [0, 0, 1, 1], [1, 1, 2, 2]
        halves = [evidence_of([keys[s], values[s]], [keys[s], values[s]]) for s in (slice(2), slice(2, 4))]
        assert all(claim.check(half).holds for half in halves)
        assert not claim.check(evidence_of([keys, values], [keys, values])).holds
    else:
        assert union(claim, *parts) == (True, False)


def test_variances_and_covariances_last_with_means_only_as_they_are():
    assert claims.VariancesKept().in_unions == "with means"
    assert claims.CovariancesKept().in_unions == "with means"
    assert claims.CovariancesAmongReplaced().in_unions == "with means"
    assert claims.CovariancesKept(factor=1.5).in_unions == "no"
    assert claims.CovariancesKept(diagonal=0.5).in_unions == "no"
