"""Which frequent pattern of zeros a rare one joins."""

import numpy as np
import pytest

from microveil.kernels.tables.patterns import nearest_patterns


@pytest.mark.parametrize("columns", [3, 10, 70])
def test_nearest_is_the_plain_rule(columns):
    draws = np.random.default_rng(columns)
    rare, frequent = draws.random((40, columns)) < 0.5, draws.random((25, columns)) < 0.3
    for pattern, found in zip(rare, nearest_patterns(rare, frequent), strict=True):
        alone, other = (frequent & ~pattern).sum(axis=1), (pattern & ~frequent).sum(axis=1)
        assert found == np.lexsort((np.arange(25), other, alone))[0]
