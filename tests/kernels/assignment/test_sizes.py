import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from microveil.core.errors import BadInput
from microveil.kernels.assignment.sizes import assign_at_least
from tests.reference import shared_file


def total(log_z, labels):
    return log_z[np.arange(len(log_z)), labels].sum()


def best_total(log_z, k):
    """The optimum as an assignment problem: k places of each cluster must be taken, the others may be."""
    n, G = log_z.shape
    places = np.repeat(np.arange(G), k)
    free = log_z.max(axis=1)
    value = np.column_stack([log_z[:, places], np.repeat(free[:, None], n - len(places), axis=1)])
    rows, columns = linear_sum_assignment(value, maximize=True)
    return value[rows, columns].sum()


def greedy(log_z, k):
    labels = log_z.argmax(axis=1)
    sizes = np.bincount(labels, minlength=log_z.shape[1])
    for d in np.argsort(sizes, kind="stable"):
        while sizes[d] < k:
            loss = log_z[np.arange(len(labels)), labels] - log_z[:, d]
            loss[(labels == d) | (sizes[labels] <= k)] = np.inf
            i = loss.argmin()
            sizes[labels[i]] -= 1
            sizes[d] += 1
            labels[i] = d
    return labels


@st.composite
def cases(draw):
    G = draw(st.integers(1, 6))
    n = draw(st.integers(G, 60))
    k = draw(st.integers(0, n // G))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    log_z = np.log(generator.dirichlet(np.geomspace(0.3, 5, G), size=n) + 1e-12)
    return (np.round(log_z) if draw(st.booleans()) else log_z), k


@given(cases())
@settings(deadline=None, max_examples=200)
def test_reaches_the_optimum_of_the_assignment_problem(case):
    log_z, k = case
    given_values = log_z.copy()
    labels = assign_at_least(log_z, k)
    assert labels.dtype == np.int64
    assert np.bincount(labels, minlength=log_z.shape[1]).min() >= k
    assert total(log_z, labels) == pytest.approx(best_total(log_z, k), rel=1e-10, abs=1e-9)
    assert total(log_z, labels) >= total(log_z, greedy(log_z, k)) - 1e-9
    assert (log_z == given_values).all()


@given(cases(), st.integers(0, 2**32))
@settings(deadline=None, max_examples=100)
def test_least_sizes_may_differ_and_are_met_exactly_where_they_add_up_to_n(case, seed):
    log_z, _ = case
    n, G = log_z.shape
    sizes = np.random.default_rng(seed).multinomial(n, np.full(G, 1 / G))
    labels = assign_at_least(log_z, sizes)
    assert (np.bincount(labels, minlength=G) == sizes).all()
    assert total(log_z, labels) == pytest.approx(best_total(log_z, sizes), rel=1e-10, abs=1e-9)


@given(cases())
@settings(deadline=None, max_examples=50)
def test_zero_memberships_are_used_as_seldom_as_sizes_allow(case):
    log_z, k = case
    log_z = np.where(log_z < -6, -np.inf, log_z)
    labels = assign_at_least(log_z, k)
    # the count of zeros decides first, the rest of the sum second
    in_two_parts = np.where(np.isinf(log_z), -1e6, log_z)
    assert total(in_two_parts, labels) == pytest.approx(best_total(in_two_parts, k), rel=1e-12)


def test_beats_greedy_where_a_chain_of_moves_is_cheaper():
    # cluster 2 is empty; record 3 goes there and record 0 takes its place
    log_z = -np.array([[0.0, 0.1, 9.0], [0.0, 9.0, 9.0], [9.0, 0.0, 8.0], [9.0, 0.0, 0.2]])
    assert assign_at_least(log_z, 1).tolist() == [0, 0, 1, 2]
    log_z = np.vstack([log_z[:2], [[-0.0, -0.3, -9.0]], log_z[3:]])
    assert assign_at_least(log_z, 1).tolist() == [1, 0, 0, 2]
    assert total(log_z, greedy(log_z, 1)) < total(log_z, assign_at_least(log_z, 1))


def test_most_likely_clusters_stay_where_they_are_large_enough():
    log_z = np.random.default_rng(1).normal(size=(300, 3))
    smallest = np.bincount(log_z.argmax(axis=1)).min()
    assert (assign_at_least(log_z, int(smallest)) == log_z.argmax(axis=1)).all()
    assert (assign_at_least(log_z, int(smallest) + 1) != log_z.argmax(axis=1)).sum() == 1


def test_equal_memberships_move_the_first_rows():
    log_z = np.zeros((6, 3))
    log_z[:, 0] = 1.0
    assert assign_at_least(log_z, 2).tolist() == [1, 1, 2, 2, 0, 0]
    assert assign_at_least(np.full((4, 2), -np.inf), 2).tolist() == [1, 1, 0, 0]


def test_an_optimum_is_proven_by_premiums_on_many_records():
    # k G = n leaves no slack: with premiums u the labels must be the best of log z + u for every record
    log_z = np.random.default_rng(2).normal(size=(4000, 5)) * 3 + np.arange(5) * 2.0
    labels = assign_at_least(log_z, 800)
    assert (np.bincount(labels) == 800).all()
    # shortest distances over edges that cost the least loss; a negative loop would be an improvement
    own = log_z[np.arange(4000), labels]
    edge = np.array([[(own - log_z[:, b])[labels == a].min() for b in range(5)] for a in range(5)])
    u = np.zeros(5)
    for _ in range(5):
        u = np.minimum(u, (u[:, None] + edge).min(axis=0))
    assert (u[:, None] + edge >= u - 1e-9).all()
    assert (own + u[labels] >= (log_z + u).max(axis=1) - 1e-9).all()


@pytest.mark.parametrize(("k", "moved"), [(60, 0), (200, 198)])
def test_thyroid_moves_as_many_records_as_a_linear_programme(k, moved):
    file = shared_file("oracles", "local_synthesis", "thyroid_mclust_VVV6_labels.csv")
    z = np.loadtxt(file, delimiter=",", skiprows=1, usecols=range(2, 8))
    with np.errstate(divide="ignore"):
        log_z = np.log(z)
    labels = assign_at_least(log_z, k)
    assert (labels != z.argmax(axis=1)).sum() == moved
    assert np.bincount(labels).min() == max(k, 63)


def test_far_outliers_do_not_blur_the_rest():
    generator = np.random.default_rng(3)
    log_z = generator.normal(size=(40, 3)) + np.array([0.0, 3.0, 6.0])
    alone = assign_at_least(log_z, 10)
    far = np.vstack([log_z, [[-1e12, -2e12, 0.0]]])
    assert (assign_at_least(far, 10)[:40] == alone).all()


@pytest.mark.parametrize(
    ("log_z", "k", "message"),
    [
        (np.zeros((5, 2)), 3, "2 clusters of at least k=3 need 6 records: 5 given; use fewer clusters or a smaller k"),
        (np.array([[0.0, np.nan]]), 0, "must be numbers below infinity or -inf"),
        (np.array([[0.0, np.inf]]), 0, "must be numbers below infinity or -inf"),
        (np.zeros(5), 1, "one row per record and one column per cluster"),
        (np.zeros((5, 2)), np.array([2, 2, 1]), r"k has shape \(3,\); give one least size, or one for each of the 2"),
        (np.zeros((5, 2)), -1, r"k must be 0 or more; -1 was given"),
    ],
)
def test_refuses(log_z, k, message):
    with pytest.raises(BadInput, match=message):
        assign_at_least(log_z, k)
