"""Latent class regression: categories that depend on continuous attributes through hidden classes.

The model: record i is in class g with probability p_g(x_i) = softmax(Gamma_g' [1, x_i]), and inside a class its
categories are independent, attribute j takes category c with probability pi_jcg (Dayton & Macready 1988;
Bandeen-Roche et al. 1997). Oganian & Domingo-Ferrer 2017, section 6, use it to give categories to locally
synthesised records; a floor under the mean memberships keeps classes from becoming smaller than k.

How the parts fit together, for n records x (n x d, d may be 0) and codes (n x J, 0..C_j - 1; a missing category is
one more level of its own):

    fit = fit_latent_classes(x, codes, levels, G, generator=generator, k=k, start=memberships_of_a_mixture)
    new = draw_categories(fit, new_x, generator)                       # counts at random, or exact:
    labels = assign_at_least(log_memberships(fit, x, codes), k)        # classes of the originals
    new = rearrange_categories(fit, new_x, codes, labels, generator)   # counts of every class kept

A fit on a sample serves all records: `log_memberships` and the draws take any x.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.compiling import compiled
from microveil.core.errors import BadInput
from microveil.kernels.latent.floor import floor_memberships
from microveil.kernels.latent.prior import improve_coefficients, log_class_probabilities
from microveil.kernels.mixture.passes import normalise_rows
from microveil.kernels.moments.scales import standardise

_SHORT_RUN = 15  # iterations by which starts are compared
_LARGE = 10_000  # records at most that random starts use


class LatentClassFit(NamedTuple):
    """A fitted model of G classes.

    `coefficients`: Gamma, G x (1 + d) for standardised x, zeros for the first class. `centre` and `scale` of x.
    `probabilities`: pi of each attribute, G x C_j. `weights`: mean memberships, at least k/n. `path`: the penalised
    log-likelihood after every iteration, never falling where no floor is at work; `log_likelihood` is without the
    penalties. `bic` is larger for better models.
    """

    coefficients: Floats
    centre: Floats
    scale: Floats
    probabilities: tuple[Floats, ...]
    weights: Floats
    log_likelihood: float
    bic: float
    path: tuple[float, ...]

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.weights)


def fit_latent_classes(
    x: Floats,
    codes: Ints,
    levels: tuple[int, ...],
    classes: int,
    *,
    generator: np.random.Generator | None = None,
    start: Floats | Ints | None = None,
    starts: int = 5,
    k: int = 0,
    smoothing: float | None = None,
    ridge: float = 1e-4,
    tolerance: float = 1e-8,
    iterations: int = 500,
) -> LatentClassFit:
    """Latent class regression of categories on x by EM, with mean memberships of at least k/n.

    `levels` are the numbers of categories C_j. It starts from `start`, memberships (n x G) or labels (n), or from the
    best of several random models of the `generator`. `smoothing` is added to each count of a category in a class
    (1/C_j by default), `ridge` keeps Gamma finite where classes are separated. It stops when the penalised
    log-likelihood changes by less than `tolerance` relative to itself.
    """
    problem = _Problem(x, codes, levels, classes, k, smoothing, ridge)
    if start is not None:
        return problem.run(_memberships_of(start, len(x), classes), tolerance, iterations)
    if classes == 1:
        return problem.run(np.ones((len(x), 1)), tolerance, iterations)
    if generator is None:
        raise BadInput("latent classes need a generator for random starts, or memberships or labels to start from")
    if starts < 1:
        raise BadInput(f"starts must be 1 or more; {starts} was given")
    few = problem
    if len(x) > _LARGE:
        # most iterations on a part of the records: they lead near the maximum of all
        part = slice(None, None, -(-len(x) // _LARGE))
        few = _Problem(x[part], codes[part], levels, classes, 0, smoothing, ridge)
    tried = [few.random_memberships(generator) for _ in range(starts)]
    if starts > 1:
        tried.sort(key=lambda z: -few.run(z, tolerance, _SHORT_RUN).path[-1])
    fit = few.run(tried[0], tolerance, iterations)
    return fit if few is problem else problem.run(np.exp(log_memberships(fit, x, codes)), tolerance, iterations)


def log_memberships(fit: LatentClassFit, x: Floats, codes: Ints) -> Floats:
    """Log of the posterior class probabilities z_ig of records given x and categories; n x G."""
    log_z = log_class_probabilities(design(fit, x), fit.coefficients)
    _add_categories(log_z, np.ascontiguousarray(codes), *_stacked_logs(fit.probabilities))
    normalise_rows(log_z)
    return log_z


def design(fit: LatentClassFit, x: Floats) -> Floats:
    """[1, x] with x on the scale of the fit."""
    scale = np.where(fit.scale > 0, fit.scale, 1.0)
    return np.column_stack([np.ones(len(x)), (x - fit.centre) / scale * (fit.scale > 0)])


class _Problem:
    """What stays the same over EM iterations."""

    def __init__(
        self,
        x: Floats,
        codes: Ints,
        levels: tuple[int, ...],
        classes: int,
        k: int,
        smoothing: float | None,
        ridge: float,
    ) -> None:
        _check(x, codes, levels, classes, k, smoothing, ridge)
        scaled = standardise(x)
        self.centre, self.scale = scaled.centre, scaled.scale
        self.W = np.column_stack([np.ones(len(x)), scaled.values])
        self.codes, self.levels, self.classes, self.k, self.ridge = (
            np.ascontiguousarray(codes),
            levels,
            classes,
            k,
            ridge,
        )
        self.first = np.concatenate([[0], np.cumsum(levels)]).astype(np.int64)
        self.smoothing = np.concatenate([np.full(C, 1 / C if smoothing is None else smoothing) for C in levels])

    def random_memberships(self, generator: np.random.Generator) -> Floats:
        """Posterior memberships under random category probabilities."""
        z = np.zeros((len(self.W), self.classes))
        drawn = [generator.dirichlet(np.ones(C), size=self.classes) for C in self.levels]
        _add_categories(z, self.codes, np.log(np.vstack([p.T for p in drawn]) + 1e-9), self.first)
        normalise_rows(z)
        return np.exp(z)

    def run(self, z: Floats, tolerance: float, iterations: int) -> LatentClassFit:
        """EM from memberships."""
        coefficients = np.zeros((self.classes, self.W.shape[1]))
        log_p = log_class_probabilities(self.W, coefficients)
        path: list[float] = []
        z = floor_memberships(z, self.k)
        while True:
            log_pi = self.category_logs(z)
            coefficients, log_p = improve_coefficients(self.W, z, coefficients, log_p, self.ridge)
            log_z = log_p.copy()
            _add_categories(log_z, self.codes, log_pi, self.first)
            likelihood = normalise_rows(log_z)
            z = floor_memberships(np.exp(log_z, out=log_z), self.k)
            penalty = self.ridge / 2 * float(np.vdot(coefficients, coefficients)) - float(
                self.smoothing @ log_pi.sum(1)
            )
            path.append(likelihood - penalty)
            flat = len(path) > 1 and abs(path[-1] - path[-2]) <= tolerance * (1 + abs(path[-1]))
            if flat or len(path) == iterations:
                break
        probabilities = tuple(np.exp(part.T) for part in np.split(log_pi, self.first[1:-1]))
        bic = 2 * likelihood - self.parameters * np.log(len(z))
        return LatentClassFit(
            coefficients,
            self.centre,
            self.scale,
            probabilities,
            z.mean(axis=0),
            likelihood,
            float(bic),
            tuple(path),
        )

    def penalty(self, coefficients: Floats, log_pi: Floats) -> float:
        """What smoothing and ridge add to the log-likelihood: logs of their prior densities."""
        return float(self.smoothing @ log_pi.sum(axis=1)) - self.ridge / 2 * float(np.vdot(coefficients, coefficients))

    @property
    def parameters(self) -> int:
        """The number of free parameters."""
        G = self.classes
        return int((G - 1) * self.W.shape[1] + G * sum(C - 1 for C in self.levels))

    def category_logs(self, z: Floats) -> Floats:
        """Log pi, all categories below one another x G; sums over the categories of an attribute are 1."""
        counts = np.zeros((int(self.first[-1]), self.classes))
        _add_counts(counts, z, self.codes, self.first)
        counts += self.smoothing[:, None]
        for low, high in zip(self.first[:-1], self.first[1:], strict=True):
            counts[low:high] /= counts[low:high].sum(axis=0)
        return np.log(counts)


def _memberships_of(start: Floats | Ints, n: int, classes: int) -> Floats:
    if start.shape == (n, classes) and np.isfinite(start).all() and start.min() >= 0 and start.sum(axis=1).min() > 0:
        return np.asarray(start / start.sum(axis=1, keepdims=True))
    if start.shape == (n,) and np.issubdtype(start.dtype, np.integer) and start.min() >= 0 and start.max() < classes:
        return np.asarray(start[:, None] == np.arange(classes), dtype=np.float64)
    raise BadInput(
        f"start has shape {start.shape}; give memberships of shape ({n}, {classes}) or {n} labels 0..{classes - 1}"
    )


def _check(
    x: Floats, codes: Ints, levels: tuple[int, ...], classes: int, k: int, smoothing: float | None, ridge: float
) -> None:
    n = len(x)
    if x.ndim != 2 or codes.shape != (n, len(levels)) or n == 0 or not levels:
        raise BadInput(f"x of shape {x.shape}, codes of shape {codes.shape}, {len(levels)} level counts do not fit")
    if not np.isfinite(x).all():
        raise BadInput("x has missing or infinite values; latent class regression needs complete records")
    if codes.min() < 0 or (codes.max(axis=0) >= np.asarray(levels)).any():
        raise BadInput("codes must be 0..C_j - 1 in every attribute; give missing a level of its own")
    if classes < 1:
        raise BadInput(f"classes must be 1 or more; {classes} was given")
    if k < 0:
        raise BadInput(f"k must be 0 or more; {k} was given")
    if k * classes > n or (classes > 1 and k * classes == n):
        raise BadInput(f"{classes} classes of at least k={k} need more than {k * classes} records: {n} given")
    if smoothing is not None and not smoothing > 0:
        raise BadInput(f"smoothing must be more than 0; {smoothing} was given")
    if not ridge > 0:
        raise BadInput(f"ridge must be more than 0; {ridge} was given")


def _stacked_logs(probabilities: tuple[Floats, ...]) -> tuple[Floats, Ints]:
    first = np.concatenate([[0], np.cumsum([p.shape[1] for p in probabilities])]).astype(np.int64)
    return np.log(np.ascontiguousarray(np.vstack([p.T for p in probabilities]))), first


@compiled
def _add_categories(log_z: Floats, codes: Ints, log_pi: Floats, first: Ints) -> None:
    """Add log pi of the categories of each record."""
    n, G = log_z.shape
    for i in range(n):
        for j in range(codes.shape[1]):
            row = first[j] + codes[i, j]
            for g in range(G):
                log_z[i, g] += log_pi[row, g]


@compiled
def _add_counts(counts: Floats, z: Floats, codes: Ints, first: Ints) -> None:
    """Add the memberships of the records of each category."""
    n, G = z.shape
    for i in range(n):
        for j in range(codes.shape[1]):
            row = first[j] + codes[i, j]
            for g in range(G):
                counts[row, g] += z[i, g]
