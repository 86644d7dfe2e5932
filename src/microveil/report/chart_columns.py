"""Counts in classes that have an order, as columns side by side, of one file or of two."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.core.errors import BadInput
from microveil.core.numbers import format_number
from microveil.report.chart_svg import draw, draw_message, heading, legend, line, rectangle, text
from microveil.report.chart_values import WIDTH

_TOP, _PLOT = 56.0, 150.0


def count_columns(
    title: str, note: str, axis: str, labels: Sequence[str], before: Sequence[int], after: Sequence[int] | None = None
) -> str:
    """How many records fall into each class, the count above its column, as inline SVG.

    Use it for classes whose counts differ by orders of magnitude: columns follow the counts, and a class with few
    records still has its number.

    >>> "4,300" in count_columns("Risk", "records", "risk", ["low", "high"], [4300, 12])
    True
    """
    if len(labels) != len(before) or (after is not None and len(after) != len(before)):
        raise BadInput(f"labels: {len(labels)}, counts: {len(before)}; give one count for each label")
    if not any(before):
        return draw_message(title, "No records to show.")
    files = [before] if after is None else [before, after]
    names = [""] if after is None else ["original", "protected"]
    # counts of two files would run into one another above the columns: they stand in rows below
    left = 0.0 if after is None else 62.0
    width = (WIDTH - left) / len(labels)
    top = max(max(counts) for counts in files)
    floor = _TOP + _PLOT
    parts = [heading(title, note)]
    if after is not None:
        parts.append(legend([("mv-before", "original"), ("mv-after", "protected")], width=WIDTH))
        parts += [text(left - 8, floor + 31 + 15 * j, name, "mv-small", "end") for j, name in enumerate(names)]
    for i, label in enumerate(labels):
        middle = left + (i + 0.5) * width
        parts.append(text(middle, floor + 15, label, "mv-soft mv-small", "middle"))
        each = (width - 6) / len(files)
        for j, counts in enumerate(files):
            height = max(_PLOT * counts[i] / top, 1.0) if counts[i] else 0.0
            style = "mv-before" if after is not None and j == 0 else "mv-after"
            x, tip = left + i * width + 3 + j * each, f"{label}: {format_number(counts[i])}"
            parts.append(rectangle(x, floor - height, each - 1, height, style, tip))
            y = floor + 31 + 15 * j if after is not None else floor - height - 4
            parts.append(text(middle, y, _short(counts[i]), "mv-small", "middle"))
    end = floor + 33 + 15 * (len(files) if after is not None else 0)
    parts += [line(left, floor, WIDTH, floor, "mv-axis")]
    parts.append(text(left + (WIDTH - left) / 2, end, axis, "mv-soft mv-small", "middle"))
    told = "; ".join(
        f"{label}: {format_number(before[i])}" + ("" if after is None else f" before, {format_number(after[i])} after")
        for i, label in enumerate(labels)
    )
    return draw(title, told, end + 8, parts, WIDTH)


def _short(count: int) -> str:
    return format_number(count, short=count >= 10_000) if count else ""
