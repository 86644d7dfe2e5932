"""Loss in contingency tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid, Range
from microveil.core.words import list_some
from microveil.loss.base import Loss
from microveil.loss.counts import table_distances, total_variation
from microveil.loss.released_classes import Cells, cells_of, counts_in
from microveil.measure import Pair
from microveil.run.contract import depends

_MOST_VALUES = 1_000  # of an amount whose classes are spread: tables of more would be as large as the file


@dataclass(frozen=True, kw_only=True)
class ContingencyLoss(Loss, name="contingency-loss"):
    """Share of records that would have to change cell to restore the original tables, over all tables up to an order.

    Use it for categorical files that will be tabulated. A missing value is a category of its own. Where columns were
    recoded the original is recoded in the same way first; a class that overlaps with others counts in equal parts for
    each value it holds, as nobody who reads the release knows more. `classes="spread"` does so with every class, so
    that coarser categories are a loss too, and looks at amounts of few values that were released as classes. Parts:
    `order 1`, `order 2`, ... (the same by number of columns, in per cent), `CTBIL` (sum of absolute differences of
    counts), per cell its mean and the mean difference of roots and relative difference, Hellinger distance, Jensen-
    Shannon divergence, `VW ratio` and `FT ratio` (near 1 for a file drawn from a correct model), means over the tables,
    and the share of each column.
    Reference: Domingo-Ferrer & Torra 2001, Disclosure protection methods and information loss for microdata.
    """

    order: Annotated[int, Range(ge=1, le=5, grid=(1, 2, 3)), "largest number of columns in a table"] = 2

    classes: Annotated[
        Literal["released", "spread"],
        Grid(("released", "spread")),
        "recoded columns are compared in the released classes, or each class is spread evenly over the values it holds",
    ] = "released"

    quick = True
    kinds = ("ordinal", "nominal")
    bounds = (0.0, 100.0)
    unit = "%"
    title: ClassVar[str] = depends(
        "Loss in contingency tables",
        lambda measure: f"Loss in contingency tables{'' if measure.classes == 'released' else ', classes spread'}",
    )
    reference = "Domingo-Ferrer & Torra 2001"

    def choose(self, pair: Pair) -> tuple[str, ...]:
        kept = pair.of_kind(*self.kinds)
        if self.classes == "released":
            return kept
        return tuple(name for name in pair.columns if name in kept or (pair.recoded(name) and _few_values(pair, name)))

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        if not len(pair.rows_before) or not len(pair.rows_after):
            return self.not_applicable("one of the files has no records")
        cells = {name: cells_of(pair, name, self.classes == "spread") for name in pair.columns}
        tables = [chosen for h in range(1, self.order + 1) for chosen in combinations(pair.columns, h)]
        return self._result({chosen: counts_in([cells[name] for name in chosen]) for chosen in tables}, _notes(cells))

    def _result(self, found: dict[tuple[str, ...], tuple[Floats, Floats]], notes: list[str]) -> Measured:
        moved = {chosen: 100 * total_variation(o, s) for chosen, (o, s) in found.items()}
        sizes = sorted({len(chosen) for chosen in found})
        orders = {
            f"order {h}": float(np.mean([share for chosen, share in moved.items() if len(chosen) == h])) for h in sizes
        }
        value = float(np.mean(list(moved.values())))
        worst = max(moved, key=lambda chosen: moved[chosen])
        if any(abs(o.sum() - s.sum()) > 0.5 for o, s in found.values()):
            notes.append("the files differ in length: counts of the protected file are scaled to the original's")
        single = {f"order 1[{chosen[0]}]": share for chosen, share in moved.items() if len(chosen) == 1}
        return self.measured(
            value,
            parts={**orders, **_summary(found), **single},
            reading=f"In tables of up to {sizes[-1]} columns {format_number(value)} % of the records would have to "
            f"change cell to restore the original counts, most in {' by '.join(map(str, worst))} "
            f"({format_number(moved[worst])} %).",
            notes=tuple(notes),
        )


def _few_values(pair: Pair, name: str) -> bool:
    return len(np.unique(pair.before.values(name).numbers)) <= _MOST_VALUES


def _notes(cells: Mapping[str, Cells]) -> list[str]:
    recoded = [name for name, column in cells.items() if column.recoded]
    spread = [name for name, column in cells.items() if column.members]
    notes = [f"compared after recoding the original in the same way: {list_some(recoded)}"] if recoded else []
    if spread:
        notes.append(f"each released class counts in equal parts for the values it holds: {list_some(spread)}")
    return notes


def _summary(found: dict[tuple[str, ...], tuple[Floats, Floats]]) -> dict[str, float]:
    o = np.concatenate([o for o, _ in found.values()])
    s = np.concatenate([s * (o.sum() / s.sum()) for o, s in found.values()])
    change, seen = np.abs(o - s), o > 0
    distances = [table_distances(o, s) for o, s in found.values()]
    ratios = [(d["VW"] / d["df"], d["FT"] / d["df"]) for d in distances if d["df"] > 0]
    return {
        "CTBIL": float(change.sum()),
        "CTBIL per cell": float(change.mean()),
        "roots per cell": float(np.abs(np.sqrt(o) - np.sqrt(s)).mean()),
        "relative per cell": float((change[seen] / o[seen]).mean()),
        "cells lost": float((seen & (s == 0)).sum()),
        "cells new": float((~seen).sum()),
        "Hellinger": float(np.mean([d["Hellinger"] for d in distances])),
        "JSD": float(np.mean([d["JSD"] for d in distances])),
        "VW ratio": float(np.mean([vw for vw, _ in ratios])) if ratios else 0.0,
        "FT ratio": float(np.mean([ft for _, ft in ratios])) if ratios else 0.0,
    }
