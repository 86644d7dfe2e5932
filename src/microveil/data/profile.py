"""A file at a glance: its columns with role, kind, gaps and a tiny histogram each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.cards import Html, card, paragraph, table, tiny_bars
from microveil.core.words import counted

if TYPE_CHECKING:
    from microveil.data.microdata import Microdata

_MOST_COLUMNS = 60
_MOST_RECORDS = 20_000
_BARS = 12


def profile(data: Microdata) -> str:
    """The card of a file; of a large one some records, evenly spaced, tell the shapes."""
    rows = np.arange(0, data.n, max(1, data.n // _MOST_RECORDS), dtype=np.int64)
    names = list(data.columns)[:_MOST_COLUMNS]
    lines = [(name, data.roles[name], data.kinds[name], *_look(data, name, rows)) for name in names]
    notes = []
    if len(data.columns) > _MOST_COLUMNS:
        notes.append(f"{counted(len(data.columns) - _MOST_COLUMNS, 'more column')} not shown.")
    if len(rows) < data.n:
        notes.append(f"Gaps, values and shapes are those of {len(rows):,} records, evenly spaced.")
    title = f"Microdata: {counted(data.n, 'record')}, {counted(len(data.columns), 'column')}"
    head = ("column", "role", "kind", "missing", "values", "shape")
    return card(title, table(head, lines), *map(paragraph, notes))


def _look(data: Microdata, name: str, rows: Ints) -> tuple[str, str, Html]:
    if data.roles[name] == "identifier":
        return "", "", Html("")  # each is its own: there is no shape to see
    values = data.values(name).take(rows)
    observed = values.data[~values.missing]
    gaps = f"{100 * float(values.missing.mean()):.1f} %" if values.missing.any() else ""
    if not len(observed):
        return gaps, "", Html("")
    distinct = len(np.unique(observed))
    if values.levels is not None:
        counts = np.bincount(observed)
        largest = counts[counts > 0] if values.kind == "ordinal" else np.sort(counts)[::-1]
        return gaps, f"{distinct:,}", tiny_bars([float(count) for count in largest[:_BARS] if count])
    # the central 98 %: one extreme record would press all others into one bar
    low, high = np.quantile(observed, [0.01, 0.99])
    counts = np.histogram(np.clip(observed, low, high), _BARS)[0]
    return gaps, f"{distinct:,}", tiny_bars([float(count) for count in counts])
