"""Which changes of which columns a claim withstands, where that depends on the columns."""

from __future__ import annotations

import numpy as np
import pytest

from microveil import claims
from microveil.claims import AFFINE, BLANK, CHANGES, COARSEN, DROP, LINEAR, PERMUTE
from microveil.claims.examples import evidence_of
from microveil.testing.changes import changed


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


def test_variances_and_covariances_last_with_means_only_as_they_are():
    assert claims.VariancesKept().in_unions == "with means"
    assert claims.CovariancesKept().in_unions == "with means"
    assert claims.CovariancesAmongReplaced().in_unions == "with means"
    assert claims.CovariancesKept(factor=1.5).in_unions == "no"
    assert claims.CovariancesKept(diagonal=0.5).in_unions == "no"
