"""Record linkage by assignment: the whole file is matched one to one at least total distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Range
from microveil.measure import InScenario, Pair
from microveil.measure.shares import share_interval
from microveil.risk.assignment import Links, assign
from microveil.risk.base import ADVICE_ON_LINKAGE, Risk
from microveil.risk.files import Metric, Scale, Standardise, link_files, whiten_both
from microveil.risk.ways import way_of, ways_to_try


@dataclass(frozen=True, kw_only=True)
class GlobalLinkage(InScenario, Risk, name="global-linkage"):
    """Per cent of records linked correctly when the two files are matched one to one at least total distance.

    Use it for the intruder who holds the whole original file: it is stronger than linking record by
    record. Columns are compared as in `DistanceLinkage`. Equal records are interchangeable and share their
    links in expectation, so no row order helps.
    Up to `exact_up_to` records all distances are held. Beyond, each is offered its `candidates` nearest, and then what
    it would rather have at the prices found, until nobody wants another one: prices prove that no matching has a
    smaller total. Where that takes too long the notes say how much of the total may be too much, and the
    reading calls the figure "at least".
    Reference: Herranz, Nin, Rodríguez & Tassa 2015.
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    overview_limit: ClassVar[int | None] = 10_000
    paired: ClassVar[bool] = True
    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = 3_000  # more take longer than a verdict may
    title: ClassVar[str] = "One-to-one record linkage"
    reference: ClassVar[str] = "Herranz, Nin, Rodríguez & Tassa 2015"
    advice: ClassVar[str] = ADVICE_ON_LINKAGE

    metric: Metric = "euclid"
    standardise: Standardise = "own"
    scale: Scale = "values"
    exact_up_to: Annotated[int, Range(ge=1, le=20_000), "largest file whose whole distance matrix is used"] = 3000
    candidates: Annotated[
        int,
        Range(ge=1),
        "nearest records offered to each at first in larger files; later others that it would rather have",
    ] = 30

    def choose(self, pair: Pair) -> tuple[str, ...]:
        known = super().choose(pair)
        if self.metric != "mahalanobis":
            return known
        # distances that turn the columns need numbers
        return tuple(name for name in pair.of_kind(*self.kinds) if name in known)

    @property
    def attack_title(self) -> str:
        return way_of(self).title(self.title)

    def in_other_ways(self, amounts_changed: bool) -> tuple[Risk, ...]:
        # one to one there is no direction
        ways = [way for way in ways_to_try(amounts_changed) if way.direction == "original" and way != way_of(self)]
        return tuple(replace(self, scale=way.scale, standardise=way.standardise) for way in ways)

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        from microveil.kernels.linkage.cells import numbers

        manhattan, whiten = self.metric == "manhattan", self.metric == "mahalanobis"
        files = link_files(pair, "original", self.standardise, whiten, self.scale)
        if isinstance(files, str):
            return self.not_applicable(files)
        every = range(files.width)
        of_a, first_a, a_counts = files.classes(True, every)
        of_b, first_b, b_counts = files.classes(False, every)
        # classes stand in the order of their values: the same problem for any order of the files
        A = files.cells(True, every, manhattan).rows(first_a)
        B = files.cells(False, every, manhattan).rows(first_b)
        steps = files.steps(every)
        if whiten:
            X, Y = whiten_both(A.low, a_counts, B.low, b_counts)
            A, B, steps = numbers(X), numbers(Y), np.zeros((X.shape[1], 2))
        links = assign(A, a_counts, B, b_counts, steps, manhattan, self.exact_up_to, self.candidates)
        correct = _expected_correct(links.a, links.b, of_a[files.searching], of_b[files.partner], a_counts, b_counts)
        value = 100.0 * correct / files.count
        return self.measured(
            value,
            parts={
                "total distance": float(links.distances.sum()),
                "mean distance": float(links.distances.mean()) if len(links.distances) else 0.0,
                "records without a link": float(a_counts.sum() - len(links.a)),
                "proven least distance": links.least,
            },
            interval=share_interval(value, files.count),
            reading=(
                f"An intruder who matches the two files one to one would link {'at least ' if links.excess else ''}"
                f"about {format_number(value)} % of the {files.count:,} records correctly; guessing finds"
                f" {format_number(files.chance, 2)} %."
            ),
            notes=(*files.notes, *files.gap_notes, *_cut(links)),
        )


def _cut(links: Links) -> tuple[str, ...]:
    """What was not done, in words."""
    if not links.excess:
        return ()
    note = (
        "the search ended before nobody would rather have another record: up to"
        f" {format_number(100 * links.excess, 2)} % of the total distance may be too much, and whoever compares all"
        " records may link more"
    )
    return (note,)


def _expected_correct(a: Ints, b: Ints, true_a: Ints, true_b: Ints, a_counts: Ints, b_counts: Ints) -> float:
    """Expected number of correct links when equal rows are interchangeable.

    Of the links from copies of row i to copies of row j, a given true pair of such copies is one with
    probability links / (copies of i x copies of j).
    """
    width = len(b_counts)
    kinds, links = np.unique(a * width + b, return_counts=True)
    pairs, true = np.unique(true_a * width + true_b, return_counts=True)
    where = np.minimum(np.searchsorted(kinds, pairs), len(kinds) - 1)
    met = np.where(kinds[where] == pairs, links[where], 0)
    i, j = np.divmod(pairs, width)
    return float((true * met / (a_counts[i] * b_counts[j])).sum())
