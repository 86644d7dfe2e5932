"""Claims on some columns name them; covariances without those of kept columns."""

from __future__ import annotations

import numpy as np

from microveil.core.claims import CovariancesKept, Evidence, MeansKept, RangeKept, ValuesKept
from microveil.core.claims_hybrid import CovariancesAmongReplaced, on_some


def test_covariances_with_kept_columns_do_not_matter():
    x = np.array([[1.0], [2.0], [3.0], [6.0]])
    evidence = Evidence(("x",), x.T, x[::-1].T, np.zeros(1), np.arange(4), given=np.arange(4.0)[:, None])
    assert not CovariancesKept().check(evidence).holds
    assert CovariancesAmongReplaced().check(evidence).holds
    wider = Evidence(("x",), x.T, 2 * x.T, np.zeros(1), np.arange(4))
    assert not CovariancesAmongReplaced().check(wider).holds


def test_claims_on_some_columns_say_which():
    assert str(on_some(MeansKept(), ("a", "b"))) == "a, b: means are exactly the original's"
    assert isinstance(on_some(CovariancesAmongReplaced(), ("a",)), CovariancesAmongReplaced)
    assert str(on_some(ValuesKept(), ("c",))) == "c: exactly the original's values, in other records"
    assert on_some(RangeKept(), ("a",)) == RangeKept(("a",))
