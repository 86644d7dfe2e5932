"""New categories for records from a latent class regression, drawn or with exact counts in each class."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.kernels.assignment.sizes import assign_at_least
from microveil.kernels.latent.classes import LatentClassFit, design
from microveil.kernels.latent.prior import log_class_probabilities


def draw_classes(fit: LatentClassFit, x: Floats, generator: np.random.Generator, sizes: Ints | None = None) -> Ints:
    """A class for each record with probabilities p_g(x); with `sizes` each class gets exactly so many.

    With sizes the draws are the largest of log p_g(x) + Gumbel noise, changed where that costs least.
    """
    scores = log_class_probabilities(design(fit, x), fit.coefficients)
    # the largest of these is a draw from p: one way for both cases
    scores += generator.gumbel(size=scores.shape)
    return assign_at_least(scores, 0 if sizes is None else _checked_sizes(sizes, fit.classes, len(x)))


def draw_categories(fit: LatentClassFit, x: Floats, generator: np.random.Generator) -> Ints:
    """Categories for records x (n x J): a class from p_g(x), then each attribute by itself from pi of that class."""
    classes = draw_classes(fit, x, generator)
    members = [np.flatnonzero(classes == g) for g in range(fit.classes)]
    out = np.empty((len(x), len(fit.probabilities)), dtype=np.int64)
    for j, pi in enumerate(fit.probabilities):
        u = generator.random(len(x))
        for g, rows in enumerate(members):
            edges = np.cumsum(pi[g])
            out[rows, j] = np.searchsorted(edges[:-1], u[rows] * edges[-1], side="right")
    return out


def rearrange_categories(
    fit: LatentClassFit, x: Floats, codes: Ints, labels: Ints, generator: np.random.Generator
) -> Ints:
    """Categories for as many records x as there are originals, each class with the counts of its originals.

    `labels` are the classes of the originals. Each attribute's values of a class are dealt out in
    random order, each attribute by itself, to the records x drawn for that class: every univariate count inside every
    class, and so in the file, stays exactly as it was.
    """
    if len(x) != len(codes) or len(labels) != len(codes):
        raise BadInput(
            f"exact counts need one new record per original: {len(x)} new, {len(codes)} codes, {len(labels)} labels"
        )
    sizes = np.bincount(labels, minlength=fit.classes)
    drawn = draw_classes(fit, x, generator, sizes)
    out = np.empty_like(codes)
    for g in range(fit.classes):
        members, places = np.flatnonzero(labels == g), np.flatnonzero(drawn == g)
        for j in range(codes.shape[1]):
            out[places, j] = generator.permutation(codes[members, j])
    return out


def _checked_sizes(sizes: Ints, classes: int, n: int) -> Ints:
    if sizes.shape != (classes,) or sizes.min() < 0 or sizes.sum() != n:
        raise BadInput(f"sizes {sizes.tolist()} must be {classes} counts that add up to the {n} records")
    return sizes
