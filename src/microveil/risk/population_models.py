"""How many classes of size one a population has, estimated from the class sizes of a sample.

Each model also says how many classes of one, two and three records it expects in the sample, which is what its fit is
judged by.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints

SMALL_SIZES = (1, 2, 3)  # class sizes of the sample at which a model is compared with what was found


class Frequencies(NamedTuple):
    """Sizes that occur among the classes of a sample and how many classes have each."""

    sizes: Ints
    classes: Ints

    @classmethod
    def of(cls, counts: Ints) -> Frequencies:
        """From the sizes of all classes."""
        return cls(*np.unique(counts, return_counts=True))

    @property
    def records(self) -> int:
        """How many records the sample has."""
        return int((self.sizes * self.classes).sum())

    @property
    def uniques(self) -> int:
        """How many classes have one record."""
        return int(self.classes[self.sizes == 1].sum())

    @property
    def small(self) -> Floats:
        """How many classes have one, two and three records."""
        return np.array([float(self.classes[self.sizes == size].sum()) for size in SMALL_SIZES])


class Estimate(NamedTuple):
    """Population uniques, and how many classes of one, two and three records the model expects in the sample.

    `expected` is None where nothing was fitted.
    """

    uniques: float
    expected: Floats | None


NOBODY_ALONE = Estimate(0.0, None)  # no model finds uniques in a population whose sample has none


def zayatz(found: Frequencies, population: float) -> Estimate:
    """Population uniques if the population's class sizes are distributed as the sample's (Zayatz 1991)."""
    n, N = found.records, population
    if found.uniques == 0:
        return NOBODY_ALONE
    sizes = found.sizes.astype(np.float64)
    share = found.classes / found.classes.sum()
    drawn = [share * _some_drawn(size, sizes, n, N) for size in SMALL_SIZES]
    probability = drawn[0][found.sizes == 1].sum() / drawn[0].sum()
    classes = N / (share @ sizes)
    return Estimate(float(found.uniques * probability * N / n), classes * np.array([part.sum() for part in drawn]))


def _some_drawn(r: int, s: Floats, n: int, N: float) -> Floats:
    """The probability that exactly r of the s members of a class are among n drawn from N."""
    from scipy.special import gammaln

    possible = (s >= r) & (s - r <= N - n) & (r <= n)
    rest, others = np.where(possible, N - n - (s - r), 0.0), np.where(possible, s - r, 0.0)
    logs = gammaln(s + 1) - gammaln(r + 1) - gammaln(others + 1)
    logs += gammaln(N - s + 1) - gammaln(max(n - r, 0) + 1) - gammaln(rest + 1)
    logs -= gammaln(N + 1) - gammaln(n + 1) - gammaln(N - n + 1)
    return np.asarray(np.exp(np.where(possible, logs, -np.inf)))


def pitman(found: Frequencies, population: float) -> Estimate | None:
    """Population uniques of a Pitman model fitted by maximum likelihood (Hoshino 2001); None if the fit fails."""
    from scipy.special import gammaln

    if found.uniques == 0:
        return NOBODY_ALONE
    n, u = found.records, int(found.classes.sum())

    def parameters(z: Floats) -> tuple[float, float]:
        alpha = 1.0 / (1.0 + np.exp(-z[0]))
        return float(np.exp(z[1]) - alpha), float(alpha)

    def log_likelihood(z: Floats) -> float:
        theta, alpha = parameters(z)
        ratio = theta / alpha
        first = (u - 1) * np.log(alpha) + gammaln(ratio + u) - gammaln(ratio + 1)
        second = gammaln(theta + n) - gammaln(theta + 1)
        third = found.classes @ (gammaln(found.sizes - alpha) - gammaln(1 - alpha))
        return float(first - second + third)

    z = _maximise(log_likelihood, [np.array([a, b]) for a in (-2.0, 0.0, 2.0) for b in (0.0, np.log(u) / 2, np.log(u))])
    if z is None:
        return None
    theta, alpha = parameters(z)
    uniques = pitman_classes(np.ones(1), population, theta, alpha)[0]
    return Estimate(float(uniques), pitman_classes(np.array(SMALL_SIZES, dtype=np.float64), n, theta, alpha))


def pitman_classes(sizes: Floats, records: float, theta: float, alpha: float) -> Floats:
    """How many classes of these sizes a Pitman model expects among so many records (Pitman 1995)."""
    from scipy.special import gammaln

    possible = sizes <= records
    others = np.where(possible, records - sizes, 0.0)
    logs = gammaln(records + 1) - gammaln(sizes + 1) - gammaln(others + 1)
    logs += gammaln(theta + alpha + others) - gammaln(theta + alpha)
    logs += gammaln(sizes - alpha) - gammaln(1 - alpha)
    logs -= gammaln(theta + records) - gammaln(theta + 1)
    return np.asarray(np.exp(np.where(possible, logs, -np.inf)))


def slide_negative_binomial(found: Frequencies, population: float) -> Estimate | None:
    """Population uniques if class sizes are one plus a negative binomial number (Chen & Keller-McNulty 1998).

    Fitted by maximum likelihood to the classes seen in a sample with equal inclusion probabilities;
    None if the fit fails.
    """
    if found.uniques == 0:
        return NOBODY_ALONE
    pi = found.records / population
    u = int(found.classes.sum())

    def seen(z: Floats, size: Ints) -> tuple[Floats, float, float, float]:
        r, p = float(np.exp(z[0])), float(1.0 / (1.0 + np.exp(-z[1])))
        thinned = p / (p + pi * (1.0 - p))
        chance = (1 - pi) * _negative_binomial(size, r, thinned) + pi * _negative_binomial(size - 1, r, thinned)
        return chance, float((1 - pi) * thinned**r), r, p

    def log_likelihood(z: Floats) -> float:
        chance, unseen, _, _ = seen(z, found.sizes)
        if unseen >= 1.0 or (chance <= 0).any():
            return -np.inf
        return float(found.classes @ np.log(chance) - u * np.log1p(-unseen))

    z = _maximise(log_likelihood, [np.array([a, b]) for a in (-2.0, 0.0, 1.0) for b in (-6.0, -3.0, 0.0)])
    if z is None:
        return None
    chance, unseen, r, p = seen(z, np.array(SMALL_SIZES))
    classes = u / (1.0 - unseen)
    return Estimate(float(classes * p**r), classes * chance)


def _negative_binomial(k: Ints, r: float, p: float) -> Floats:
    from scipy.special import gammaln

    logs = gammaln(k + r) - gammaln(r) - gammaln(k + 1) + r * np.log(p) + k * np.log1p(-p)
    return np.asarray(np.exp(logs))


def _maximise(function: Callable[[Floats], float], starts: list[Floats]) -> Floats | None:
    from scipy.optimize import minimize

    best, where = -np.inf, None
    with np.errstate(all="ignore"):
        for start in starts:
            if not np.isfinite(function(start)):
                continue
            fit = minimize(lambda z: _cost(function, z), start, method="Nelder-Mead", options={"maxiter": 2000})
            if fit.success and -fit.fun > best:
                best, where = -float(fit.fun), np.asarray(fit.x)
    return where


def _cost(function: Callable[[Floats], float], z: Floats) -> float:
    value = function(z)
    return -value if np.isfinite(value) else 1e300
