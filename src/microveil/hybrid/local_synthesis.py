"""Hybrid records by synthesis inside the components of a mixture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, CovariancesKept, EditHolds, GroupsAtLeast, MeansKept, ValuesKept
from microveil.claims.guarantee import GroupAnonymity, Way
from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.errors import NotEnoughRecords
from microveil.core.open_types import Stated
from microveil.core.parameters import Example, Range, Safer, When
from microveil.data.matrices import indicators, split_columns
from microveil.data.table import Table, Values
from microveil.hybrid.base import Hybrid
from microveil.hybrid.gap_patterns import by_patterns, each_pattern, rare_patterns
from microveil.hybrid.groups import tell_moved_moments, tell_unchanged_in_groups
from microveil.hybrid.local_categories import count_classes, local_categories
from microveil.hybrid.local_columns import by_kind
from microveil.hybrid.local_models import fit_models
from microveil.hybrid.local_pieces import Drawn, LocalPieces, deal
from microveil.partition.base import Standardise
from microveil.partition.mixture import CLASSIC, Family, Mixture, MixtureFit
from microveil.run.by_cuts import ByCuts, Cuts
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome
from microveil.run.random_part import gather_part
from microveil.synth import FeasibleRotation

Redrawn = tuple[dict[str, Values], tuple[str, ...]]  # new columns, and notes on them

_FREEDOM = 2  # free dimensions without which the original would come back
_TIMES = 4  # of the least cluster in a piece at most, so that a cluster that is cut has pieces that are large enough
MOST_TOGETHER = 1_000_000  # records that a piece may be made to hold


@dataclass(frozen=True, kw_only=True)
class LocalSynthesis(ByCuts, Hybrid, name="local-synthesis"):
    """Find clusters by a Gaussian mixture and draw new records inside each, with its means and covariances.

    Use it for files made of some large subpopulations: clusters are few, of at least k records, and near normal, so
    that drawing them anew loses little. Means and covariances of the numbers, also those with kept columns, are
    exact in every cluster and in every union of clusters. A record belongs no more to its original than to the others
    of its cluster. Categories follow by latent class regression on the new numbers; a gap among them is a category.
    Clusters are drawn as normal where they are and with heavy tails where they have these, above all clusters filled
    up to k. Attributes count as they are unless `standardise` says otherwise. Where the data have edits, the records of
    a cluster are turned inside these instead (feasible-rotation), with the same exact moments. A file of more than
    `piece` records is redrawn one cluster after the other, and a larger cluster in pieces to which its records are
    dealt at random: each piece is a group with its own exact moments (and counts). There a cluster that is too small
    joins the one that is most likely at its mean; in smaller files single records fill it up.
    """

    k: Annotated[
        int,
        Range(ge=3, grid=(20, 60), search=(10, 200), log=True),
        Safer("twice"),
        "smallest number of records in a cluster",
    ] = 60
    max_groups: Annotated[int, Range(ge=1, le=100, search=(2, 20)), "largest number of clusters tried"] = 10
    families: Annotated[tuple[Family, ...], Example(["EII", "VVV"]), "covariance families tried"] = CLASSIC
    start: Annotated[Literal["hierarchical", "kmeans"], "where the fit of the mixture begins"] = "hierarchical"
    floor: Annotated[
        bool,
        "keep the weights of clusters at k/n or more in every iteration; group sizes of at least k are "
        "guaranteed either way",
    ] = True
    standardise: Standardise = None
    component: Annotated[Literal["normal", "t"], "distribution of a cluster: normal, or with heavy tails"] = "normal"
    degrees: Annotated[
        float | None, Range(ge=1), When(component="t"), "degrees of freedom of t clusters; none: estimated"
    ] = None
    tails: Annotated[
        Literal["fitted", "component"],
        "tails of the records drawn: fitted to each cluster as it is, or those of the mixture's components",
    ] = "fitted"
    subsample: Annotated[int, Range(ge=200), "records the models are fitted on; of larger files a random part"] = 5000
    piece: Annotated[
        int,
        Range(ge=50, le=MOST_TOGETHER),
        "records that are redrawn together at most, or four times what a cluster needs where that is more: a larger "
        "cluster is redrawn in pieces",
    ] = 131_072
    classes: Annotated[
        int | None, Range(ge=1), "latent classes of the categories; none: as many as clusters, or the best by BIC"
    ] = None
    counts: Annotated[
        Literal["random", "exact"], "categories are drawn, or each has its original counts in every latent class"
    ] = "random"
    jitter_moments: Annotated[
        float,
        Range(ge=0),
        Safer("twice", start=0.5),
        "uncertainty, in standard deviations of the cluster, left to an intruder who knows all its other members; 0 "
        "keeps moments exact",
    ] = 0.0

    passes: ClassVar[Passes] = "blocks"
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    conditions: ClassVar[bool] = True
    keeps_others: ClassVar[bool] = False
    skips_missing: ClassVar[bool] = True
    depends_on_processor: ClassVar[bool] = True
    example: ClassVar[Stated] = {"k": 20}
    also_try = (
        {"component": "t", "tails": "component", "counts": "exact", "families": ("VVV", "VVI")},
        {"k": 20, "start": "kmeans", "floor": False, "jitter_moments": 0.2},
    )
    reference = "Oganian & Domingo-Ferrer 2017"

    def validate(self) -> None:
        """The mixture's own checks."""
        _ = self.mixture

    @property
    def mixture(self) -> Mixture:
        """The partition that forms the clusters."""
        return self._mixture(self.k)

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Moments of numbers; clusters of k."""
        return (*self._moments(), GroupsAtLeast(k=self.k))

    def anonymity(self, kinds: Mapping[str, str], telling: tuple[str, ...]) -> GroupAnonymity | None:
        """Records of a cluster are alike, unless kept columns tell them apart."""
        moments = ("means", "covariances") if "continuous" in kinds.values() else ()
        counts = ("counts of categories",) if self.counts == "exact" and set(kinds.values()) != {"continuous"} else ()
        way: Way | None = None if telling else "exchangeable records"
        if self.jitter_moments:
            return GroupAnonymity(self.k, way, counts, moments, self.jitter_moments)
        return GroupAnonymity(self.k, way, (*moments, *counts))

    def leaves_out(self, table: Table, given: Table) -> Bools:
        """Records whose gaps are shared by fewer than a cluster needs."""
        replaced = sum(values.levels is None for values in table.columns.values())
        return rare_patterns(table, given, max(self.k, self._needed(replaced, indicators(given, table.rows).shape[1])))

    def run(self, table: Table, job: Job) -> Outcome:
        """Clusters and new records, in pieces where there are many; records with gaps among those with the same."""
        return self.run_whole(table, job) if table.rows <= self.piece else each_pattern(super().run, table, job)

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Clusters and new records; records with gaps among those with the same."""
        return by_patterns(self._run, table, job)

    def _run(self, table: Table, job: Job) -> Outcome:
        """All records."""
        numbers, others = by_kind(table)
        S = indicators(job.given, table.rows)
        # matrices are made where they are needed, and no longer: large files need the room
        fit, notes = self._clusters(numbers.matrix(), S, job)
        if not others.names:
            fit = replace(fit, log_memberships=np.empty((0, fit.groups)))

        def categories(x: Floats, new_x: Floats) -> Redrawn:
            return self._categories(others, np.hstack([x, S]), np.hstack([new_x, S]), fit, job)

        found = self._drawn(table, job, S, fit.labels, fit.degrees, categories)
        tails = ", ".join("normal" if np.isinf(nu) else f"{nu:.1f}" for nu in found.degrees)
        if np.isfinite(found.degrees).any():
            notes += (f"degrees of freedom of the clusters: {tails}",)
        if self.jitter_moments > 0:
            notes += tell_moved_moments(numbers, found.columns, fit.labels)
        came = _came_back(table, found.columns, numbers.names, fit.labels)
        return Outcome(found.columns, fit.labels, notes=(*notes, *found.notes, *came), claims=found.claims)

    def cuts(self, table: Table, job: Job) -> LocalPieces | None:
        """The clusters of a file of more than `piece` records, and their pieces."""
        if table.rows <= self.piece:
            return None
        part = gather_part(table, job, self.subsample, "part")
        replaced = len(by_kind(table)[0].names)
        kept = sum(len(part.seen[name]) - 1 if name in part.seen else 1 for name in job.given.names)
        k, notes = self._enough(table.rows, replaced, kept)
        most = max(self.piece, min(_TIMES * k, MOST_TOGETHER))
        if table.rows <= most:
            return None
        mixture = self._mixture(k)
        models = part.once("models", lambda: fit_models(part, table, job, mixture, classes=self.classes, k=self.k))
        if replaced:
            notes += models.mixture.notes(table.rows, k)
        if replaced and self.jitter_moments > 0:
            notes += ("jitter moved means and covariances of every piece",)
        return deal(table, job, models, part, k, most, notes)

    def run_block(self, table: Table, job: Job, cuts: Cuts) -> Outcome:
        """The records of one piece, which are one group of one cluster: the first record tells of which."""
        assert isinstance(cuts, LocalPieces)
        first = slice(0, 1)
        degrees = cuts.degrees[cuts.clusters_of(table.take(first), job.given.take(first))]
        S, labels = indicators(job.given, table.rows), np.zeros(table.rows, dtype=np.int64)

        def categories(x: Floats, new_x: Floats) -> Redrawn:
            return cuts.new_categories(table, job, x, new_x, k=self.k, exact=self.counts == "exact"), ()

        return cuts.counted(table, self._drawn(table, job, S, labels, degrees, categories))

    def _drawn(
        self,
        table: Table,
        job: Job,
        S: Floats,
        labels: Ints,
        degrees: Floats,
        categories: Callable[[Floats, Floats], Redrawn],
    ) -> Drawn:
        """Numbers inside clusters, then categories from the new numbers."""
        numbers, others = by_kind(table)
        inside = self._inside_rules(numbers, labels, job)
        said: tuple[str, ...] = ()
        if inside is None:
            columns, degrees = self._redrawn(numbers, S, labels, degrees, job)
        else:
            columns, said, degrees = dict(inside.columns), inside.notes, np.zeros(0)
        claims = list(self._moments() if numbers.names else ())
        if inside is not None:  # what the rules left no room for is not exact
            kept = {type(claim) for claim in inside.claims or ()}
            claims = [claim for claim in claims if type(claim) in kept]
        if others.names:
            claims = [claim.on(numbers.names) for claim in claims]
            drawn, about = categories(numbers.matrix(), Table(columns, table.rows).matrix())
            columns |= drawn
            said += about
            if self.counts == "exact":
                claims.append(ValuesKept(others.names))
        columns = {name: columns[name] for name in table.names}
        claims += [claim for claim in (() if inside is None else inside.claims or ()) if isinstance(claim, EditHolds)]
        claims.append(GroupsAtLeast(k=self.k, columns=table.names))
        return Drawn(columns, tuple(claims), degrees, said)

    def _moments(self) -> tuple[Claim, ...]:
        return () if self.jitter_moments > 0 else (MeansKept(), CovariancesKept())

    def _mixture(self, k: int) -> Mixture:
        return Mixture(
            k=k,
            max_groups=self.max_groups,
            families=self.families,
            start=self.start,
            floor=self.floor,
            standardise=self.standardise,
            component=self.component,
            degrees=self.degrees,
            subsample=self.subsample,
        )

    @staticmethod
    def _needed(replaced: int, kept: int) -> int:
        """The records that leave new values enough room."""
        return 1 + kept + max(_FREEDOM, replaced)

    def _enough(self, records: int, replaced: int, kept: int) -> tuple[int, tuple[str, ...]]:
        """The least size of a cluster for so many columns, with a note where it is not k; too few are refused."""
        if records < self.k:
            raise NotEnoughRecords(f"{self.name} needs at least k={self.k} records; there are {records}")
        needed = self._needed(replaced, kept) if replaced else 0
        if records < needed:
            raise NotEnoughRecords(
                f"{self.name} needs at least {needed} records for {replaced} columns given {kept} kept ones "
                f"(categories count one less than they have); there are {records}"
            )
        k = max(self.k, needed)
        raised = f"k was raised from {self.k} to {k}: a cluster needs 1 + {kept} kept + the replaced columns"
        return k, ((raised,) if k > self.k else ())

    def _clusters(self, T: Floats, S: Floats, job: Job) -> tuple[MixtureFit, tuple[str, ...]]:
        """The mixture of replaced and kept numbers; without numbers to replace all records are one cluster."""
        k, raised = self._enough(len(T), T.shape[1], S.shape[1])
        if not T.shape[1]:
            return MixtureFit.one_group(len(T), self.k), ()
        kept = [values.numbers[:, None] for values in job.given.columns.values() if values.levels is None]
        mixture = self._mixture(k)
        fit = mixture.fitted(mixture.on_common_scale(np.hstack([T, *kept]) if kept else T), job.streams.at("clusters"))
        return fit, (*raised, *fit.notes)

    def _inside_rules(self, numbers: Table, labels: Ints, job: Job) -> Outcome | None:
        """The numbers turned inside the rules of the data, in clusters; None where no rule speaks of them.

        With jitter moments are not exact, which leaves no way to keep rules: those that break are told of the release.
        """
        if self.jitter_moments > 0 or all(set(edit.columns).isdisjoint(numbers.names) for edit in job.edits):
            return None
        return FeasibleRotation().draw_in_groups(numbers, job, labels)

    def _redrawn(
        self, numbers: Table, S: Floats, labels: Ints, degrees: Floats, job: Job
    ) -> tuple[dict[str, Values], Floats]:
        """New numbers, and the degrees of freedom with which they were drawn in each cluster."""
        from microveil.kernels.mixture.draw import redraw_clusters

        if not numbers.names:
            return {}, np.zeros(0)
        stated = None if self.tails == "fitted" else degrees
        streams = job.streams.at("numbers")
        new, used = redraw_clusters(numbers.matrix(), S, labels, stated, streams, _FREEDOM, self.jitter_moments)
        return split_columns(new, numbers), used

    def _categories(self, table: Table, x: Floats, new_x: Floats, fit: MixtureFit, job: Job) -> Redrawn:
        like = np.exp(fit.log_memberships) if fit.groups > 1 else None
        return local_categories(
            table,
            x,
            new_x,
            like,
            classes=count_classes(self.classes, x, fit.groups),
            most=self.max_groups,
            k=self.k,
            exact=self.counts == "exact",
            subsample=self.subsample,
            streams=job.streams.at("categories"),
        )


def _came_back(table: Table, columns: Mapping[str, Values], numbers: tuple[str, ...], labels: Ints) -> tuple[str, ...]:
    """What came back as it was: numbers that clusters could not change; categories may be drawn as they were."""
    if numbers:
        return tell_unchanged_in_groups(table.only(numbers), {name: columns[name] for name in numbers}, labels)
    same = np.all([table[name].data == columns[name].data for name in table.names], axis=0)
    return (f"{int(same.sum())} of {table.rows} records came back unchanged: drawn so by chance",)
