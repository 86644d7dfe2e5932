import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from microveil.core.errors import BadInput
from microveil.kernels.assignment.sizes import assign_at_least
from microveil.kernels.latent.classes import fit_latent_classes, log_memberships
from microveil.kernels.latent.draw import draw_categories, draw_classes, rearrange_categories
from microveil.kernels.latent.floor import floor_memberships, shift_means
from microveil.kernels.latent.prior import improve_coefficients, log_class_probabilities
from microveil.kernels.mixture.em import floor_weights

GAMMA = np.array([[0.0, 0.0, 0.0], [0.5, 2.0, -1.0]])
PI = (
    np.array([[0.8, 0.2], [0.1, 0.9]]),
    np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]]),
    np.array([[0.3, 0.7], [0.9, 0.1]]),
)
LEVELS = (2, 3, 2)


def two_classes(n, seed=1):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(n, 2))
    g = (generator.random(n) < softmax(np.column_stack([np.ones(n), x]) @ GAMMA.T, axis=1)[:, 1]).astype(int)
    codes = np.column_stack([(generator.random(n)[:, None] >= np.cumsum(p, axis=1)[g, :-1]).sum(axis=1) for p in PI])
    return x, codes, g


def test_recovers_a_model_of_two_classes():
    x, codes, g = two_classes(20_000)
    fit = fit_latent_classes(x, codes, LEVELS, 2, generator=np.random.default_rng(2))
    if fit.probabilities[0][0, 0] < 0.5:
        # classes have no order: take the first one of the model first
        order = [1, 0]
        fit = fit._replace(
            coefficients=fit.coefficients[order] - fit.coefficients[1],
            probabilities=tuple(p[order] for p in fit.probabilities),
            weights=fit.weights[order],
        )
    for found, true in zip(fit.probabilities, PI, strict=True):
        assert np.abs(found - true).max() < 0.03
    assert np.abs(fit.coefficients / np.append(1.0, fit.scale) - GAMMA).max() < 0.2
    assert fit.weights == pytest.approx(np.bincount(g) / len(g), abs=0.02)


def test_path_never_falls_and_ends_at_a_maximum():
    x, codes, _ = two_classes(1500)
    fit = fit_latent_classes(x, codes, LEVELS, 3, generator=np.random.default_rng(3), tolerance=1e-12, iterations=2000)
    assert (np.diff(fit.path) > -1e-8).all()
    # at the maximum the prior means of the classes are the posterior ones
    W = np.column_stack([np.ones(len(x)), (x - fit.centre) / fit.scale])
    z = np.exp(log_memberships(fit, x, codes))
    p = np.exp(log_class_probabilities(W, fit.coefficients))
    assert np.abs((z - p).mean(axis=0)).max() < 1e-4
    assert np.abs(W.T @ (z - p)).max() < 0.01 * len(x) ** 0.5


def test_log_likelihood_and_bic_are_those_of_the_formula():
    x, codes, g = two_classes(300)
    fit = fit_latent_classes(x, codes, LEVELS, 2, start=g)
    W = np.column_stack([np.ones(300), (x - fit.centre) / fit.scale])
    p = softmax(W @ fit.coefficients.T, axis=1)
    joint = p * np.prod([pi.T[codes[:, j]] for j, pi in enumerate(fit.probabilities)], axis=0)
    assert fit.log_likelihood == pytest.approx(np.log(joint.sum(axis=1)).sum(), rel=1e-12)
    assert fit.bic == pytest.approx(2 * fit.log_likelihood - (3 + 2 * 4) * np.log(300), rel=1e-12)
    penalty = sum((np.log(pi) / pi.shape[1]).sum() for pi in fit.probabilities) - 0.5e-4 * (fit.coefficients**2).sum()
    assert fit.path[-1] == pytest.approx(fit.log_likelihood + penalty, rel=1e-12)
    assert np.exp(log_memberships(fit, x, codes)) == pytest.approx(joint / joint.sum(axis=1, keepdims=True))


def test_newton_step_solves_the_normal_equations_of_the_multinomial_logit():
    generator = np.random.default_rng(4)
    W = np.column_stack([np.ones(400), generator.normal(size=(400, 2))])
    z = generator.dirichlet([1, 2, 3, 1], size=400)
    coefficients = np.zeros((4, 3))
    log_p = log_class_probabilities(W, coefficients)
    for _ in range(20):
        coefficients, log_p = improve_coefficients(W, z, coefficients, log_p, 1e-4)
    assert (coefficients[0] == 0).all()
    assert (z - np.exp(log_p)).T[1:] @ W == pytest.approx(1e-4 * coefficients[1:], abs=1e-8)


