"""Hybrid values that hardly differ from those they replace: such records are near-originals, whatever made them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.data.table import Table, Values

_RECORDS_LOOKED_AT = 2_000
# A hybrid is named after how it was made, not after what it hides; the release names columns that hardly moved.
NEAR = 0.1  # of a standard deviation: half of the values closer than that


def near_originals(before: Table, after: Mapping[str, Values], origin: Ints | None = None) -> tuple[str, ...]:
    """Columns half of whose new values lie within a tenth of a standard deviation of those they replace."""
    found = {}
    for name, values in after.items():
        if name not in before.names or values.levels is not None or before[name].levels is not None:
            continue
        moved = _median_change(before[name].numbers, values.numbers, origin)
        if moved is not None:
            found[name] = moved
    return tell_near(found)


def tell_near(moved: Mapping[str, float]) -> tuple[str, ...]:
    """A note on columns whose values changed by a tenth of a standard deviation or less, by their median changes."""
    told = [f"{name} ({change:.2g})" for name, change in moved.items() if change < NEAR]
    if not told:
        return ()
    note = (
        f"the records stay near the original: half of the values of {', '.join(told)} changed by no more than so many "
        "standard deviations; measure the risk of linkage"
    )
    return (note,)


def _median_change(x: Floats, y: Floats, origin: Ints | None) -> float | None:
    """The median change in standard deviations of the original; None for a column that does not vary.

    Of a large file some records, evenly spaced, tell it.
    """
    rows = slice(None, None, max(1, len(y) // _RECORDS_LOOKED_AT))
    x, y, origin = (x[rows], y[rows], None) if origin is None else (x, y[rows], origin[rows])
    seen = x[~np.isnan(x)]
    spread = float(seen.std()) if len(seen) else 0.0
    change = np.abs(y - (x if origin is None else x[origin]))
    change = change[~np.isnan(change)]
    return float(np.median(change)) / spread if spread > 0 and len(change) else None
