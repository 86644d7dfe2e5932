"""The walk beside kept columns."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from microveil.kernels.rotation.kept import walk_beside_kept
from tests.streams import streams_of


def walk(X, slacks, kept, starts, seed, sweeps):
    Z, source = np.hstack([X, slacks]), np.arange(len(X))
    margins = np.full((len(starts) - 1, slacks.shape[1]), 1e-12)
    walk_beside_kept(Z, X.shape[1], margins, kept, starts, source, streams_of(seed), sweeps)
    return Z[:, : X.shape[1]], source


def test_covariances_with_kept_columns_stay_in_every_group():
    X = np.exp(streams_of(1).normals(0, 400, 3))
    kept = streams_of(2).normals(0, 400, 2)
    kept[:, 1] = kept[:, 1] > 0
    kept[:20, 1] = 1.0  # a constant column in the first group binds nothing more
    starts = np.arange(0, 401, 20)
    new, source = walk(X, X, kept, starts, 3, 10)
    for first, last in pairwise(starts):
        before, after = (np.column_stack([Z[first:last], kept[first:last]]) for Z in (X, new))
        np.testing.assert_allclose(after.mean(axis=0), before.mean(axis=0), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(np.cov(after.T), np.cov(before.T), rtol=1e-10, atol=1e-11)
    assert new.min() >= 0
    assert (source < 0).all()


def test_without_bounds_the_limit_is_haars_rotation_beside_the_kept_columns():
    size, files = 7, 4_000
    K = streams_of(4).normals(0, size, 2)
    X, kept = np.tile(np.eye(size), (files, 1)), np.tile(K, (files, 1))
    new, _ = walk(X, X[:, :0], kept, np.arange(0, len(X) + 1, size), 5, 10)
    basis = np.linalg.qr(np.column_stack([np.ones(size), K, np.eye(size)[:, :4]]))[0]
    new_by_file = new.reshape(files, size, size)
    fixed, free, d = basis[:, :3], basis[:, 3:], size - 3
    np.testing.assert_allclose(new_by_file @ fixed, np.broadcast_to(fixed, (files, size, 3)), atol=1e-12)
    entries = np.einsum("ia,rij,jb->rab", free, new_by_file, free).reshape(files, -1)
    for power, expected in ((1, 0.0), (2, 1 / d), (4, 3 / (d * (d + 2)))):
        error = (entries**power).std(axis=0) / np.sqrt(files)
        assert (np.abs((entries**power).mean(axis=0) - expected) < 5 * error).all()


def test_groups_without_room_beside_the_kept_columns_stay_as_they_are():
    X, kept = streams_of(1).normals(0, 8, 2), streams_of(2).normals(0, 8, 2)
    new, source = walk(X, X[:, :0], kept, np.array([0, 4, 8]), 3, 5)
    assert (new == X).all()
    assert (source == np.arange(8)).all()