@given(st.integers(2, 6), st.integers(20, 80), st.floats(0.05, 0.9), st.integers(0, 2**32))
@settings(deadline=None, max_examples=60)
def test_floor_holds_and_the_shift_meets_its_means_exactly(G, n, part, seed):
    z = np.random.default_rng(seed).dirichlet(np.geomspace(0.05, 2, G), size=n)
    k = int(part * n / G)
    target = floor_weights(z.mean(axis=0), k / n)
    shifted = shift_means(z, target)
    assert shifted.mean(axis=0) == pytest.approx(target, abs=1e-14)
    assert shifted.sum(axis=1) == pytest.approx(np.ones(n), abs=1e-13)
    floored = floor_memberships(z, k)
    assert floored.mean(axis=0).min() >= k / n - 1e-12
    assert floored.sum(axis=1) == pytest.approx(np.ones(n), abs=1e-12)
    assert floored.min() >= 0
    if z.mean(axis=0).min() >= k / n:
        assert floored is z


def test_floor_keeps_classes_large_in_the_fit():
    x, codes, _ = two_classes(600)
    start = np.full(600, 1)
    start[:10] = 0
    assert fit_latent_classes(x, codes, LEVELS, 4, start=start).weights.min() * 600 < 100
    fit = fit_latent_classes(x, codes, LEVELS, 4, start=start, k=100)
    assert fit.weights.min() * 600 >= 100 - 1e-9
    labels = assign_at_least(log_memberships(fit, x, codes), 100)
    assert np.bincount(labels).min() >= 100


def test_one_class_draws_each_attribute_from_its_margin():
    x, codes, _ = two_classes(4000)
    fit = fit_latent_classes(x, codes, LEVELS, 1)
    assert fit.coefficients.tolist() == [[0.0, 0.0, 0.0]]
    drawn = draw_categories(fit, x, np.random.default_rng(5))
    for j, C in enumerate(LEVELS):
        share = np.bincount(codes[:, j], minlength=C)
        assert fit.probabilities[j][0] == pytest.approx((share + 1 / C) / 4001)
        assert np.abs(np.bincount(drawn[:, j], minlength=C) - share).max() < 4 * np.sqrt(2000)
    # dependent before, independent now
    assert abs(np.corrcoef(codes[:, 0], codes[:, 2])[0, 1]) > 0.3
    assert abs(np.corrcoef(drawn[:, 0], drawn[:, 2])[0, 1]) < 4 / np.sqrt(4000)


def test_draws_depend_on_x_as_the_originals_do():
    x, codes, g = two_classes(8000)
    fit = fit_latent_classes(x, codes, LEVELS, 2, start=g)
    drawn = draw_categories(fit, x, np.random.default_rng(6))
    for j in range(3):
        assert np.corrcoef(x[:, 0], drawn[:, j])[0, 1] == pytest.approx(
            np.corrcoef(x[:, 0], codes[:, j])[0, 1], abs=0.05
        )
    classes = draw_classes(fit, np.repeat([[0.3, -0.2]], 40_000, axis=0), np.random.default_rng(7))
    expected = softmax(fit.coefficients @ np.append(1.0, (np.array([0.3, -0.2]) - fit.centre) / fit.scale))
    assert np.bincount(classes) / 40_000 == pytest.approx(expected, abs=0.012)


def test_exact_counts_in_every_class_and_in_the_file():
    x, codes, g = two_classes(900)
    fit = fit_latent_classes(x, codes, LEVELS, 3, start=np.where(np.arange(900) % 3 == 0, 2, g), k=60)
    labels = assign_at_least(log_memberships(fit, x, codes), 60)
    new_x = np.random.default_rng(8).normal(size=x.shape)
    new = rearrange_categories(fit, new_x, codes, labels, np.random.default_rng(9))
    classes = draw_classes(fit, new_x, np.random.default_rng(9), np.bincount(labels, minlength=3))
    assert (np.bincount(classes) == np.bincount(labels)).all()
    for j in range(3):
        for c in range(3):
            mine, theirs = new[classes == c, j], codes[labels == c, j]
            assert (np.bincount(mine, minlength=3) == np.bincount(theirs, minlength=3)).all()
    assert (new != codes).any()
    assert np.corrcoef(new_x[:, 0], new[:, 0])[0, 1] > 0.2


