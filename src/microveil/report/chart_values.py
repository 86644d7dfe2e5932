"""Named figures as bars from the left, of one file or of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from microveil.core.numbers import format_number
from microveil.report.chart_svg import (
    draw,
    draw_message,
    heading,
    legend,
    line,
    rectangle,
    shorten_apart,
    text,
    text_width,
)

WIDTH = 480.0  # narrow, so that the text can still be read on a telephone
_TOP = 44.0
_LONGEST_BEFORE = 230.0  # of a name that stands before its bar


@dataclass(frozen=True)
class ValueRow:
    """One figure: of the original and, with a second file, of the protected one."""

    label: str
    before: float
    after: float | None = None


def value_bars(title: str, note: str, rows: Sequence[ValueRow], unit: str = "", reference: float | None = None) -> str:
    """One bar for each figure on a common scale, with the figure beside it, as inline SVG.

    Use it for counts or shares that are compared with one another. With figures of a protected file a narrow bar stands
    inside that of the original; `reference` draws a line where the figure is without any change. Where a name is too
    long to stand before its bar, names stand above the bars.

    >>> "1,204" in value_bars("Alone", "records", [ValueRow("without age", 1204)])
    True
    """
    if not rows:
        return draw_message(title, "There is nothing to show.")
    two = any(row.after is not None for row in rows)
    texts = [_text(row, unit) for row in rows]
    right = max(text_width(figure, 11) for figure in texts) + 10
    longest = max(text_width(row.label) for row in rows)
    lifted = 20.0 if longest > _LONGEST_BEFORE else 0.0
    height = 26.0 + lifted
    left = 1.0 if lifted else longest + 10
    top = max(*(row.before for row in rows), *(row.after or 0.0 for row in rows), reference or 0.0, 1e-300)
    scale = (WIDTH - left - right) / top
    parts = [heading(title, note)]
    if two:
        parts.append(legend([("mv-before", "original"), ("mv-after", "protected")], width=WIDTH))
    labels = shorten_apart([row.label for row in rows], WIDTH if lifted else longest)
    for i, (row, figure) in enumerate(zip(rows, texts, strict=True)):
        y = _TOP + height * i + lifted
        tip = f"{row.label}: {figure}"
        beside = text(left - 8, y + 17, labels[i], anchor="end", tip=row.label)
        parts += [
            text(left, y - 2, labels[i], tip=row.label) if lifted else beside,
            rectangle(left, y + 4, max(row.before * scale, 0.5), 18, "mv-before" if two else "mv-after", tip),
            text(WIDTH, y + 17, figure, "mv-small", "end"),
        ]
        if row.after is not None:
            parts.append(rectangle(left, y + 9, max(row.after * scale, 0.5), 8, "mv-after", tip))
    bottom = _TOP + height * len(rows)
    parts.append(line(left, _TOP, left, bottom, "mv-axis"))
    if reference is not None:
        x = left + reference * scale
        parts.append(line(x, _TOP, x, bottom, "mv-axis"))
    told = "; ".join(f"{row.label}: {figure}" for row, figure in zip(rows, texts, strict=True))
    return draw(title, told, bottom + 6, parts, WIDTH)


def _text(row: ValueRow, unit: str) -> str:
    before = f"{format_number(row.before)}{unit}"
    return before if row.after is None else f"{before} → {format_number(row.after)}{unit}"
