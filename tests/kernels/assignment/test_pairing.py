"""Pairs of points: against brute force, without dependence on the order of rows, and never two for one partner."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.core import BadInput, NotEnoughRecords
from microveil.kernels.assignment.pairing import MOST_ASSIGNED, pair_assignment, pair_greedy, pair_nearest

SHAPES = {"n": st.integers(1, 120), "extra": st.integers(0, 30), "p": st.integers(1, 6), "seed": st.integers(0, 99)}


def points(n, p, seed, ties=False):
    draw = np.random.default_rng(seed)
    return draw.integers(0, 3, (n, p)).astype(float) if ties else draw.normal(size=(n, p))


def distances(A, B):
    return ((A[:, None] - B) ** 2).sum(axis=2)


def total(A, B, partner):
    return float(((A - B[partner]) ** 2).sum())


def greedy_by_hand(A, B):
    """Rounds in which everybody names four free partners; then one by one."""
    D = distances(A, B)
    waiting = np.arange(len(A))
    found, free, served = np.full(len(A), -1), list(range(len(B))), len(A)
    while len(waiting) and 4 * served >= len(waiting):
        named = [sorted(free, key=lambda s, i=i: (D[i, s], s))[:4] for i in waiting]
        edges = [(D[i, s], turn, place, i, s) for turn, i in enumerate(waiting) for place, s in enumerate(named[turn])]
        served = 0
        for *_, i, s in sorted(edges):
            if found[i] < 0 and s in free:
                found[i] = s
                free.remove(s)
                served += 1
        waiting = waiting[found[waiting] < 0]
    apart = ((A - A.mean(axis=0)) ** 2).sum(axis=1)
    for i in waiting[np.argsort(-apart[waiting], kind="stable")]:
        found[i] = min(free, key=lambda s, i=i: (D[i, s], s))
        free.remove(found[i])
    return found


@given(**SHAPES, ties=st.booleans())
def test_nearest_is_the_lowest_of_the_nearest(n, extra, p, seed, ties):
    A, B = points(n, p, seed, ties), points(n + extra, p, seed + 100, ties)
    assert (pair_nearest(A, B) == distances(A, B).argmin(axis=1)).all()


def test_nearest_far_outside_the_partners():
    A, B = 1e6 + points(40, 3, 1), points(300, 3, 2)
    assert (pair_nearest(A, B) == distances(A, B).argmin(axis=1)).all()


@given(**SHAPES)
def test_greedy_serves_near_pairs_first_in_rounds(n, extra, p, seed):
    A, B = points(n, p, seed), points(n + extra, p, seed + 100)
    assert pair_greedy(A, B).tolist() == greedy_by_hand(A, B).tolist()


def test_greedy_where_many_crowd_at_few_partners():
    A = np.vstack([np.zeros((150, 2)), 0.01 * points(50, 2, 1)])
    B = points(200, 2, 2)
    partner = pair_greedy(A, B)
    assert partner.tolist() == greedy_by_hand(A, B).tolist()
    assert len(set(partner.tolist())) == 200


def test_greedy_finds_a_shuffled_copy_and_does_not_mind_the_order_of_rows():
    A, B = points(3000, 4, 1), points(3000, 4, 2)
    order = np.random.default_rng(3).permutation(3000)
    assert (pair_greedy(A, A[order]) == np.argsort(order)).all()
    assert (pair_greedy(A[order], B) == pair_greedy(A, B)[order]).all()


@pytest.mark.parametrize("seed", range(3))
def test_greedy_lies_between_the_best_assignment_and_chance(seed):
    A, B = points(600, 3, seed), points(600, 3, seed + 10)
    best, greedy = total(A, B, pair_assignment(A, B)), total(A, B, pair_greedy(A, B))
    assert best <= greedy <= 4 * best
    assert greedy < 0.2 * total(A, B, np.arange(600))
    assert total(A, B, pair_nearest(A, B)) <= best


def test_assignment_is_the_best_of_all_permutations():
    A, B = points(6, 2, 1), points(6, 2, 2)
    best = min(total(A, B, list(order)) for order in permutations(range(6)))
    assert total(A, B, pair_assignment(A, B)) == pytest.approx(best)


def test_what_cannot_be_paired_is_refused():
    A = points(5, 2, 1)
    for pair, name in ((pair_greedy, "greedy"), (pair_assignment, "assignment")):
        with pytest.raises(NotEnoughRecords, match=f"{name} pairing needs a partner for each of 5 records: 4 given"):
            pair(A, A[:4])
    many = np.zeros((MOST_ASSIGNED + 1, 1))
    with pytest.raises(BadInput, match="takes at most 5000 records: 5001 given; use pairing='greedy'"):
        pair_assignment(many, many)
    with pytest.raises(BadInput, match="within 1e15 standard deviations"):
        pair_nearest(A, 1e16 * A)
