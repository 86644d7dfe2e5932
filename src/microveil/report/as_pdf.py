"""A report as PDF, by typst: tagged for those who cannot see it (PDF/UA-1), complete for archives (PDF/A-2a).

Everything that is said comes into the template as data and never as markup, so that no label is run. The same report
gives the same bytes: its date is that of the release, and its fonts are those that typst brings along.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass
from datetime import date
from html import unescape
from importlib.resources import files
from typing import Any

from microveil.core.errors import BadInput
from microveil.core.open_types import Json
from microveil.report.chart_svg import PAPER_STYLE, STYLE
from microveil.report.parts import Cell, Chart, Code, Report, Screen, Text
from microveil.report.showable import by_numbers, characters_not_shown
from microveil.report.typesetting import check_pdf, set_pdf

_LONG_WORD = re.compile(r"\S{25,}")
_NAMED = re.compile(r"<title>(.*?)</title><desc>(.*?)</desc>", re.DOTALL)
_NOT_SHOWN = (
    "Characters that the fonts of this PDF do not have are written by their numbers, as [U+4E2D]; HTML has them."
)


def as_pdf(report: Report) -> bytes:
    """The PDF of a report."""
    check_pdf()
    unknown = characters_not_shown(json.dumps(_told(report.parts), ensure_ascii=False) + report.title)
    parts = (*report.parts, Text(_NOT_SHOWN, "soft")) if unknown else report.parts
    day = _day(report.date)
    told = {
        "title": report.title or "Report",
        "running": f"{report.title} · {report.date}",
        "date": {"year": day.year, "month": day.month, "day": day.day},
        "parts": _told(parts),
    }
    template = files("microveil.report").joinpath("templates/report.typ").read_bytes()
    return set_pdf(template, report=json.dumps(_replaced(told, unknown)))


def _day(said: str) -> date:
    try:
        return date.fromisoformat(said)
    except ValueError:
        raise BadInput(f"the date of the report is {said!r}; a PDF needs it as 2026-11-16") from None


def _told(content: Any) -> Any:
    """Parts in plain JSON terms; of what is for screens the parts that stand for it."""
    if isinstance(content, str):
        return _LONG_WORD.sub(_with_breaks, content)
    if isinstance(content, tuple):
        shown = [part for one in content for part in (one.paper if isinstance(one, Screen) else (one,))]
        return [_told(part) for part in shown]
    if isinstance(content, Chart):
        return _chart(content)
    if not is_dataclass(content):
        return content
    whole = isinstance(content, Code) or (isinstance(content, Cell) and content.style == "hash")  # to be copied
    told = {one.name: getattr(content, one.name) for one in fields(content)}
    return {"part": type(content).__name__, **(told if whole else {name: _told(one) for name, one in told.items()})}


def _with_breaks(found: re.Match[str]) -> str:
    """A long word with places where a line may end: after signs that join words, else every dozen letters."""
    return re.sub(r"([_./,:;-]|[^\W_]{12})(?=\w)", "\\1\u200b", found[0])


def _chart(chart: Chart) -> Json:
    """A chart with the colours of paper, and what it says for those who cannot see it."""
    named = _NAMED.search(chart.svg)
    said = unescape(". ".join(one for one in named.groups() if one)) if named else "chart"
    return {"part": "Chart", "svg": chart.svg.replace(STYLE, PAPER_STYLE), "alt": said}


def _replaced(content: Any, unknown: frozenset[str]) -> Any:
    """The same with characters that cannot be shown written by their numbers."""
    if isinstance(content, str):
        return by_numbers(content, unknown)
    if isinstance(content, list):
        return [_replaced(one, unknown) for one in content]
    return {name: _replaced(one, unknown) for name, one in content.items()} if isinstance(content, dict) else content
