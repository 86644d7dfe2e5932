"""Probabilistic record linkage: links by agreement, weighted by how telling each attribute is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.parameters import Grid, Range
from microveil.data.schema import check_names
from microveil.measure import Pair
from microveil.measure.sampling import Sample
from microveil.risk.base import Float, Int, Risk, first_rows, share_interval
from microveil.risk.files import LinkedFiles, expected_links, linked_files

_MOST_PATTERNS = 1 << 22
_MOST_PAIRS = 200_000_000
_OTHER_BLOCK = 1e9


@dataclass(frozen=True, kw_only=True)
class ProbabilisticLinkage(Risk, name="probabilistic-linkage"):
    """Per cent of records whose own protected version has the highest agreement weight.

    Use it for files of any kind of column: nothing has to be scaled. Numbers are cut into quantile bins
    common to both files and agree when they fall into the same bin (with levels=3 the neighbouring bin
    is a level of its own); the weights come from the Fellegi-Sunter model fitted by EM without knowing
    who is who. Records that tie share the link. With `block` only records equal there are compared.
    Reference: Fellegi & Sunter 1969; Torra & Domingo-Ferrer 2003.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    paired: ClassVar[bool] = True
    title: ClassVar[str] = "Probabilistic record linkage"
    overview_sample: ClassVar[Sample] = Sample("searched", 5_000)
    reference: ClassVar[str] = "Fellegi & Sunter 1969; Torra & Domingo-Ferrer 2003"

    bins: Annotated[int, Range(ge=2, grid=(10, 20)), "quantile bins of a continuous attribute"] = 10
    levels: Annotated[Literal[2, 3], Grid((2, 3)), "agree or not; or agree, nearly, not (numbers only)"] = 2
    known_share: Annotated[bool, "take the share of true pairs as known (one per record); otherwise estimate it"] = True
    block: Annotated[tuple[str, ...], "columns that must be equal for two records to be compared"] = ()

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        check_names(self.block, list(pair.before.columns), "block")
        names = tuple(name for name in pair.columns if name not in self.block)
        if not names:
            return self.not_applicable("every column blocks; leave one to compare")
        pair = pair.only((*names, *self.block))
        files = linked_files(pair, "original", None)
        if isinstance(files, str):
            return self.not_applicable(files)
        numeric = np.array([pair.before.kinds[name] != "nominal" for name in names])
        levels = np.where(numeric, self.levels, 2).astype(np.int64)
        if float(np.prod(levels.astype(np.float64))) > _MOST_PATTERNS:
            raise BadInput(f"{len(names)} attributes give too many agreement patterns; name fewer with columns=[...]")
        binned = [pair.before.kinds[name] == "continuous" for name in names]
        queries, targets = _codes(files, binned, self.bins)
        weights, notes = self._weights(queries, targets, levels)
        share = self._linked(files, queries, targets, weights, levels)
        value = 100.0 * share / files.count
        reading = (
            f"An intruder who weighs agreements would link about {value:.3g} % of the {files.count} records"
            f" correctly; guessing finds {files.chance:.2g} %."
        )
        parts = {f"agreement weight of {name}": float(weights[j, 0]) for j, name in enumerate(names)}
        interval = share_interval(value, files.count)
        return self.measured(value, parts=parts, interval=interval, reading=reading, notes=(*files.notes, *notes))

    def _weights(self, queries: Int, targets: Int, levels: Int) -> tuple[Float, tuple[str, ...]]:
        """The weight of each level of agreement of each attribute, and how it was estimated."""
        from microveil.kernels.linkage_patterns import count_patterns, fit_agreement

        width = len(levels)
        asked, asked_counts = _distinct(queries)
        points, counts = _distinct(targets)
        step = max(1, -(-len(asked) * len(points) // _MOST_PAIRS))
        notes = (f"the model was fitted to one in {step} of the distinct records",) if step > 1 else ()
        asked, asked_counts = asked[::step], asked_counts[::step]
        blocks = _blocks(asked[:, width:], points[:, width:])
        found = count_patterns(asked[:, :width], asked_counts, points[:, :width], counts, *blocks, levels)
        if not found.any():
            return np.zeros((width, int(levels.max()))), ("no two records share a block",)
        # every record searched has one partner
        known = min(0.5, float(asked_counts.sum()) / float(found.sum())) if self.known_share else None
        return fit_agreement(found, levels, known).weights(levels), notes

    def _linked(self, files: LinkedFiles, queries: Int, targets: Int, weights: Float, levels: Int) -> float:
        """The expected number of correct links."""
        from microveil.kernels.linkage import tied_with_partner
        from microveil.kernels.tables import group_rows

        width = len(levels)
        cost = np.maximum.accumulate(np.maximum(weights[:, :1] - weights, 0.0), axis=1)
        steps = np.zeros((queries.shape[1], max(cost.shape[1], 2)))
        steps[:width, : cost.shape[1]] = cost
        steps[width:, 1:] = _OTHER_BLOCK
        telling = steps[:, -1] > 0
        if not telling.any():
            telling[:] = True
            steps[:, 1:] = 0.0
            queries, targets = queries * 0, targets * 0
        labels, counts = group_rows(targets[:, telling])
        first = first_rows(labels, len(counts))
        partner = labels[files.partner]
        asked = queries[files.searching]
        pairs, number = np.unique(np.column_stack([asked[:, telling], partner]), axis=0, return_counts=True)
        points = targets[first][:, telling].astype(np.float64)
        ties = tied_with_partner(pairs[:, :-1].astype(np.float64), points, pairs[:, -1], counts, steps[telling])
        compared = int(telling[:width].sum())
        # where nobody shares the block, the partner may be nearest although it is never compared
        same = np.asarray((pairs[:, compared:-1] == points[pairs[:, -1], compared:]).all(axis=1))
        return expected_links(np.where(same, ties, 0), number)


def _codes(files: LinkedFiles, binned: list[bool], bins: int) -> tuple[Int, Int]:
    """Both files in common codes: quantile bins of numbers, the codes of categories."""
    queries, targets = np.zeros(files.queries.shape, np.int64), np.zeros(files.targets.shape, np.int64)
    for j in range(files.nominal.size):
        x, y = files.queries[:, j], files.targets[:, j]
        if j < len(binned) and binned[j]:
            cuts = np.unique(np.quantile(np.concatenate([x, y]), np.arange(1, bins) / bins))
        else:
            cuts = np.unique(np.concatenate([x, y]))
        queries[:, j], targets[:, j] = np.searchsorted(cuts, x, side="right"), np.searchsorted(cuts, y, side="right")
    return queries, targets


def _distinct(codes: Int) -> tuple[Int, Int]:
    from microveil.kernels.tables import group_rows

    labels, counts = group_rows(codes)
    return codes[first_rows(labels, len(counts))], counts


def _blocks(asked: Int, points: Int) -> tuple[Int, Int]:
    """The block of each row, numbered alike in both files."""
    from microveil.kernels.tables import group_rows

    labels = group_rows(np.vstack([asked, points]))[0]
    return labels[: len(asked)], labels[len(asked) :]
