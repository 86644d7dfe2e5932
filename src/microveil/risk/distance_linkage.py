"""Record linkage by distance: how many records find their own protected version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Example, Grid, Range
from microveil.core.streams import Key, Streams
from microveil.measure import Pair
from microveil.measure.in_blocks import PairInBlocks
from microveil.measure.measure import UNKNOWN_LINK
from microveil.measure.sampling import Sample
from microveil.measure.shares import share_interval
from microveil.risk.base import ADVICE_ON_LINKAGE, Risk
from microveil.risk.files import (
    Direction,
    Gaps,
    LinkedFiles,
    Metric,
    Scale,
    Standardise,
    expected_links,
    link_files,
)
from microveil.risk.linked_in_blocks import link_in_blocks
from microveil.risk.ways import way_of, ways_to_try

_MOST_SUBSETS = 20_000

Subset = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class DistanceLinkage(Risk, name="distance-linkage"):
    """Per cent of records whose nearest record in the other file is their own, averaged over attribute subsets.

    Use it for files whose attributes were perturbed or coarsened. The intruder knows the true values: of a class, range
    or set it is known whether it holds them, gaps hold everything, and where all released values of an attribute are
    true what does not hold them is out of the question. Records that tie share the link: with k equal
    candidates the right one counts 1/k, so the result depends on no row order and never exceeds 1/k when
    all attributes were microaggregated. Chance alone links 100/n per cent. Amounts that were swapped by ranks or
    multiplied by noise are found better by scale="ranks". Strata are known too, as categories. Records with gaps count
    like all others. gaps="partial" compares them by what both have, as other programs do: it usually finds fewer, since
    records with little in common look near by chance. metric="mahalanobis" leaves them out and says so.
    Reference: Pagliuca & Seri 1999; Domingo-Ferrer & Torra 2001.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous",)
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    paired: ClassVar[bool] = True
    quick: ClassVar[bool] = True
    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many records tell the share
    title: ClassVar[str] = "Distance-based record linkage"
    overview_sample: ClassVar[Sample] = Sample("searched", 10_000)
    reference: ClassVar[str] = "Domingo-Ferrer & Torra 2001"
    advice: ClassVar[str] = ADVICE_ON_LINKAGE

    sizes: Annotated[
        tuple[int, ...] | None,
        Range(ge=1),
        Example([2, 3]),
        "numbers of attributes the intruder knows; None: all of them",
    ] = None
    subsets: Annotated[
        Literal["first", "random", "all"],
        Grid(("first", "all")),
        "which attributes of each size: the first in file order, some at random, every combination",
    ] = "first"
    draws: Annotated[int, Range(ge=1), "combinations drawn for each size with subsets='random'"] = 10
    seed: Annotated[int, Range(ge=0), "seed of that drawing"] = 0
    direction: Direction = "original"
    standardise: Standardise = "own"
    metric: Metric = "euclid"
    scale: Scale = "values"
    gaps: Gaps = "telling"
    categories: Annotated[
        bool | None,
        "link on ordinal and nominal columns and on classes of amounts too; None: unless the metric is mahalanobis",
    ] = None

    def validate(self) -> None:
        if self.sizes is not None and not self.sizes:
            raise BadInput("sizes is empty; give at least one number of attributes, or None for all of them")
        if self.categories and self.metric == "mahalanobis":
            raise BadInput("metric='mahalanobis' needs numbers; use 'euclid' or 'manhattan' with categories=True")
        if self.gaps == "partial" and self.metric == "mahalanobis":
            raise BadInput("metric='mahalanobis' needs all attributes; use 'euclid' or 'manhattan' with gaps='partial'")

    def choose(self, pair: Pair) -> tuple[str, ...]:
        wanted = self.metric != "mahalanobis" if self.categories is None else self.categories
        return pair.known if wanted else super().choose(pair)

    @property
    def attack_title(self) -> str:
        return way_of(self).title(self.title)

    @property
    def sample_of_many(self) -> Sample:
        most = self.overview_sample.most
        return self.overview_sample if self.direction == "original" else Sample("searching", most)

    def in_other_ways(self, amounts_changed: bool) -> tuple[Risk, ...]:
        ways = ways_to_try(amounts_changed)
        return tuple(
            replace(self, scale=way.scale, standardise=way.standardise, direction=way.direction)
            for way in ways
            if way != way_of(self)
        )

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        whole = self.metric == "mahalanobis"
        files = link_files(pair, self.direction, self.standardise, whole, self.scale, self.gaps == "partial")
        if isinstance(files, str):
            return self.not_applicable(files)
        width = len(pair.columns)
        sizes = (width,) if self.sizes is None else tuple(size for size in self.sizes if size <= width)
        if not sizes:
            return self.not_applicable(f"there are {width} attributes; sizes asks for {min(self.sizes or ())} or more")
        parts = {
            size: float(np.mean([self._share(files, subset) for subset in self._subsets(width, size)]))
            for size in dict.fromkeys(sizes)
        }
        left_out = tuple(size for size in self.sizes or () if size > width)
        notes = (*files.notes, *files.gap_notes)
        if left_out:
            notes = (*notes, f"sizes above {width} attributes were left out: {list(left_out)}")
        value = float(np.mean([parts[size] for size in sizes]))
        return self.measured(
            value,
            parts={f"{size} attribute{'s' if size > 1 else ''}": share for size, share in parts.items()},
            interval=share_interval(value, files.count),
            reading=_reading(value, files.count, files.chance),
            notes=notes,
        )

    def in_blocks(self, files: PairInBlocks) -> Measured | NotApplicable:
        names = self.choose(files.head)
        if not names:
            return self.not_applicable(f"there is no {' or '.join(self.kinds)} column to look at")
        if not files.is_linked:
            return self.not_applicable(UNKNOWN_LINK)
        sizes = (len(names),) if self.sizes is None else tuple(size for size in self.sizes if size <= len(names))
        if not sizes:
            return self.not_applicable(
                f"there are {len(names)} attributes; sizes asks for {min(self.sizes or ())} or more"
            )
        subsets = {size: tuple(self._subsets(len(names), size)) for size in dict.fromkeys(sizes)}
        every = tuple(subset for own in subsets.values() for subset in own)
        found = link_in_blocks(files, names, every, way_of(self), self.metric, self.gaps == "partial")
        if isinstance(found, str):
            return self.not_applicable(found)
        shares = dict(zip(every, (100.0 * float(seen.credits.mean()) for seen in found.found), strict=True))
        parts = {size: float(np.mean([shares[subset] for subset in own])) for size, own in subsets.items()}
        value = float(np.mean([parts[size] for size in sizes]))
        count = len(found.sample.rows_after)
        chance = 100.0 / files.records[1 if self.direction == "original" else 0]
        return self.measured(
            value,
            parts={f"{size} attribute{'s' if size > 1 else ''}": share for size, share in parts.items()},
            interval=share_interval(value, count),
            reading=_reading(value, files.records[0], chance),
            notes=found.notes,
        )

    def _share(self, files: LinkedFiles, subset: Subset) -> float:
        return 100.0 * expected_links(*files.ties(subset, self.metric)) / files.count

    def _subsets(self, width: int, size: int) -> Iterator[Subset]:
        if self.subsets == "first":
            yield tuple(range(size))
        elif self.subsets == "all" or comb(width, size) <= self.draws:
            if comb(width, size) > _MOST_SUBSETS:
                raise BadInput(
                    f"{comb(width, size)} combinations of {size} out of {width} attributes are too many;"
                    " use subsets='random', and say in draws how many are to be tried"
                )
            yield from combinations(range(width), size)
        else:
            generator = Streams(Key.of(self.seed)).at(self.name, size).generator()
            for _ in range(self.draws):
                yield tuple(sorted(generator.choice(width, size, replace=False).tolist()))


def _reading(value: float, n: int, chance: float) -> str:
    return (
        f"An intruder who knows the true values would re-identify about {format_number(value)} % of the {n:,} records"
        f" by taking the nearest one; guessing finds {format_number(chance, 2)} %."
    )
