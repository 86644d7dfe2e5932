"""The walk over feasible rotations: what it keeps, where it goes, and that a walk stopped early is noticed."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import NamedTuple

import numpy as np
import pytest

from microveil.kernels.rotation.triples import two_others, walk_in_groups
from tests.streams import streams_of

MARGIN = 1e-12


def lognormal(rows: int, columns: int, seed: int = 1) -> np.ndarray:
    return np.exp(1.2 * streams_of(seed).normals(0, rows, columns))


class Walked(NamedTuple):
    values: np.ndarray
    slacks: np.ndarray
    source: np.ndarray
    room: np.ndarray


def walk(X, starts, streams=None, sweeps=10, slacks=None, begun=None) -> Walked:
    slacks = X[:, :0] if slacks is None else slacks
    source = np.arange(len(X)) if begun is None else begun.copy()
    Z = np.hstack([X, slacks])[source]
    margins = np.full((len(starts) - 1, slacks.shape[1]), MARGIN)
    room = walk_in_groups(Z, X.shape[1], margins, starts, source, streams or streams_of(2), sweeps)
    return Walked(Z[:, : X.shape[1]], Z[:, X.shape[1] :], source, room)


def turned_bases(size: int, files: int, sweeps: int) -> np.ndarray:
    """Rotations of as many files, as matrices in the space orthogonal to the ones."""
    X = np.tile(np.eye(size) - 1 / size, (files, 1))
    new = walk(X, np.arange(0, len(X) + 1, size), sweeps=sweeps).values.reshape(files, size, size)
    basis = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, 1:]]))[0][:, 1:]
    return np.einsum("ia,rij,jb->rab", basis, new, basis)


def test_moments_of_every_group_stay_and_nothing_falls_below_its_bound():
    X = lognormal(600, 5)
    # parts below a total and below a share of another column
    slacks = np.column_stack([X, 3 * X[:, 0] + X[:, 1] + X[:, 2] - 0.01 * X[:, 3]])
    X, slacks = X[slacks[:, -1] >= 0], slacks[slacks[:, -1] >= 0]
    starts = np.append(np.arange(0, len(X) - 12, 12), len(X))
    new = walk(X, starts, slacks=slacks)
    for first, last in pairwise(starts):
        np.testing.assert_allclose(new.values[first:last].mean(axis=0), X[first:last].mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(
            np.cov(new.values[first:last].T), np.cov(X[first:last].T), rtol=1e-10, atol=1e-12 * np.var(X)
        )
    assert new.values.min() >= 0
    found = 3 * new.values[:, 0] + new.values[:, 1] + new.values[:, 2] - 0.01 * new.values[:, 3]
    assert found.min() >= 0
    np.testing.assert_allclose(new.slacks[:, -1], found, atol=1e-10)
    assert (new.source < 0).all()
    assert (new.room > 0).all()
    assert (new.room < 1).all()


@pytest.mark.parametrize("size", [4, 6, 10])
def test_without_bounds_the_limit_is_haars_rotation(size):
    files, d = 4_000, size - 1
    Q = turned_bases(size, files, sweeps=10)
    np.testing.assert_allclose(Q @ Q.transpose(0, 2, 1), np.broadcast_to(np.eye(d), Q.shape), atol=1e-12)
    # a direction turned by Haar's measure is uniform on the sphere: moments of an entry, and of the trace
    entries = Q.reshape(files, -1)
    for power, expected in ((1, 0.0), (2, 1 / d), (3, 0.0), (4, 3 / (d * (d + 2)))):
        found = (entries**power).mean(axis=0)
        error = (entries**power).std(axis=0) / np.sqrt(files)
        assert (np.abs(found - expected) < 5 * error).all()
    trace = Q.trace(axis1=1, axis2=2)
    assert abs(trace.mean()) < 5 / np.sqrt(files)
    assert (trace**2).mean() == pytest.approx(1, abs=5 * np.sqrt(2 / files))


def test_a_turned_direction_is_uniform_on_the_sphere():
    from scipy.stats import beta, kstest

    Q = turned_bases(6, 4_000, sweeps=10)
    # the square of a coordinate of a uniform direction in d dimensions has a beta distribution
    assert kstest(Q[:, 0, 1] ** 2, beta(0.5, 2.0).cdf).pvalue > 1e-4


def test_a_walk_stopped_too_early_is_not_haars():
    Q = turned_bases(10, 4_000, sweeps=1)
    assert Q.trace(axis1=1, axis2=2).mean() > 10 / np.sqrt(4_000)


def test_turns_alone_reach_no_reflection():
    assert (np.linalg.det(turned_bases(4, 50, sweeps=3)) > 0).all()


def test_every_pair_of_others_is_as_likely():
    draws, first, size = 12_000, 7, 5
    words = (streams_of(3).uniforms(0, draws, 2) * 2.0**64).astype(np.uint64)
    for i in (first, first + 2, first + size - 1):
        pairs = [two_others(block, i, first, size) for block in words]
        found, counts = np.unique(pairs, axis=0, return_counts=True)
        others = [row for row in range(first, first + size) if row != i]
        assert [tuple(pair) for pair in found] == list(permutations(others, 2))
        assert (np.abs(counts / draws - 1 / 12) < 5 * np.sqrt(1 / 12 / draws)).all()


def test_sweeps_can_be_made_in_two_goes():
    X, starts = lognormal(30, 2), np.arange(0, 31, 6)
    Z, source, margins = np.hstack([X, X]), np.arange(30), np.full((5, 2), MARGIN)
    walk_in_groups(Z, 2, margins, starts, source, streams_of(2), 3)
    walk_in_groups(Z, 2, margins, starts, source, streams_of(2), 7, first=3)
    assert (Z[:, :2] == walk(X, starts, slacks=X, sweeps=10).values).all()


def test_with_bounds_no_place_keeps_its_record():
    files, size = 3_000, 6
    X = np.tile(lognormal(size, 2), (files, 1))
    new = walk(X, np.arange(0, len(X) + 1, size), slacks=X).values.reshape(files, size, 2)
    at_each_place = new.mean(axis=0)
    error = new.std(axis=0) / np.sqrt(files)
    assert (np.abs(at_each_place - X[:size].mean(axis=0)) < 5 * error).all()


def test_one_large_value_beside_zeros_can_only_change_places():
    X = np.array([[9.0], [0.0], [0.0], [0.0]])
    new = walk(X, np.array([0, 4]), slacks=X, begun=np.array([2, 0, 3, 1]))
    assert sorted(new.values[:, 0]) == [0.0, 0.0, 0.0, 9.0]
    assert sorted(new.source) == [0, 1, 2, 3]
    assert (new.values == X[new.source]).all()
    assert new.room == 0


def test_one_large_value_beside_zeros_ends_in_any_place():
    files = 2_000
    X = np.tile([[9.0], [0.0], [0.0], [0.0]], (files, 1))
    ended = walk(X, np.arange(0, len(X) + 1, 4), slacks=X).values.reshape(files, 4).argmax(axis=1)
    assert (np.abs(np.bincount(ended, minlength=4) / files - 0.25) < 5 * np.sqrt(0.25 * 0.75 / files)).all()


def test_groups_of_two_stay_as_they_are():
    X = lognormal(4, 2)
    new = walk(X, np.array([0, 2, 4]), slacks=X)
    assert (new.values == X).all()


def test_a_part_of_the_groups_gets_the_same_numbers():
    X, starts = lognormal(60, 3), np.arange(0, 61, 6)
    whole = walk(X, starts, slacks=X).values
    rows = np.arange(24, 60)
    part = walk(X[rows], np.arange(0, 37, 6), streams_of(2).of_rows(rows), slacks=X[rows]).values
    assert (part == whole[rows]).all()
