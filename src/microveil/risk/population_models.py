"""How many classes of size one a population has, estimated from the class sizes of a sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints


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


def zayatz(found: Frequencies, population: float) -> float:
    """Population uniques if the population's class sizes are distributed as the sample's (Zayatz 1991)."""
    n, N = found.records, population
    if found.uniques == 0:
        return 0.0
    # the probability that exactly one of the s members of a class is drawn
    share = found.classes / found.classes.sum() * _one_drawn(found.sizes.astype(np.float64), n, N)
    probability = share[found.sizes == 1].sum() / share.sum()
    return float(found.uniques * probability * N / n)


def _one_drawn(s: Floats, n: int, N: float) -> Floats:
    from scipy.special import gammaln

    possible = s - 1 <= N - n
    rest = np.where(possible, N - n - (s - 1), 0.0)
    # s n (N - n)! (N - s)! / (rest! N!) with N - s - (n - 1) = rest
    logs = np.log(s) + np.log(n) + gammaln(N - n + 1) - gammaln(rest + 1) + gammaln(N - s + 1) - gammaln(N + 1)
    return np.where(possible, np.exp(logs), 0.0)


def pitman(found: Frequencies, population: float) -> float | None:
    """Population uniques of a Pitman model fitted by maximum likelihood (Hoshino 2001); None if the fit fails."""
    from scipy.special import gammaln

    if found.uniques == 0:
        return 0.0
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
    N = population
    logs = np.log(N) + gammaln(theta + alpha + N - 1) - gammaln(theta + alpha) + gammaln(theta + 1) - gammaln(theta + N)
    return float(np.exp(logs))


def slide_negative_binomial(found: Frequencies, population: float) -> float | None:
    """Population uniques if class sizes are one plus a negative binomial number (Chen & Keller-McNulty 1998).

    Fitted by maximum likelihood to the classes seen in a sample with equal inclusion probabilities;
    None if the fit fails.
    """
    if found.uniques == 0:
        return 0.0
    pi = found.records / population
    u = int(found.classes.sum())

    def seen(z: Floats) -> tuple[Floats, float, float, float]:
        r, p = float(np.exp(z[0])), float(1.0 / (1.0 + np.exp(-z[1])))
        thinned = p / (p + pi * (1.0 - p))
        size = found.sizes
        chance = (1 - pi) * _negative_binomial(size, r, thinned) + pi * _negative_binomial(size - 1, r, thinned)
        return chance, float((1 - pi) * thinned**r), r, p

    def log_likelihood(z: Floats) -> float:
        chance, unseen, _, _ = seen(z)
        if unseen >= 1.0 or (chance <= 0).any():
            return -np.inf
        return float(found.classes @ np.log(chance) - u * np.log1p(-unseen))

    z = _maximise(log_likelihood, [np.array([a, b]) for a in (-2.0, 0.0, 1.0) for b in (-6.0, -3.0, 0.0)])
    if z is None:
        return None
    _, unseen, r, p = seen(z)
    return float(u / (1.0 - unseen) * p**r)


def _negative_binomial(k: Ints, r: float, p: float) -> Floats:
    from scipy.special import gammaln

    logs = gammaln(k + r) - gammaln(r) - gammaln(k + 1) + r * np.log(p) + k * np.log1p(-p)
    return np.asarray(np.exp(logs))


def dankar(found: Frequencies, population: float) -> tuple[str, float]:
    """The estimator of Dankar et al. 2012 for this sampling fraction: its name and its estimate."""
    by_zayatz = zayatz(found, population)
    if found.records <= 0.1 * population:
        by_pitman = pitman(found, population)
        return ("zayatz", by_zayatz) if by_pitman is None else ("pitman", by_pitman)
    by_snb = slide_negative_binomial(found, population)
    return ("zayatz", by_zayatz) if by_snb is None or by_zayatz <= by_snb else ("snb", by_snb)


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
