"""k-anonymity and its refinements, enforced by generalisation or microaggregation of the keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import Claim, ClosenessWithin, DiversityAtLeast, EqualRowsAtLeast, GroupsAtLeast
from microveil.core.claims_models import Diversity, class_distance, class_diversity
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.parameters import Range
from microveil.data.extremes import tell_published_ends
from microveil.data.microdata import Microdata
from microveil.data.schema import KINDS, check_names
from microveil.data.table import Table
from microveil.mask.base import Mask, depends
from microveil.mask.ladders import LossKind, ladder_of
from microveil.mask.lattice import best_node
from microveil.mask.mixed_groups import group_averages, group_ranges, mixed_groups, published_ends
from microveil.run.method import Job, Outcome, Step

Labels = NDArray[np.int64]
Broken = Callable[[Labels, int], NDArray[np.bool_]]

_KIND_NUMBERS = {"distinct": 1, "entropy": 2, "recursive": 3}


@dataclass(frozen=True, kw_only=True)
class KAnonymise(Mask, name="k-anonymise"):
    """Make the keys of every record equal to those of at least k - 1 others, and more where asked.

    `mondrian` halves the file into boxes (least loss on many keys); `lattice` finds the best common level of
    generalisation of each key (released categories nest and stay comparable; `max_dropped` lets it leave out
    some records); `microaggregation` replaces keys by averages of similar records. Sensitive attributes can be
    required to be l-diverse (`l`, p-sensitive with `diversity="distinct"`), or within `t` of their distribution
    in the file; with weights, `k_map` asks for classes that stand for so many in the population.
    """

    k: Annotated[int, Range(ge=2, grid=(3, 5)), "how many records share their keys"] = 3
    algorithm: Annotated[Literal["mondrian", "lattice", "microaggregation"], "how classes are formed"] = "mondrian"
    sensitive: Annotated[tuple[str, ...], "columns whose values must not become certain"] = ()
    l: Annotated[int | None, Range(ge=1), "least diversity of sensitive values in a class"] = None  # noqa: E741 - the literature's letter
    diversity: Annotated[Diversity, "number of values, exp(entropy), or r1 < c (rl + ...)"] = "distinct"
    c: Annotated[float, Range(gt=0), "constant of recursive diversity"] = 2.0
    t: Annotated[float | None, Range(ge=0, le=1), "largest distance of a class's sensitive values from the file's"] = (
        None
    )
    distance: Annotated[Literal["ordered", "equal"], "sensitive values in order, or all equally far apart"] = "ordered"
    k_map: Annotated[float | None, Range(gt=0), "least sum of weights in a class"] = None
    max_dropped: Annotated[float, Range(ge=0, lt=1), "share of records that lattice may leave out"] = 0.0
    loss: Annotated[LossKind, "what lattice minimises"] = "ncp"
    strict: Annotated[bool, "mondrian keeps equal values together"] = True
    output: Annotated[
        Literal["range", "average"] | None,
        "what stands for a class; by default a range, an average for microaggregation",
    ] = None

    kinds: ClassVar[tuple[str, ...]] = KINDS
    random: ClassVar[bool] = False
    conditions: ClassVar[bool] = True
    default_roles: ClassVar[tuple[str, ...]] = ("key",)
    spares: ClassVar[bool] = True
    coarsens: ClassVar[bool] = depends(
        True, lambda mask: mask.algorithm != "microaggregation" and mask.output != "average"
    )
    reference = "Samarati 2001; LeFevre, DeWitt & Ramakrishnan 2006; Domingo-Ferrer & Torra 2005"

    def validate(self) -> None:
        """Parameters that only some algorithms or models read."""
        if (self.l is not None or self.t is not None) and not self.sensitive:
            raise BadInput("l and t need sensitive columns; list them in sensitive")
        if self.sensitive and self.l is None and self.t is None:
            raise BadInput("sensitive columns are named; say with l or t what they must satisfy")
        if self.max_dropped and (self.algorithm != "lattice" or self.t is not None):
            raise BadInput(
                "max_dropped works with algorithm='lattice' and without t: dropping changes the distribution"
            )
        if self.output == "average" and self.algorithm == "lattice":
            raise BadInput("algorithm='lattice' releases generalised values; leave output out")

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """k, and the models asked for."""
        found: list[Claim] = [EqualRowsAtLeast(columns=columns, k=self.k), GroupsAtLeast(columns=columns, k=self.k)]
        for name in self.sensitive:
            if self.l is not None:
                found.append(DiversityAtLeast(columns=(*columns, name), l=float(self.l), kind=self.diversity, c=self.c))
            if self.t is not None:
                found.append(ClosenessWithin(columns=(*columns, name), t=self.t, ordered=self.distance == "ordered"))
        return tuple(found)

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The keys; beside them the sensitive columns and nothing else."""
        if step.given:
            raise BadInput(f"{self.name} reads the columns named in sensitive; leave given out")
        check_names(self.sensitive, list(data.columns), "sensitive")
        chosen = super().resolve(data, replace(step, given=self.sensitive))[0]
        return chosen, {name: data.kinds[name] for name in self.sensitive}

    def run(self, table: Table, job: Job) -> Outcome:
        """Form classes that satisfy the model and release what stands for them."""
        if table.rows < self.k:
            raise NotEnoughRecords(f"{self.name} needs at least k={self.k} records: {table.rows} given")
        if self.k_map is not None and job.weights is None:
            raise BadInput("k_map adds up weights; give a column the role 'weight'")
        # only values that occur count as steps between ordered ones, a missing one as the lowest of them
        codes = (job.given.codes([name])[:, 0] for name in self.sensitive)
        sensitive = [np.unique(column, return_inverse=True)[1].reshape(-1).astype(np.int64) for column in codes]
        broken = self._broken(sensitive, job)
        if broken(np.zeros(table.rows, dtype=np.int64), 1).any():
            raise BadInput(f"all {table.rows} records together do not satisfy {self._asked()}; ask for less")
        if self.algorithm == "lattice":
            return self._on_lattice(table, broken)
        if self.algorithm == "mondrian":
            labels = self._boxes(table, sensitive, job)
        else:
            labels = merged(mixed_groups(table, self.k, self.name), table, broken)
        average = (self.output or ("range" if self.algorithm == "mondrian" else "average")) == "average"
        if average:
            return Outcome(group_averages(table, labels), groups=labels)
        return Outcome(group_ranges(table, labels), groups=labels, notes=published_ends(table, labels))

    def _on_lattice(self, table: Table, broken: Broken) -> Outcome:
        from microveil.kernels.tables.classes import group_rows

        ladders = [ladder_of(values, name) for name, values in table.columns.items()]
        node = best_node(ladders, broken, int(self.max_dropped * table.rows + 1e-9), self.loss)
        kept = np.flatnonzero(node.kept)
        columns = {
            name: ladder.at(level).take(kept)
            for name, ladder, level in zip(table.names, ladders, node.levels, strict=True)
        }
        labels = group_rows(Table(columns, len(kept)).codes())[0]
        levels = ", ".join(f"{name} {level}" for name, level in zip(table.names, node.levels, strict=True))
        notes: tuple[str, ...] = (f"levels of generalisation: {levels}; loss {node.loss:.4g}",)
        if len(kept) < table.rows:
            notes += (f"{table.rows - len(kept)} of {table.rows} records were left out",)
        for name, ladder, level in zip(table.names, ladders, node.levels, strict=True):
            if table[name].levels is None:
                notes += tell_published_ends(name, table[name], np.array(ladder.steps[level].cuts))
        return Outcome(columns, groups=labels, origin=kept, notes=notes)

    def _boxes(self, table: Table, sensitive: list[Labels], job: Job) -> Labels:
        from microveil.kernels.grouping.anonymous_boxes import Rules, mondrian

        sizes = [int(codes.max()) + 1 for codes in sensitive]
        shares = [np.bincount(codes) / len(codes) for codes in sensitive]
        rules = Rules(
            self.k,
            np.ascontiguousarray(np.column_stack(sensitive))
            if sensitive
            else np.empty((table.rows, 0), dtype=np.int64),
            np.array(sizes, dtype=np.int64),
            np.concatenate(shares) if shares else np.empty(0),
            0 if self.l is None else _KIND_NUMBERS[self.diversity],
            self.l or 1,
            self.c,
            np.inf if self.t is None else self.t + 1e-12,
            self.distance == "ordered",
            np.empty(0) if job.weights is None else job.weights,
            self.k_map or 0.0,
        )
        X = np.where(np.isnan(table.matrix()), -1.0, table.matrix())
        nominal = np.array([values.kind == "nominal" for values in table.columns.values()], dtype=np.int64)
        return np.asarray(mondrian(X, nominal, self.strict, rules), dtype=np.int64)

    def _broken(self, sensitive: list[Labels], job: Job) -> Broken:
        """Tells which classes of a labelling break the model."""

        def broken(labels: Labels, classes: int) -> NDArray[np.bool_]:
            bad = np.bincount(labels, minlength=classes) < self.k
            if self.k_map is not None and job.weights is not None:
                bad |= np.bincount(labels, weights=job.weights, minlength=classes) < self.k_map * (1 - 1e-12)
            for codes in sensitive:
                if self.l is not None:
                    bad |= class_diversity(labels, codes, self.diversity, self.c, self.l) < self.l * (1 - 1e-12)
                if self.t is not None:
                    bad |= class_distance(labels, codes, self.distance == "ordered") > self.t + 1e-12
            return bad

        return broken

    def _asked(self) -> str:
        wanted: list[Any] = [f"k={self.k}"]
        wanted += [f"l={self.l} ({self.diversity})"] if self.l is not None else []
        wanted += [f"t={self.t}"] if self.t is not None else []
        wanted += [f"k_map={self.k_map}"] if self.k_map is not None else []
        return ", ".join(wanted)


def merged(labels: Labels, table: Table, broken: Broken) -> Labels:
    """Groups joined with their nearest neighbour until none breaks the model, the worst placed first."""
    from microveil.kernels.moments.scales import standardise

    Z = standardise(np.where(np.isnan(table.matrix()), -1.0, table.matrix())).values
    while True:
        classes = int(labels.max()) + 1
        bad = np.flatnonzero(broken(labels, classes))
        if not len(bad):
            return labels
        sizes = np.bincount(labels, minlength=classes)
        centres = np.column_stack([np.bincount(labels, weights=z, minlength=classes) for z in Z.T]) / sizes[:, None]
        new = np.arange(classes)
        joined = np.zeros(classes, dtype=bool)
        for group in bad.tolist():
            if joined[group]:
                continue
            away = ((centres - centres[group]) ** 2).sum(axis=1)
            away[group] = np.inf
            away[joined] = np.inf
            nearest = int(np.argmin(away))
            if not np.isfinite(away[nearest]):
                continue
            joined[[group, nearest]] = True
            new[group] = nearest
        labels = np.unique(new[labels], return_inverse=True)[1].reshape(-1).astype(np.int64)
