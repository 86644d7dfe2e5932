"""Cards for notebooks: small pieces of HTML that take the colours of the page they stand in.

Everything is escaped but what these functions made themselves (`Html`). There is no script and no style sheet, so that
a card reads the same on a light and on a dark page, and in a saved notebook that nobody trusts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_LINE = "1px solid rgba(128,128,128,.35)"
_CELL = f"text-align:left;vertical-align:top;padding:3px 14px 3px 0;border-bottom:{_LINE};white-space:normal"
_HEAD = f"{_CELL};opacity:.7;font-weight:600"


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def shown(content: object) -> str:
    """Content as markup: escaped unless it is markup already."""
    return content if isinstance(content, Html) else escape(str(content))


def card(title: str, *parts: Html) -> str:
    """A box with a title."""
    style = f"border:{_LINE};border-radius:8px;padding:.6em 1em;max-width:64em;line-height:1.45"
    return f'<div style="{style}"><div style="font-weight:600">{escape(title)}</div>{"".join(parts)}</div>'


def paragraph(content: object) -> Html:
    """A paragraph."""
    return Html(f'<p style="margin:.35em 0">{shown(content)}</p>')


def listed(contents: Iterable[object]) -> Html:
    """A list; nothing for no content."""
    items = "".join(f"<li>{shown(content)}</li>" for content in contents)
    return Html(f'<ul style="margin:.35em 0">{items}</ul>' if items else "")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Html:
    """A table; nothing for no rows."""
    lines = ["<tr>" + "".join(f'<td style="{_CELL}">{shown(cell)}</td>' for cell in row) + "</tr>" for row in rows]
    if not lines:
        return Html("")
    names = "".join(f'<th style="{_HEAD}">{escape(name)}</th>' for name in head)
    style = "border-collapse:collapse;margin:.4em 0"
    return Html(f'<table style="{style}"><thead><tr>{names}</tr></thead><tbody>{"".join(lines)}</tbody></table>')


def folded(summary: str, content: Html) -> Html:
    """Content behind a line to click on; nothing for no content."""
    if not content:
        return content
    return Html(f'<details><summary style="cursor:pointer">{escape(summary)}</summary>{content}</details>')


def tiny_bars(shares: Sequence[float]) -> Html:
    """A histogram as high as a line of text."""
    if not any(shares):
        return Html("")
    top, width, height = max(shares), 7, 18
    bars = "".join(
        f'<rect x="{i * width}" y="{height * (1 - share / top):.1f}" width="{width - 1}" '
        f'height="{height * share / top:.1f}"/>'
        for i, share in enumerate(shares)
    )
    size = f'width="{len(shares) * width}" height="{height}"'
    return Html(f'<svg {size} style="fill:currentColor;opacity:.6" role="img" aria-label="histogram">{bars}</svg>')
