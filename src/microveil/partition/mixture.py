"""Groups that are components of a Gaussian mixture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from microveil.core.arrays import Floats, Labels, Matrix
from microveil.core.errors import BadInput
from microveil.core.parameters import Example, Range, Safer, When
from microveil.core.streams import Key, Streams
from microveil.partition.base import Partition, Standardise, check_matrix

Family = Literal[
    "EII", "VII", "EEI", "VEI", "EVI", "VVI", "EEE", "EEV", "VEV", "VVV", "VEE", "EVE", "VVE", "EVV"
]  # fmt: skip
CLASSIC: tuple[Family, ...] = ("EII", "VII", "EEI", "VEI", "EVI", "VVI", "EEE", "EEV", "VEV", "VVV")


@dataclass(frozen=True)
class MixtureFit:
    """The mixture behind a partition.

    `family`, `groups` and `bic` (larger is better) of the mixture chosen; `bics` of all that were tried, NaN for those
    left out because a component collapsed. `log_memberships`: log probability of every component (column) for every
    record (row); `labels`: the groups, of at least k records; `moved`: how many records are not in their most
    likely group, so that all have k; `degrees` of freedom of t components (infinite: normal); `fitted`: the number
    of records fitted on; `k`: the smallest size allowed.
    """

    family: str
    groups: int
    bic: float
    bics: Mapping[tuple[str, int], float]
    log_memberships: Matrix
    labels: Labels
    degrees: Floats
    fitted: int
    k: int

    @classmethod
    def one_group(cls, n: int, k: int, bics: Mapping[tuple[str, int], float] | None = None) -> MixtureFit:
        """All records in one group, without a model."""
        together = np.zeros(n, dtype=np.int64)
        return cls("none", 1, float("nan"), bics or {}, np.zeros((n, 1)), together, np.full(1, np.inf), n, k)

    @property
    def moved(self) -> int:
        """The records that had to leave their most likely group."""
        own = self.log_memberships[np.arange(len(self.labels)), self.labels]
        return int((own < self.log_memberships.max(axis=1)).sum())

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know about the choice, in sentences."""
        if self.family == "none":
            why = "every mixture collapsed" if self.bics else "no column varies"
            return (f"one cluster of {len(self.labels)} records: {why}",)
        smallest = int(np.bincount(self.labels).min())
        notes = [
            f"mixture {self.family} with {self.groups} cluster{'s' if self.groups > 1 else ''}, BIC {self.bic:.3f}"
            + (f" (fitted on {self.fitted} of {len(self.labels)} records)" if self.fitted < len(self.labels) else ""),
            f"the smallest cluster has {smallest} records; {self.moved} records left their most likely cluster for it",
        ]
        most = max(groups for _, groups in self.bics)
        if self.groups == most > 1:
            more = "raise max_groups" if (most + 1) * self.k < len(self.labels) else f"k={self.k} allows no more"
            notes.append(
                f"the best BIC is at the largest number of clusters tried, {most}, and more may fit better: {more}"
            )
        out = sum(bool(np.isnan(bic)) for bic in self.bics.values())
        if out:
            notes.append(f"{out} of {len(self.bics)} mixtures were left out: a component collapsed onto tied values")
        return tuple(notes)


