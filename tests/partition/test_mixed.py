from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.kernels.distances.mixed import record_distances
from microveil.partition import MDAV, MST, VMDAV, Consensus, Mondrian, MuApprox, Refined
from microveil.partition.mixed import fill_gaps, points_of, records_of

STREAMS = Streams(Key.of(1))
HIERARCHY = {"cat": ("pet", "animal"), "dog": ("pet", "animal"), "cow": ("farm", "animal"), "oak": ("tree", "plant")}


def _mixed(n, seed=1, gaps=False):
    draw = np.random.default_rng(seed)
    amount = draw.lognormal(size=n)
    grade, colour, kind = (draw.integers(0, size, size=n) for size in (5, 3, 4))
    if gaps:
        amount[draw.random(n) < 0.2] = np.nan
        grade[draw.random(n) < 0.2] = -1
        colour[draw.random(n) < 0.2] = -1
    columns = {
        "amount": Values("continuous", amount),
        "grade": Values("ordinal", grade, tuple(range(5))),
        "colour": Values("nominal", colour, ("red", "green", "blue")),
        "kind": Values("nominal", kind, tuple(HIERARCHY), HIERARCHY),
    }
    return Table(columns, n)


@pytest.mark.parametrize("scale", ["zscore", "range", "robust", None])
def test_points_are_as_far_apart_as_the_records(scale):
    table = _mixed(40)
    X, metric = records_of(table, scale)
    points = points_of(table, scale, "test")
    np.testing.assert_allclose(cdist(points, points), record_distances(X, X, metric), atol=1e-7)


def test_gaps_are_a_category_of_their_own_or_the_mean():
    table = Table(
        {
            "colour": Values("nominal", np.array([0, -1, -1, 1]), ("red", "green")),
            "grade": Values("ordinal", np.array([0, -1, -1, 3]), (1, 2, 3, 4)),
            "kind": Values("nominal", np.array([0, -1, -1, 1]), tuple(HIERARCHY), HIERARCHY),
        },
        4,
    )
    for name in table.names:
        apart = cdist(*2 * (points_of(table.only([name]), "zscore", "test"),))
        assert apart[1, 2] == 0
        assert (apart[1, [0, 3]] >= 1 - 1e-9).all()
    assert fill_gaps(np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan]])).tolist() == [[1, 0], [2, 0], [3, 0]]


def test_too_many_categories_are_refused():
    table = Table({"place": Values("nominal", np.arange(300), tuple(range(300)))}, 300)
    with pytest.raises(BadInput, match=r"vmdav would need 300 coordinates .* 256 are allowed; group by mdav"):
        VMDAV(k=3).groups_of(table, STREAMS)
    assert np.bincount(MDAV(k=3).groups_of(table, STREAMS)).min() >= 3


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("n", [4, 7, 9, 80])
@pytest.mark.parametrize(
    "partition",
    [MDAV(k=4), VMDAV(k=4), MuApprox(k=4), MST(k=4), Mondrian(k=4), Consensus(k=4), Refined(base=MDAV(k=4))],
    ids=lambda partition: partition.name,
)
def test_every_partition_groups_mixed_records(partition, n, gaps):
    labels = partition.groups_of(_mixed(n, n, gaps), STREAMS)
    assert labels.shape == (n,)
    assert np.bincount(labels).min() >= 4


@pytest.mark.parametrize("partition", [MDAV(k=3), VMDAV(k=3), MST(k=3)], ids=lambda partition: partition.name)
def test_repeated_rows_form_groups_of_equal_rows(partition):
    draw = np.random.default_rng(2)
    row = np.repeat(np.arange(12), 3)
    draw.shuffle(row)
    table = Table(
        {
            "colour": Values("nominal", row % 4, tuple("abcd")),
            "shape": Values("nominal", row // 4, tuple("xyz")),
        },
        36,
    )
    labels = partition.groups_of(table, STREAMS)
    assert all(len(set(row[labels == g])) == 1 for g in range(12))


def test_mdav_counts_what_is_observed_in_both_records():
    # rows 2 and 3 lack the second column; on the first they are with rows 0 and 1
    X = np.array([[0.0, 0.0], [0.1, 0.1], [0.0, np.nan], [0.1, np.nan], [5.0, 3.0], [5.1, 3.1], [5.0, 3.0], [5.2, 3.0]])
    labels = MDAV(k=4).groups_of(Table.of_matrix(X), STREAMS)
    assert labels[:4].tolist() == [labels[0]] * 4
    assert labels[4:].tolist() == [labels[4]] * 4
    assert labels[0] != labels[4]


def test_the_scale_counts_for_mixed_records():
    table = _mixed(60)
    labels = [MDAV(k=3, standardise=scale).groups_of(table, STREAMS) for scale in ("zscore", None)]
    assert (labels[0] != labels[1]).any()
