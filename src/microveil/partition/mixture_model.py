"""A mixture that was fitted on some records, and what is to be told of its choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from microveil.core.arrays import Floats, Ints, Labels, Matrix

if TYPE_CHECKING:
    from microveil.kernels.mixture.em import Densities, Fit


@dataclass(frozen=True)
class Points:
    """How records become points: columns on a common scale (0: constant), those that count, less their middle."""

    centre: Floats
    scale: Floats
    columns: Ints
    middle: Floats

    def of(self, X: Matrix) -> Matrix:
        """The points of some records."""
        own = self.columns
        scale = np.where(self.scale > 0, self.scale, 1.0)
        return np.ascontiguousarray((X.take(own, axis=1) - self.centre[own]) / scale[own] - self.middle)


@dataclass(frozen=True)
class MixtureModel:
    """A mixture fitted on some records, which says of any record by itself in which component it most likely is.

    `best` is None where there is one group without a model.
    """

    best: Fit | None
    bics: Mapping[tuple[str, int], float]
    fitted: int  # records it was fitted on
    points: Points
    densities: Densities | None

    @classmethod
    def one_group(cls, fitted: int) -> MixtureModel:
        """One group, whatever the records are."""
        none = np.zeros(0)
        return cls(None, {}, fitted, Points(none, none, np.zeros(0, dtype=np.int64), none), None)

    @property
    def groups(self) -> int:
        """The number of components."""
        return 1 if self.best is None else self.best.groups

    @property
    def degrees(self) -> Floats:
        """The degrees of freedom of each component."""
        return np.full(1, np.inf) if self.best is None else self.best.degrees

    def memberships(self, X: Matrix) -> Matrix:
        """The probability of every component (column) for every record (row)."""
        from microveil.kernels.mixture.em import log_memberships

        return np.ones((len(X), 1)) if self.best is None else np.exp(log_memberships(self.points.of(X), self.best))

    def most_likely(self, X: Matrix) -> Labels:
        """The component of each record; the lowest of several that are as likely."""
        from microveil.kernels.moments.central import row_blocks

        labels = np.zeros(len(X), dtype=np.int64)
        if self.densities is not None:
            for block in row_blocks(X):
                labels[block] = self._joint(self.points.of(X[block])).argmax(axis=1)
        return labels

    def at_means(self) -> Matrix:
        """The log of weight times density of every component (column) at the mean of every component (row)."""
        return np.zeros((1, 1)) if self.densities is None else self._joint(self.densities.means)

    def notes(self, records: int, k: int) -> tuple[str, ...]:
        """What a user should know about the choice for a file of so many records, in sentences."""
        if self.best is None:
            return (tell_one_group(records, self.bics),)
        chosen = tell_choice(self.best.family, self.groups, self.best.bic, self.fitted, records)
        return (chosen, *tell_search(self.bics, self.groups, k, records))

    def _joint(self, points: Matrix) -> Matrix:
        from microveil.kernels.mixture.em import log_joint_into

        assert self.densities is not None
        out = np.empty((len(points), self.groups))
        log_joint_into(points, self.densities, out)
        return out


def tell_choice(family: str, groups: int, bic: float, fitted: int, records: int) -> str:
    """Which mixture was chosen, and on how many of the records it was fitted."""
    on = f" (fitted on {fitted} of {records} records)" if fitted < records else ""
    return f"mixture {family} with {groups} cluster{'s' if groups > 1 else ''}, BIC {bic:.3f}{on}"


def tell_one_group(records: int, bics: Mapping[tuple[str, int], float]) -> str:
    """Why there is one cluster without a mixture."""
    return f"one cluster of {records} records: {'every mixture collapsed' if bics else 'no column varies'}"


def tell_search(bics: Mapping[tuple[str, int], float], groups: int, k: int, records: int) -> list[str]:
    """Whether more clusters may have fitted better, and which mixtures were left out."""
    notes = []
    most = max(tried for _, tried in bics)
    if groups == most > 1:
        more = "raise max_groups" if (most + 1) * k < records else f"k={k} allows no more"
        notes.append(
            f"the best BIC is at the largest number of clusters tried, {most}, and more may fit better: {more}"
        )
    out = sum(bool(np.isnan(bic)) for bic in bics.values())
    if out:
        notes.append(f"{out} of {len(bics)} mixtures were left out: a component collapsed onto tied values")
    return notes