@dataclass(frozen=True, kw_only=True)
class Mixture(Partition, name="mixture"):
    """Groups of at least k records that follow the components of a Gaussian mixture.

    Use it where the file consists of some large, roughly normal subpopulations; groups are few and of any size. The
    number of components and the family of their covariances (volume, shape and orientation equal, E, or varying, V;
    I: along the axes) have the highest BIC. The records are then assigned so that every group has k of them, at the
    highest total log probability. `floor` keeps the weights of the components up while they are estimated; this alone
    makes no group large enough, and without it the mixture follows the data more closely. Attributes count as they are
    (`standardise=None`): EII, VII, the families that turn one shape (EEV, VEV) or share axes (EVE, VVE), and the
    hierarchical start depend on units; standardise where units differ by orders of magnitude.
    Constant columns and linear combinations of others are left out of the fit.

    >>> X = [[float(i % 7), 100.0 * (i > 9)] for i in range(20)]
    >>> Mixture(k=5).labels(X, seed=1).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    """

    k: Annotated[
        int,
        Range(ge=2, grid=(20, 60), search=(10, 200), log=True),
        Safer("twice"),
        "smallest number of records in a group",
    ] = 60
    standardise: Standardise = None
    max_groups: Annotated[int, Range(ge=1, le=100, search=(2, 20)), "largest number of groups tried"] = 10
    families: Annotated[tuple[Family, ...], Example(["EII", "VVV"]), "covariance families tried"] = CLASSIC
    start: Annotated[Literal["hierarchical", "kmeans"], "where the fit begins"] = "hierarchical"
    floor: Annotated[
        bool,
        "keep the weights of components at k/n or more in every iteration; group sizes of at least k are guaranteed "
        "either way",
    ] = True
    component: Annotated[Literal["normal", "t"], "distribution of a component: normal, or with heavy tails"] = "normal"
    degrees: Annotated[
        float | None, Range(ge=1), When(component="t"), "degrees of freedom of t components; none: estimated"
    ] = None
    tolerance: Annotated[float, Range(gt=0), "relative change of the log-likelihood at which a fit stops"] = 1e-5
    subsample: Annotated[int, Range(ge=200), "records the mixtures are fitted on; of larger files a random part"] = 5000

    depends_on_processor: ClassVar[bool] = True
    random: ClassVar[bool] = True  # starts and parts of large files are drawn
    also_try = ({"start": "kmeans", "k": 20, "floor": False}, {"component": "t", "families": ("VVV", "EEE"), "k": 20})
    reference = "Fraley & Raftery 2002; Oganian & Domingo-Ferrer 2017"

    def validate(self) -> None:
        """Families are named once."""
        if not self.families or len(set(self.families)) < len(self.families):
            raise BadInput(f"families={list(self.families)}: name at least one family, and each once")

    def fit(self, X: ArrayLike, *, seed: int | str | bytes | Key | None = None) -> MixtureFit:
        """The mixture of the rows of a matrix with everything that was tried; `labels` gives its groups alone."""
        values = check_matrix(X, self.k, self.name)
        return self.fitted(self.on_common_scale(values), Streams(Key.of(seed)).at(self.name))

    def kernel(self, X: Matrix, streams: Streams) -> Labels:
        """The groups of a matrix."""
        return self.fitted(X, streams).labels

    def fitted(self, X: Matrix, streams: Streams) -> MixtureFit:
        """The mixture of a checked matrix."""
        from microveil.kernels.assignment.sizes import assign_at_least
        from microveil.kernels.mixture.em import log_memberships
        from microveil.kernels.mixture.search import free_columns, search_mixtures
        from microveil.kernels.mixture.tails import GAUSSIAN
        from microveil.kernels.moments.central import row_blocks

        n = len(X)
        most = max(1, min(self.max_groups, -(-n // self.k) - 1))  # k G < n, as the floor needs
        rows = _some_rows(n, self.subsample, streams.at("subsample").generator())
        columns = free_columns(X[rows])
        if not len(columns):
            return MixtureFit.one_group(n, self.k)
        centre = X.take(columns, axis=1).mean(axis=0)
        found = search_mixtures(
            X[rows].take(columns, axis=1) - centre,
            most,
            self.families,
            streams.at("start").generator(),
            start=self.start,
            floor=self.k / n if self.floor else 0.0,
            degrees=GAUSSIAN if self.component == "normal" else self.degrees,
            tolerance=self.tolerance,
        )
        if found.best is None:
            return MixtureFit.one_group(n, self.k, found.bics)
        log_z = np.empty((n, found.best.groups))
        for block in row_blocks(X):  # a whole matrix more would be the largest thing in memory
            log_z[block] = log_memberships(X[block].take(columns, axis=1) - centre, found.best)
        labels = np.asarray(assign_at_least(log_z, self.k), dtype=np.int64)
        best, used = found.best, min(n, self.subsample)
        return MixtureFit(best.family, best.groups, best.bic, found.bics, log_z, labels, best.degrees, used, self.k)


def _some_rows(n: int, most: int, generator: np.random.Generator) -> Any:
    return slice(None) if n <= most else np.sort(generator.choice(n, most, replace=False))
