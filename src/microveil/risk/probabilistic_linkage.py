"""Probabilistic record linkage: links by agreement, weighted by how telling each attribute is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Example, Grid, Range
from microveil.data.schema import check_names
from microveil.kernels.tables.classes import first_rows
from microveil.measure import InScenario, Pair
from microveil.measure.sampling import Sample
from microveil.measure.shares import share_interval
from microveil.risk.base import ADVICE_ON_LINKAGE, Risk
from microveil.risk.comparing import Compared, Side
from microveil.risk.files import LinkedFiles, expected_links, link_files

if TYPE_CHECKING:
    from microveil.kernels.linkage.cells import Cells

_MOST_PATTERNS = 1 << 22
_MOST_PAIRS, _LEAST_ASKED = 50_000_000, 200  # pairs that the model is fitted to; of how many records at least
_OTHER_BLOCK = 1e9


@dataclass(frozen=True, kw_only=True)
class ProbabilisticLinkage(InScenario, Risk, name="probabilistic-linkage"):
    """Per cent of records whose own protected version has the highest agreement weight.

    Use it for files of any kind of column: nothing has to be scaled. Numbers are cut into quantile bins
    common to both files and agree when they fall into the same bin (with levels=3 the neighbouring bin
    is a level of its own); categories, classes, ranges and sets agree when they hold the true value, gaps say
    nothing. The weights come from the Fellegi-Sunter model fitted by EM without knowing
    who is who. Records that tie share the link. With `block` only records equal there are compared.
    Reference: Fellegi & Sunter 1969; Torra & Domingo-Ferrer 2003.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    paired: ClassVar[bool] = True
    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = 3_000  # more take longer than a verdict may
    title: ClassVar[str] = "Probabilistic record linkage"
    overview_sample: ClassVar[Sample] = Sample("searched", 5_000)
    reference: ClassVar[str] = "Fellegi & Sunter 1969; Torra & Domingo-Ferrer 2003"
    advice: ClassVar[str] = ADVICE_ON_LINKAGE

    bins: Annotated[int, Range(ge=2, grid=(10, 20)), "quantile bins of a continuous attribute"] = 10
    levels: Annotated[Literal[2, 3], Grid((2, 3)), "agree or not; or agree, nearly, not (numbers only)"] = 2
    known_share: Annotated[bool, "take the share of true pairs as known (one per record); otherwise estimate it"] = True
    block: Annotated[
        tuple[str, ...], Example(["region"]), "columns that must be equal for two records to be compared"
    ] = ()

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        check_names(self.block, list(pair.before.columns), "block")
        names = tuple(name for name in pair.columns if name not in self.block)
        if not names:
            return self.not_applicable("every column blocks; leave one to compare")
        pair = pair.only((*names, *self.block))
        files = link_files(pair, "original", None)
        if isinstance(files, str):
            return self.not_applicable(files)
        files = replace(files, columns=tuple(_binned(column, self.bins) for column in files.columns))
        width = len(names)
        if any(one.released.sets is not None for one in files.columns[width:]):
            raise BadInput("records cannot be blocked by sets of values that overlap; name other columns in block")
        levels = np.array([2 if one.step > 0 else self.levels for one in files.columns[:width]], dtype=np.int64)
        if float(np.prod(levels.astype(np.float64))) > _MOST_PATTERNS:
            return self.not_applicable(f"{width} columns give too many patterns of agreement; compare fewer of them")
        weights, notes = self._weights(files, levels)
        share = self._linked(files, weights, levels)
        value = 100.0 * share / files.count
        reading = (
            f"An intruder who weighs agreements would link about {format_number(value)} % of the {files.count:,} "
            f"records correctly; guessing finds {format_number(files.chance, 2)} %."
        )
        parts = {f"agreement weight of {name}": float(weights[j, 0]) for j, name in enumerate(names)}
        interval = share_interval(value, files.count)
        return self.measured(value, parts=parts, interval=interval, reading=reading, notes=(*files.notes, *notes))

    def _weights(self, files: LinkedFiles, levels: Ints) -> tuple[Floats, tuple[str, ...]]:
        """The weight of each level of agreement of each attribute, and how it was estimated."""
        from microveil.kernels.linkage.patterns import count_patterns, fit_agreement

        every, width = range(files.width), len(levels)
        (first, counts), (first_point, point_counts) = (_complete(files, queries) for queries in (True, False))
        step = max(1, min(-(-len(first) * len(first_point) // _MOST_PAIRS), len(first) // _LEAST_ASKED))
        notes = (f"the model was fitted to one in {step} of the distinct records",) if step > 1 else ()
        first, counts = first[::step], counts[::step]
        asked, points = files.cells(True, every, False).rows(first), files.cells(False, every, False).rows(first_point)
        blocks = _blocks(asked, points, width)
        found = count_patterns(asked, counts, points, point_counts, *blocks, levels)
        if not found.any():
            return np.zeros((width, int(levels.max()))), ("no two records share a block",)
        # every record searched has one partner
        known = min(0.5, float(counts.sum()) / float(found.sum())) if self.known_share else None
        return fit_agreement(found, levels, known).weights(levels), notes

    def _linked(self, files: LinkedFiles, weights: Floats, levels: Ints) -> float:
        """The expected number of correct links."""
        from microveil.kernels.linkage.partners import tied_with_partner
        from microveil.kernels.tables.classes import group_rows

        width = len(levels)
        cost = np.maximum.accumulate(np.maximum(weights[:, :1] - weights, 0.0), axis=1)
        steps = np.zeros((files.width, max(cost.shape[1], 2)))
        steps[:width, : cost.shape[1]] = cost
        steps[width:, 1:] = _OTHER_BLOCK
        telling = [j for j in range(files.width) if steps[j, -1] > 0]
        if not telling:
            # nothing tells records apart: every one is as likely as any other
            return len(files.searching) / len(files.columns[0].released.low)
        labels, first, counts = files.classes(False, telling)
        of_query, first_query, _ = files.classes(True, telling)
        both = np.column_stack([of_query[files.searching], labels[files.partner]])
        which, number = group_rows(both)
        pairs = both[first_rows(which, len(number))]
        asked = files.cells(True, telling, False).rows(first_query[pairs[:, 0]])
        points = files.cells(False, telling, False)
        handicap = points.handicap
        for j in (j for j in telling if j < width):
            # a gap says nothing: it has neither the weight of agreement nor that of disagreement
            side = files.columns[j].released
            handicap = handicap + (side.gaps & (side.low < side.high)) * max(weights[j, 0], 0.0)
        points = points._replace(handicap=handicap).rows(first)
        ties = tied_with_partner(asked, points, pairs[:, 1], counts, steps[telling])
        # where nobody shares the block, the partner may be nearest although it is never compared
        blocked = [i for i, j in enumerate(telling) if j >= width]
        partners = points.rows(pairs[:, 1])
        same = np.ones(len(pairs), dtype=np.bool_)
        for j in blocked:
            same &= (partners.low[:, j] <= asked.high[:, j]) & (asked.low[:, j] <= partners.high[:, j])
        return expected_links(np.where(same, ties, 0), number)


def _binned(column: Compared, bins: int) -> Compared:
    """A column of amounts in quantile bins common to both files; others as they are."""
    if not column.amounts:
        return column
    sides = (column.original, column.released)
    seen = np.concatenate([side.low[~side.gaps] for side in sides])
    if not len(seen):
        return column
    cuts = np.unique(np.quantile(seen, np.arange(1, bins) / bins))
    found = []
    # gaps that are far from all numbers stay so
    cuts = np.append(cuts, np.full(bins, np.nextafter(seen.max(), np.inf)))
    for side in sides:
        low = np.searchsorted(cuts, side.low, side="right").astype(np.float64)
        high = low if side.high is side.low else np.searchsorted(cuts, side.high, side="right").astype(np.float64)
        found.append(Side(low, high, np.where(side.gaps, -1, low).astype(np.int32), side.gaps))
    return replace(column, original=found[0], released=found[1], gap_cost=0.0)


def _complete(files: LinkedFiles, queries: bool) -> tuple[Ints, Ints]:
    """One record of each kind without gaps, and how many there are of it; with gaps if all have some."""
    _, first, counts = files.classes(queries, range(files.width))
    gaps = np.zeros(len(first), dtype=np.bool_)
    for column in files.columns:
        gaps |= (column.original if queries else column.released).gaps[first]
    kept = np.ones(len(first), dtype=np.bool_) if gaps.all() else ~gaps
    return first[kept], counts[kept]


def _blocks(asked: Cells, points: Cells, width: int) -> tuple[Ints, Ints]:
    """The block of each row, numbered alike in both files."""
    from microveil.kernels.tables.classes import group_rows

    labels = group_rows(np.vstack([asked.low[:, width:], points.low[:, width:]]).astype(np.int64))[0]
    return labels[: len(asked.low)], labels[len(asked.low) :]
