"""Groups that are components of a Gaussian mixture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from microveil.core.arrays import Floats, Labels, Matrix
from microveil.core.errors import BadInput
from microveil.core.parameters import Example, Range, Safer, When
from microveil.core.streams import Key, Streams
from microveil.partition.base import Partition, Standardise, check_matrix
from microveil.partition.mixture_model import MixtureModel, Points, tell_choice, tell_one_group, tell_search

if TYPE_CHECKING:
    from microveil.kernels.mixture.search import Search

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
        n = len(self.labels)
        if self.family == "none":
            return (tell_one_group(n, self.bics),)
        smallest = int(np.bincount(self.labels).min())
        return (
            tell_choice(self.family, self.groups, self.bic, self.fitted, n),
            f"the smallest cluster has {smallest} records; {self.moved} records left their most likely cluster for it",
            *tell_search(self.bics, self.groups, self.k, n),
        )


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
        from microveil.kernels.mixture.search import free_columns
        from microveil.kernels.moments.central import row_blocks

        n = len(X)
        rows = _some_rows(n, self.subsample, streams.at("subsample").generator())
        columns = free_columns(X[rows])
        if not len(columns):
            return MixtureFit.one_group(n, self.k)
        centre = X.take(columns, axis=1).mean(axis=0)
        found = self._search(X[rows].take(columns, axis=1) - centre, n, streams)
        if found.best is None:
            return MixtureFit.one_group(n, self.k, found.bics)
        log_z = np.empty((n, found.best.groups))
        for block in row_blocks(X):  # a whole matrix more would be the largest thing in memory
            log_z[block] = log_memberships(X[block].take(columns, axis=1) - centre, found.best)
        labels = np.asarray(assign_at_least(log_z, self.k), dtype=np.int64)
        best, used = found.best, min(n, self.subsample)
        return MixtureFit(best.family, best.groups, best.bic, found.bics, log_z, labels, best.degrees, used, self.k)

    def model(self, part: Matrix, records: int, streams: Streams) -> MixtureModel:
        """The mixture of a file of so many records, fitted on a random part of them, whose scale is taken for all."""
        from microveil.kernels.mixture.em import densities_of
        from microveil.kernels.mixture.search import free_columns
        from microveil.kernels.moments.scales import standardise

        scaled = standardise(part, self.standardise)
        columns = free_columns(scaled.values)
        inside = scaled.values.take(columns, axis=1)
        points = Points(scaled.centre, scaled.scale, columns, inside.mean(axis=0))
        if not len(columns):
            return MixtureModel(None, {}, len(part), points, None)
        found = self._search(inside - points.middle, records, streams)
        densities = None if found.best is None else densities_of(found.best)
        return MixtureModel(found.best, found.bics, len(part), points, densities)

    def _search(self, X: Matrix, records: int, streams: Streams) -> Search:
        from microveil.kernels.mixture.search import search_mixtures
        from microveil.kernels.mixture.tails import GAUSSIAN

        return search_mixtures(
            X,
            max(1, min(self.max_groups, -(-records // self.k) - 1)),  # k G < n, as the floor needs
            self.families,
            streams.at("start").generator(),
            start=self.start,
            floor=self.k / records if self.floor else 0.0,
            degrees=GAUSSIAN if self.component == "normal" else self.degrees,
            tolerance=self.tolerance,
        )


def _some_rows(n: int, most: int, generator: np.random.Generator) -> Any:
    return slice(None) if n <= most else np.sort(generator.choice(n, most, replace=False))
