"""Hill climbing on cells: move by move against a transcription that computes every error from the data."""

import numpy as np
import pytest

from microveil.hybrid.post_masking_optimisation import aim_of
from microveil.kernels.refinement.hill_climb import (
    Rules,
    _climb,
    hill_climb,
    moment_error,
    moments_about,
    squared_distances,
)


def files(n=60, p=3, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.gamma(2.0, size=(n, p)) @ (np.eye(p) + 0.5 * np.tri(p, k=-1)) + 3.0
    return X, X[draw.permutation(n)] + draw.normal(size=(n, p))


def rules_of(X, Y, aim, *, exchanges=0.5, width=0.1, distance=False, drawn=False):
    none = np.zeros(0)
    return Rules(
        np.arange(X.shape[1]),
        np.full(X.shape[1], width) / aim.per_unit,
        squared_distances(Y, X, aim.per_unit) if distance else none,
        X.min(axis=0) if drawn else none,
        X.max(axis=0) if drawn else none,
        exchanges,
    )


def error_of(Y, X, errors):
    """The formula, written out: errors of means and of second moments, each averaged."""
    scale = X.std(axis=0, ddof=1)
    centre = X.mean(axis=0) if errors == "scaled" else 0.0
    z, y = (X - centre) / scale, (Y - centre) / scale
    pairs = np.triu_indices(X.shape[1])
    mean, cross = z.mean(axis=0), (z.T @ z / len(z))[pairs]
    off_mean, off_cross = np.abs(y.mean(axis=0) - mean), np.abs((y.T @ y / len(y))[pairs] - cross)
    if errors == "relative":
        return (off_mean / np.maximum(np.abs(mean), 0.1)).mean() + (off_cross / np.maximum(np.abs(cross), 0.1)).mean()
    return off_mean.mean() + off_cross.mean()


def climb_by_hand(Y, X, aim, rules, draws, errors):
    Y = Y.copy()
    start = squared_distances(Y, X, aim.per_unit)
    now = error_of(Y, X, errors)
    for kind, column, row, last in draws:
        j, i, other = int(column * Y.shape[1]), int(row * len(Y)), int(last * len(Y))
        new = Y.copy()
        if kind < rules.exchanges:
            new[i, j], new[other, j] = Y[other, j], Y[i, j]
        else:
            new[i, j] = Y[other, j]
            if len(rules.low):
                new[i, j] = rules.low[j] + last * (rules.high[j] - rules.low[j])
        old_gap, gap = np.abs(Y - X), np.abs(new - X)
        allowed = ((gap > rules.reach) | (gap >= old_gap)).all()
        if len(rules.distance):
            allowed &= (squared_distances(new, X, aim.per_unit) >= start * (1 - 1e-15)).all()
        if allowed and error_of(new, X, errors) < now - 1e-13:
            Y, now = new, error_of(new, X, errors)
    return Y, now


@pytest.mark.parametrize("errors", ["scaled", "relative"])
@pytest.mark.parametrize(
    "settings",
    [{}, {"exchanges": 1.0}, {"exchanges": 0.0}, {"exchanges": 0.0, "drawn": True}, {"distance": True}, {"width": 1.0}],
)
def test_every_move_is_that_of_a_transcription(settings, errors):
    X, Y = files()
    aim = aim_of(X, errors)
    rules = rules_of(X, Y, aim, **settings)
    expected, after = climb_by_hand(Y, X, aim, rules, np.random.default_rng(4).random((1500, 4)), errors)
    climb = hill_climb(Y, X, aim, rules, 1500, 10**6, np.random.default_rng(4))
    assert np.array_equal(Y, expected)
    assert climb.after == pytest.approx(after, rel=1e-9)
    assert climb.taken > 10
    assert climb.tried == 1500


def test_moments_kept_up_to_date_are_those_of_the_data():
    X, Y = files(500, 4)
    aim = aim_of(X, "scaled")
    mean, cross = moments_about(Y, aim)
    draws = np.random.default_rng(1).random((20_000, 4))
    _, taken, _ = _climb(Y, X, aim, rules_of(X, Y, aim), mean, cross, moment_error(mean, cross, aim), draws, 0, 10**6)
    fresh_mean, fresh_cross = moments_about(Y, aim)
    assert taken > 100
    assert np.abs(mean - fresh_mean).max() < 1e-13
    assert np.abs(cross - fresh_cross).max() < 1e-13


def test_the_error_falls_with_the_budget():
    found = []
    for budget in (0, 10, 100, 1000, 10_000, 100_000):
        X, Y = files(200)
        aim = aim_of(X, "scaled")
        climb = hill_climb(Y, X, aim, rules_of(X, Y, aim), budget, 10**6, np.random.default_rng(1))
        assert climb.after == pytest.approx(error_of(Y, X, "scaled"), rel=1e-9)
        found.append(climb.after)
    assert found[0] == climb.before
    assert found == sorted(found, reverse=True)
    assert found[-1] < 0.1 * found[0]


def test_it_ends_after_failures_in_a_row_and_where_nothing_is_to_gain():
    X, Y = files()
    aim = aim_of(X, "scaled")
    climb = hill_climb(Y, X, aim, rules_of(X, Y, aim), 10**7, 300, np.random.default_rng(1))
    assert climb.tried < 10**6
    again = hill_climb(X.copy(), X, aim, rules_of(X, X, aim), 1000, 300, np.random.default_rng(1))
    assert again == (again.before, again.before, 0, 0)
    assert again.before < 1e-14


def test_units_and_shifts_do_not_matter_to_scaled_errors():
    X, Y = files()
    factors, shifts = np.array([1e6, 1.0, 1e-3]), np.array([-5.0, 1e4, 2.0])
    results = []
    for factor, shift in ((1.0, 0.0), (factors, shifts)):
        x, y = X * factor + shift, Y * factor + shift
        aim = aim_of(x, "scaled")
        hill_climb(y, x, aim, rules_of(x, y, aim, exchanges=1.0), 2000, 10**6, np.random.default_rng(2))
        results.append((y - shift) / factor)
    assert np.abs(results[0] - results[1]).max() < 1e-6
