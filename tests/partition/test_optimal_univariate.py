from __future__ import annotations

import csv

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.partition import OptimalUnivariate
from microveil.partition.information import within_groups
from tests.reference import matrix, shared_file


def test_loss_of_sdcmicro_on_the_reference_files():
    with shared_file("oracles", "microaggregation", "univariate_optimal.csv").open() as lines:
        rows = [row for row in csv.DictReader(lines) if row["method"] == "argus_optimal"]
    columns = {}
    for row in rows:
        where = row["data"].removesuffix("10"), row["variable"]
        if where not in columns:
            columns[where] = matrix(where[0], [where[1]])
        X, k = columns[where], int(row["k"])
        found = within_groups(X, OptimalUnivariate(k=k).labels(X))
        assert found == pytest.approx(float(row["SSE"]), rel=1e-8), row
    assert len(rows) > 10


def test_loss_does_not_fall_with_k():
    X = np.random.default_rng(1).lognormal(size=500)[:, None]
    losses = [within_groups(X, OptimalUnivariate(k=k).labels(X)) for k in range(2, 20)]
    assert losses == sorted(losses)


def test_equal_values_are_kept_together_on_request():
    x = np.random.default_rng(1).integers(0, 30, size=300).astype(float)
    cut, kept = (OptimalUnivariate(k=4, keep_ties=keep).labels(x) for keep in (False, True))
    assert all(len(set(kept[x == value])) == 1 for value in np.unique(x))
    assert any(len(set(cut[x == value])) > 1 for value in np.unique(x))
    assert np.bincount(kept).min() >= 4


def test_several_columns_need_a_choice():
    X = np.array([[1.0, 9.0], [2.0, 1.0], [3.0, 8.0], [4.0, 0.0]])
    with pytest.raises(BadInput, match="groups one column and there are 2; say which by column="):
        OptimalUnivariate(k=2).labels(X)
    with pytest.raises(BadInput, match="column=2 is not there: columns are numbered 0 to 1"):
        OptimalUnivariate(k=2, column=2).labels(X)
    assert OptimalUnivariate(k=2, column=1).labels(X).tolist() == [1, 0, 1, 0]
