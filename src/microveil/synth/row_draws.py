"""Random numbers for records that are drawn: one after the other, or by where each record stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.streams import Streams


class Draws(Protocol):
    """Random numbers for some records, and products that go with them.

    What asks for numbers more than once does so `at` a name of its own each time: by place they would be the same.
    """

    def at(self, *what: str | int) -> Draws:
        """Numbers for something else."""

    def of_rows(self, rows: Ints) -> Draws:
        """Numbers for some of the records."""

    def uniforms(self, records: int) -> Floats:
        """Uniform numbers."""

    def normals(self, records: int) -> Floats:
        """Standard normal numbers."""

    def gammas(self, shape: float, scale: float, records: int) -> Floats:
        """Numbers of a gamma distribution."""

    def poissons(self, means: Floats) -> Floats:
        """Counts of these means."""

    def product(self, W: Floats, coefficients: Floats) -> Floats:
        """The rows of a design times a vector or a matrix of coefficients."""


@dataclass(frozen=True)
class InTurn:
    """One generator for all records, which are drawn together."""

    generator: np.random.Generator

    def at(self, *what: str | int) -> InTurn:
        """The same generator: what is asked for next are other numbers."""
        return self

    def of_rows(self, rows: Ints) -> InTurn:
        """The same generator."""
        return self

    def uniforms(self, records: int) -> Floats:
        """Uniform numbers."""
        return self.generator.random(records)

    def normals(self, records: int) -> Floats:
        """Standard normal numbers."""
        return self.generator.standard_normal(records)

    def gammas(self, shape: float, scale: float, records: int) -> Floats:
        """Numbers of a gamma distribution."""
        return self.generator.gamma(shape, scale, size=records)

    def poissons(self, means: Floats) -> Floats:
        """Counts of these means."""
        return self.generator.poisson(means).astype(np.float64)

    def product(self, W: Floats, coefficients: Floats) -> Floats:
        """By linear algebra."""
        return np.asarray(W @ coefficients)


@dataclass(frozen=True)
class ByPlace:
    """Numbers that follow from the place of each record: no other record and no cut of the file matters to them."""

    streams: Streams

    def at(self, *what: str | int) -> ByPlace:
        """The streams further down."""
        return ByPlace(self.streams.at(*what))

    def of_rows(self, rows: Ints) -> ByPlace:
        """The streams for some of the records."""
        return ByPlace(self.streams.of_rows(rows))

    def uniforms(self, records: int) -> Floats:
        """Uniform numbers."""
        return np.ascontiguousarray(self.streams.uniforms(0, records)[:, 0])

    def normals(self, records: int) -> Floats:
        """Standard normal numbers."""
        return np.ascontiguousarray(self.streams.normals(0, records)[:, 0])

    def gammas(self, shape: float, scale: float, records: int) -> Floats:
        """By inversion."""
        from scipy.special import gammaincinv

        return np.asarray(scale * gammaincinv(shape, self.uniforms(records)))

    def poissons(self, means: Floats) -> Floats:
        """By inversion."""
        from microveil.kernels.regression.counts import poisson_quantiles

        return poisson_quantiles(self.uniforms(len(means)), means)

    def product(self, W: Floats, coefficients: Floats) -> Floats:
        """Every row by the same operations, however many there are: linear algebra takes others for the last ones."""
        from microveil.kernels.fixed.products import times

        if coefficients.ndim == 1:
            return times(W, coefficients[:, None])[:, 0]
        return times(W, coefficients)
