"""Near records: exact on small files, mostly right on large ones, never the record itself."""

from __future__ import annotations

import numpy as np

from microveil.kernels.refinement import neighbours as refine_neighbours
from microveil.kernels.refinement.neighbours import near_records


def test_exact_lists_are_sorted_and_leave_out_the_record():
    X = np.random.default_rng(0).standard_normal((200, 5))
    near = near_records(X, 7, np.random.default_rng(0))
    distance = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(distance, np.inf)
    assert (near == np.argsort(distance, axis=1)[:, :7]).all()


def test_duplicates_never_list_the_record_itself():
    near = near_records(np.zeros((30, 2)), 5, np.random.default_rng(0))
    assert near.shape == (30, 5)
    assert (near != np.arange(30)[:, None]).all()


def test_fewer_records_than_asked_for():
    X = np.array([[0.0], [1.0], [3.0]])
    assert near_records(X, 10, np.random.default_rng(0)).tolist() == [[1, 2], [0, 2], [1, 0]]


def test_cuts_find_most_of_the_true_neighbours(monkeypatch):
    X = np.random.default_rng(0).standard_normal((3000, 5))
    exact = near_records(X, 6, np.random.default_rng(0))
    monkeypatch.setattr(refine_neighbours, "_EXACT_RECORDS", 0)
    near = near_records(X, 6, np.random.default_rng(0))
    assert (near >= 0).all()
    assert (near != np.arange(3000)[:, None]).all()
    assert all(len(set(row)) == 6 for row in near.tolist())
    assert np.mean([len(set(a) & set(b)) / 6 for a, b in zip(exact.tolist(), near.tolist(), strict=True)]) > 0.8
