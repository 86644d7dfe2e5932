"""Tables of the pages, so that pictures of measured figures show what the page says."""

from __future__ import annotations

import re
from pathlib import Path


def table_of(page: str, headings: str) -> dict[str, dict[str, str]]:
    """The cells of the table that begins with these headings, by the first cell of the row and the heading."""
    lines = Path("docs", page).read_text(encoding="utf-8").splitlines()
    begin = next(i for i, found in enumerate(lines) if found.startswith(f"| {headings} |"))
    names, rows = _cells(lines[begin]), []
    for found in lines[begin + 2 :]:
        if not found.startswith("|"):
            break
        rows.append(_cells(found))
    return {row[0].replace("`", ""): dict(zip(names[1:], row[1:], strict=True)) for row in rows}


def number_in(cell: str) -> float:
    """The first number of a cell: of '82 %' it is 82, of '81 / 89' it is 81."""
    found = re.search(r"\d+(\.\d+)?", cell)
    if found is None:
        raise ValueError(f"{cell!r} holds no number")
    return float(found.group())


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]
