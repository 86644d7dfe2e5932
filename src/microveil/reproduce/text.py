"""Tables as text for a terminal: the paper's line, ours below it, our range below that."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence

from microveil.reproduce.base import Cell, PaperTable, counts_of
from microveil.reproduce.status import PASSING, STATUSES, Range, Status

WIDTH = 100
MARKS: dict[Status, str] = {
    "reproduced": "=",
    "within range": "+",
    "near": "~",
    "unresolved": "!",
    "too wide to tell": "?",
    "zero by construction": "z",
    "ours only": " ",
    "not comparable": "/",
    "not available": "-",
}
COMPARED: frozenset[Status] = PASSING | {"near", "unresolved", "too wide to tell"}
_LONGEST_STATUS = max(map(len, STATUSES))
_LONGEST_LABEL = 20  # longer names of rows have a line of their own
_LINES = ("paper", "ours", "range")


def figure_text(value: float | None, decimals: int) -> str:
    """A figure with as many decimals as the paper prints; a dash where there is none."""
    return "-" if value is None or value != value else f"{value:.{decimals}f}"


def range_text(ours: Range | None, decimals: int) -> str:
    """The smallest and largest of the draws; nothing where they print alike."""
    if ours is None:
        return ""
    low, high = figure_text(ours.low, decimals), figure_text(ours.high, decimals)
    return "" if low == high else f"{low} to {high}"


def counts_text(counts: Mapping[Status, int]) -> str:
    """How many cells have each status, in words."""
    return ", ".join(f"{number} {status}" for status, number in counts.items())


def table_text(table: PaperTable) -> str:
    """One table with its reading, at most 100 characters wide."""
    lines = [f"{table.name}   {table.title}", *_wrapped(table.paper)]
    for sentence in table.reading:
        lines += _wrapped(sentence, "  ")
    lines += ["", *_wrapped(f"{draws_text(table.draws)}. {counts_text(table.counts)}.", "  "), ""]
    for columns in _fitting(table):
        lines += [*_block(table, columns), ""]
    for note in (*table.reasons, *table.notes):
        lines += _wrapped(note, "  ")
    return "\n".join(lines).rstrip() + "\n"


def draws_text(draws: int) -> str:
    """The number of draws in words."""
    return "1 draw" if draws == 1 else f"{draws} draws"


def summary_text(counts: Mapping[Status, int]) -> str:
    """What the counts mean and what they do not, in one sentence."""
    compared = sum(number for status, number in counts.items() if status in COMPARED)
    if not compared:
        return "No published figure is compared here, so the counts say nothing about the papers."
    passing = sum(number for status, number in counts.items() if status in PASSING)
    return (
        f"Of {compared} published figures compared, {passing} agree with ours so closely that a figure a quarter "
        "larger or smaller would not; this supports the readings stated with the tables, which were chosen by looking "
        "at the published figures, and proves neither these readings nor the papers, nor does it say how well a method "
        "protects a file."
    )


def legend_text(tables: Iterable[PaperTable]) -> str:
    """What the marks mean, how many cells have each, and what that shows."""
    counts = counts_of(tables)
    lines = ["First the paper's figure, below it the mean of our draws with a mark, below that their range."]
    for status, meaning in STATUSES.items():
        if status not in counts:
            continue
        start = f"  {MARKS[status]}  {counts[status]:>4} {status:<{_LONGEST_STATUS}} "
        lines += textwrap.wrap(meaning, WIDTH, initial_indent=start, subsequent_indent=" " * len(start))
    return "\n".join([*lines, *_wrapped(summary_text(counts))]) + "\n"


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def _label_width(table: PaperTable) -> int:
    return max(len("  paper"), *(len(row) for row in table.rows if len(row) <= _LONGEST_LABEL), 0)


def _cell_texts(cell: Cell | None) -> tuple[str, str, str]:
    """The three lines of a cell; a mark takes one character after our figure."""
    if cell is None:
        return ("", "", "")
    ours = figure_text(None if cell.ours is None else cell.ours.mean, cell.decimals)
    between = range_text(cell.ours, cell.decimals).replace(" to ", "–")
    return (f"{figure_text(cell.published, cell.decimals)} ", ours + MARKS[cell.status], between)


def _widths(table: PaperTable) -> dict[str, int]:
    return {
        column: max(
            len(column) + 1, *(len(text) for row in table.rows for text in _cell_texts(table.cell(row, column)))
        )
        + 1
        for column in table.columns
    }


def _fitting(table: PaperTable) -> list[list[str]]:
    """The columns cut into pieces that fit into the width."""
    widths, room = _widths(table), WIDTH - _label_width(table)
    pieces: list[list[str]] = [[]]
    for column in table.columns:
        if pieces[-1] and sum(widths[name] for name in pieces[-1]) + widths[column] > room:
            pieces.append([])
        pieces[-1].append(column)
    return pieces


def _block(table: PaperTable, columns: Sequence[str]) -> list[str]:
    widths, label = _widths(table), _label_width(table)
    lines = [" " * label + "".join(f"{column} ".rjust(widths[column]) for column in columns)]
    for row in table.rows:
        cells = [table.cell(row, column) for column in columns]
        rendered = list(zip(*(_cell_texts(cell) for cell in cells), strict=True))
        published = any(cell is not None and cell.published is not None for cell in cells)
        named = [f"  {name}" for name in _LINES]
        if len(row) > label:
            lines.append(row.rstrip())
        else:
            named[0 if published else 1] = row
        for number, texts in enumerate(rendered):
            if (number == 0 and not published) or (number == 2 and not any(texts)):
                continue
            figures = "".join(text.rjust(widths[column]) for text, column in zip(texts, columns, strict=True))
            lines.append(f"{named[number]:<{label}}{figures}".rstrip())
    return lines
