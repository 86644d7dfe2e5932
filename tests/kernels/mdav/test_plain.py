"""The exact MDAV heuristic against another program's groups and groups made by hand."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

from microveil.kernels.distances.exact import add_to_sums, padded, squared_distance, squared_distances, start_sums
from microveil.kernels.mdav.engine import mdav
from microveil.kernels.mdav.plain import mdav_plain
from microveil.kernels.moments.scales import standardise
from tests.reference import shared_file

AMOUNTS = [sector + what for sector in ("RES", "COM", "IND", "OTH", "TOT") for what in ("REVENUE", "SALES")]
AMOUNTS[7] = "OTHRSALES"  # the file spells it so
COLUMNS = {"census": None, "tarragona": None, "eia10": AMOUNTS}


def read(name: str) -> np.ndarray:
    file = "eia.csv" if name.startswith("eia") else f"{name}.csv"
    with shared_file("data", file).open(newline="") as lines:
        table = list(csv.DictReader(lines))
    X = np.array([[float(row[c]) for c in COLUMNS[name] or row] for row in table])
    return np.ascontiguousarray(standardise(X).values)


def masked(Z: np.ndarray, labels: np.ndarray) -> np.ndarray:
    means = np.stack([np.bincount(labels, column) for column in Z.T], axis=1) / np.bincount(labels)[:, None]
    return means[labels]


@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize(("name", "share"), [("census", 1.0), ("tarragona", 0.9975), ("eia10", 0.9975)])
def test_same_masked_rows_as_sdcmicro(name: str, share: float, k: int) -> None:
    with shared_file("oracles", "microaggregation", f"{name}_groups.csv").open(newline="") as lines:
        theirs = np.array([int(row[f"mdav_k{k}"]) - 1 for row in csv.DictReader(lines)])
    Z = read(name)
    # duplicates may change places between groups of the same mean
    equal = np.isclose(masked(Z, mdav_plain(Z, k)), masked(Z, theirs), rtol=0, atol=1e-9).all(axis=1)
    assert equal.mean() >= share


def test_order_of_formation_by_hand() -> None:
    # centroid 3.5: farthest is 10, then 0 farthest from it; {10, 9}, {0, 1}; {4.0} from the rest goes with 3
    X = np.array([[0.0], [1.0], [3.0], [4.0], [2.0], [2.5], [9.0], [10.0]])
    assert mdav_plain(X, 2).tolist() == [1, 1, 2, 2, 3, 3, 0, 0]


@pytest.mark.parametrize("k", [2, 3, 7])
def test_sizes(k: int) -> None:
    g = np.random.default_rng(0)
    for n in range(k, 7 * k + 2):
        for engine in (mdav_plain, mdav):
            sizes = np.bincount(engine(g.normal(size=(n, 2)), k))
            assert sizes.sum() == n
            assert (sizes[:-1] == k).all()
            assert k <= sizes[-1] < 2 * k


def test_k_of_one_gives_singletons() -> None:
    assert mdav_plain(np.zeros((4, 2)), 1).tolist() == mdav(np.zeros((4, 2)), 1).tolist() == [0, 1, 2, 3]


def test_rescaling_columns_by_powers_of_two_after_standardising_changes_nothing() -> None:
    X = np.random.default_rng(3).normal(size=(300, 4))
    scaled = standardise(X * [1, 2, 1024, 0.25]).values
    assert (mdav_plain(np.ascontiguousarray(scaled), 3) == mdav_plain(standardise(X).values, 3)).all()


@pytest.mark.parametrize("d", range(1, 14))
def test_distances_of_a_block_are_those_of_pairs_to_the_last_bit(d: int) -> None:
    g = np.random.default_rng(d)
    X, y = g.normal(size=(37, d)), g.normal(size=d)
    blocks, point, out = np.zeros((2, padded(d), 37)), np.zeros(padded(d)), np.empty(37)
    blocks[1, :d], point[:d] = X.T, y
    squared_distances(blocks, 1, point, 37, out)
    in_order = np.zeros(37)
    for j in range(d):
        in_order += (X[:, j] - y[j]) ** 2
    assert (out == in_order).all()
    assert [squared_distance(x, y) for x in X] == out.tolist()


def test_running_sums_do_not_drift() -> None:
    g = np.random.default_rng(5)
    X = g.normal(size=(5000, 2)) * [1e6, 1] + [1e8, 0]
    sums = start_sums(X)
    for i in g.permutation(5000)[:4990]:
        add_to_sums(sums, X[i], -1.0)
        X[i] = 0.0
    assert sums[0].tolist() == [math.fsum(column) for column in X.T]