def test_works_without_x_and_with_a_constant_one():
    _, codes, _ = two_classes(2000)
    plain = fit_latent_classes(np.empty((2000, 0)), codes, LEVELS, 2, generator=np.random.default_rng(10))
    assert plain.coefficients.shape == (2, 1)
    assert np.exp(plain.coefficients[1, 0]) == pytest.approx(plain.weights[1] / plain.weights[0], rel=1e-2)
    constant = fit_latent_classes(np.full((2000, 1), 7.0), codes, LEVELS, 2, generator=np.random.default_rng(10))
    assert constant.log_likelihood == pytest.approx(plain.log_likelihood, rel=1e-9)
    assert constant.coefficients[:, 1].tolist() == [0.0, 0.0]


def test_separated_classes_and_rare_categories_stay_finite():
    x = np.concatenate([np.full(50, -1.0), np.full(50, 1.0)])[:, None]
    codes = (x > 0).astype(np.int64)
    codes[0] = 2
    fit = fit_latent_classes(x, codes, (4,), 2, start=(x[:, 0] > 0).astype(np.int64))
    assert np.isfinite(fit.coefficients).all()
    assert fit.probabilities[0].min() > 0
    assert np.isfinite(log_memberships(fit, x, codes)).all()


def test_many_records_start_from_a_part_of_them_and_draws_repeat():
    x, codes, _ = two_classes(25_000)
    one, two = (fit_latent_classes(x, codes, LEVELS, 2, generator=np.random.default_rng(11)) for _ in range(2))
    assert (one.coefficients == two.coefficients).all()
    again = fit_latent_classes(x, codes, LEVELS, 2, start=np.exp(log_memberships(one, x, codes)))
    assert one.path[-1] == pytest.approx(again.path[-1], rel=1e-6)
    drawn = [draw_categories(one, x, np.random.default_rng(12)) for _ in range(2)]
    assert (drawn[0] == drawn[1]).all()


X, CODES = np.zeros((6, 1)), np.zeros((6, 2), dtype=np.int64)


@pytest.mark.parametrize(
    ("x", "codes", "levels", "classes", "options", "message"),
    [
        (X, CODES, (1,), 1, {}, r"codes of shape \(6, 2\), 1 level counts do not fit"),
        (X * np.nan, CODES, (2, 2), 1, {}, "x has missing or infinite values"),
        (X, CODES - 1, (2, 2), 1, {}, r"codes must be 0..C_j - 1 in every attribute; give missing a level of its own"),
        (X, CODES + 2, (2, 2), 1, {}, r"codes must be 0..C_j - 1"),
        (X, CODES, (2, 2), 0, {}, r"classes must be 1 or more; 0 was given"),
        (X, CODES, (2, 2), 2, {"k": 3}, "2 classes of at least k=3 need more than 6 records: 6 given"),
        (X, CODES, (2, 2), 2, {"k": -1}, r"k must be 0 or more; -1 was given"),
        (X, CODES, (2, 2), 2, {}, "need a generator for random starts, or memberships or labels to start from"),
        (X, CODES, (2, 2), 2, {"smoothing": 0}, r"smoothing must be more than 0; 0 was given"),
        (X, CODES, (2, 2), 2, {"ridge": 0}, r"ridge must be more than 0; 0 was given"),
        (X, CODES, (2, 2), 2, {"start": np.full(6, 2)}, r"give memberships of shape \(6, 2\) or 6 labels 0..1"),
        (X, CODES, (2, 2), 2, {"start": np.ones((6, 3))}, r"start has shape \(6, 3\)"),
    ],
)
def test_refuses(x, codes, levels, classes, options, message):
    with pytest.raises(BadInput, match=message):
        fit_latent_classes(x, codes, levels, classes, **options)


def test_exact_counts_refuse_other_numbers_of_records():
    fit = fit_latent_classes(X, CODES, (2, 2), 1)
    with pytest.raises(BadInput, match="exact counts need one new record per original: 5 new, 6 codes, 6 labels"):
        rearrange_categories(fit, X[:5], CODES, np.zeros(6, dtype=np.int64), np.random.default_rng(1))
    with pytest.raises(BadInput, match=r"sizes \[5\] must be 1 counts that add up to the 6 records"):
        draw_classes(fit, X, np.random.default_rng(1), np.array([5]))
