"""Groups found again: figures on Census, groups that stand apart, the bound 1/k, and what stronger intruders know."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import ClusterRecovery
from microveil.attack.beside import GroupsRefound
from microveil.attack.truth import Truth
from microveil.core.measured import NotApplicable
from microveil.hybrid import MicroHybrid
from microveil.mask import UncorrelatedNoise
from microveil.partition import MDAV
from tests.attack.files import as_table

ANY, NEAREST = "any of the group, nearest", "group and record, nearest"


def hybrid(k: int, **more: object) -> MicroHybrid:
    return MicroHybrid(partition=MDAV(k=k), **more)


def drawn(rows: int, width: int = 3, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, width))


def apart(rows: int, k: int) -> np.ndarray:
    """Groups of k records that are a thousand times as far from one another as their members are."""
    centres = 1000 * np.random.default_rng(8).permutation(rows // k)[:, None] * np.ones(3)
    return np.repeat(centres, k, axis=0) + drawn(rows)


@pytest.mark.parametrize(
    ("k", "rand"),
    [(3, 0.35), *(pytest.param(*one, marks=pytest.mark.full) for one in ((10, 0.22), (40, 0.26), (100, 0.32)))],
)
def test_groups_found_again_on_census(census, k, rand):
    found = ClusterRecovery()(census, hybrid(k).apply(census, columns=census.column_names, given=[], seed=1))
    assert found.parts["adjusted Rand"] == pytest.approx(rand, abs=0.03)
    # one of k at most, up to chance: three standard errors of 1,080 records
    assert found.value / 100 < 1 / k + 3 * np.sqrt((1 - 1 / k) / k / 1080)
    # whole dollars leave less than a thousandth of a standard deviation unknown of the last of a group
    assert found.parts["others known, median error"] < 1e-3
    assert found.parts["others known, recovered"] == 1.0


def test_groups_that_stand_apart_are_found_and_hide_one_in_k():
    data = as_table(apart(300, 5))
    found = ClusterRecovery()(data, hybrid(5).apply(data, columns=data.column_names, given=[], seed=1))
    assert found.parts["adjusted Rand"] == 1.0
    assert found.parts[ANY] == pytest.approx(20.0)
    assert found.parts["baseline"] == pytest.approx(1 / 3)
    assert found.parts["certain"] == 0


def test_no_more_than_one_in_k_over_many_releases():
    data = as_table(drawn(60))
    values = [
        ClusterRecovery()(data, hybrid(4).apply(data, columns=data.column_names, given=[], seed=seed)).parts[NEAREST]
        for seed in range(20)
    ]
    assert np.mean(values) < 25 + 3 * 100 * np.sqrt(0.25 * 0.75 / (60 * 20))


def test_a_release_of_others_is_found_by_chance():
    found = ClusterRecovery(k=5)(as_table(drawn(400)), as_table(drawn(400, seed=4)))
    assert found.parts[ANY] < 1.5
    assert found.value < 2
    assert "adjusted Rand" not in found.parts


def test_jitter_keeps_the_last_of_a_group_uncertain():
    data = as_table(drawn(200))
    exact = ClusterRecovery()(data, hybrid(10).apply(data, columns=data.column_names, given=[], seed=1))
    assert exact.parts["others known, median error"] < 1e-9
    moved = hybrid(10, jitter_moments=0.5).apply(data, columns=data.column_names, given=[], seed=1)
    loose = ClusterRecovery()(data, moved).parts
    assert loose["others known, median error"] > 0.05
    assert loose["others known, recovered"] < 0.2


def test_adjusted_rand_by_hand():
    """Six records in two groups of three, of which one changes sides: 4 of 15 pairs stay together."""
    mine, true = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 1, 1])
    rows = np.arange(6)
    truth = Truth(rows, rows, rows, rows, rows, groups=true)
    together, of_mine, of_true = 1 + 3, 6, 1 + 6
    expected = of_mine * of_true / 15
    rand = (together - expected) / ((of_mine + of_true) / 2 - expected)
    assert GroupsRefound(mine).parts(truth)["adjusted Rand"] == pytest.approx(rand)
    assert GroupsRefound(true).parts(truth)["adjusted Rand"] == 1.0
    assert GroupsRefound(np.zeros(6, dtype=np.int64)).parts(truth)["adjusted Rand"] == pytest.approx(0.0)


def test_subdomains_gaps_and_kept_columns():
    X = apart(240, 6)
    data = as_table(X).append_column("place", pa.array(["a", "b"] * 120))
    by_place = hybrid(3).apply(data, columns=["x0", "x1", "x2"], given=[], by="place", seed=1)
    found = ClusterRecovery()(data, by_place)
    assert found.parts["adjusted Rand"] == 1.0
    assert found.parts[ANY] == pytest.approx(100 / 3)
    cells = pa.array([None if i % 2 else value for i, value in enumerate(X[:, 0])])
    gaps = pa.table({"x0": cells, "x1": X[:, 1], "x2": X[:, 2]})
    masked = hybrid(3).apply(gaps, columns=["x0", "x1", "x2"], given=[], missing="mask", seed=1)
    # a known gap says nothing: those who have it hide among the records near them with it and without it
    assert 25 <= ClusterRecovery()(gaps, masked).parts[ANY] < 33


def test_what_does_not_follow():
    data = as_table(drawn(60))
    later = mv.Plan([(hybrid(5), ["x0"]), (UncorrelatedNoise(p=0.2), ["x0"])]).run(data, seed=1)
    assert "another step changed the columns of micro-hybrid" in ClusterRecovery()(data, later).reason
    mixed = data.append_column("place", pa.array(list("aabbc") * 12))
    split = hybrid(5, kinds_together="separate").apply(mixed, columns=mixed.column_names, given=[], seed=1)
    assert "for each kind of columns apart" in ClusterRecovery()(mixed, split).reason
    assert (
        "knows no amount"
        in ClusterRecovery(known=["place"])(
            mixed, hybrid(5).apply(mixed, columns=mixed.column_names, given=[], seed=1)
        ).reason
    )
    plain = ClusterRecovery()(data, data)
    assert isinstance(plain, NotApplicable)
    assert "ClusterRecovery(k=10)" in plain.reason
