"""The pieces that all charts are drawn with: text, shapes, scales and one style.

A chart is one inline `svg` element without script, reference or font of its own. Text takes the colour
and the font of the page; the few colours are CSS variables with fallbacks that can be read on light and
on dark pages and in print.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from itertools import takewhile

# text of 11 px at least where the chart is 390 px wide, as on a telephone
WIDTH = 480
FONT_SIZE = 14
SMALL = 13.6

STYLE = (
    "<style>"
    ".mv-chart{max-width:100%;height:auto;font-family:inherit;font-size:14px;"
    "font-variant-numeric:tabular-nums;print-color-adjust:exact}"
    ".mv-chart text{fill:currentColor}"
    ".mv-chart .mv-title{font-size:16px;font-weight:600}"
    ".mv-chart .mv-soft{fill-opacity:.7}"
    ".mv-chart .mv-small{font-size:13.6px}"
    ".mv-chart .mv-grid{stroke:currentColor;stroke-opacity:.13}"
    ".mv-chart .mv-axis{stroke:currentColor;stroke-opacity:.5}"
    ".mv-chart .mv-spread{stroke:currentColor;stroke-opacity:.45;stroke-width:1}"
    ".mv-chart .mv-track{stroke:currentColor;stroke-opacity:.16;stroke-width:2;stroke-linecap:round}"
    ".mv-chart .mv-before{fill:var(--mv-before,#93a4b8);fill-opacity:.62}"
    ".mv-chart .mv-after{fill:var(--mv-after,#2f6fb7)}"
    ".mv-chart .mv-outline{fill:none;stroke:var(--mv-after,#2f6fb7);stroke-width:1.8;stroke-linejoin:round}"
    ".mv-chart .mv-up{fill:var(--mv-up,#d1603d)}"
    ".mv-chart .mv-down{fill:var(--mv-down,#3b82c4)}"
    ".mv-chart .mv-empty{fill:currentColor;fill-opacity:.05}"
    ".mv-chart .mv-frontier{fill:none;stroke:var(--mv-after,#2f6fb7);stroke-width:1.6;stroke-opacity:.75}"
    ".mv-chart .mv-reference{fill:none;stroke:currentColor;stroke-opacity:.75;stroke-width:1.4}"
    ".mv-chart .mv-limit{stroke:var(--bad,#b83a45);stroke-width:1.4;stroke-dasharray:6 4}"
    "</style>"
)
# paper takes neither colours nor fonts from a page around it
PAPER_STYLE = (
    re.sub(r"var\(--[\w-]+,(#[0-9a-f]+)\)", r"\1", STYLE)
    .replace("currentColor", "#1d2733")
    .replace("font-family:inherit", "font-family:Libertinus Serif")
)


def draw(title: str, description: str, height: float, parts: Iterable[str], width: float = WIDTH) -> str:
    """The whole chart: accessible name and description, style, then the parts in painting order."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mv-chart" role="img" width="{at(width)}" '
        f'viewBox="0 0 {at(width)} {at(height)}"><title>{clean(title)}</title><desc>{clean(description)}</desc>'
        f"{STYLE}{''.join(parts)}</svg>"
    )


def draw_message(title: str, message: str) -> str:
    """A chart that says why there is nothing to draw."""
    parts = [heading(title), text(0, 40, message, "mv-soft")]
    return draw(title, message, 52, parts)


def heading(title: str, note: str = "") -> str:
    """The title at the top left and a note below it."""
    first = text(0, 15, shorten(title, 250, 16), "mv-title", tip=title)
    return first + (text(0, 34, shorten(note, WIDTH, SMALL), "mv-soft mv-small", tip=note) if note else "")


def legend(entries: Sequence[tuple[str, str]], y: float = 9, width: float = WIDTH) -> str:
    """Swatches with their names at the top right: (class, name)."""
    parts, x = [], float(width)
    for swatch, name in reversed(entries):
        x -= text_width(name, SMALL) + 2
        parts.append(text(x, y + 4, name, "mv-small"))
        x -= 20
        line = swatch == "mv-outline"
        parts.append(
            f'<path class="{swatch}" d="M{at(x)} {at(y)}h14"/>' if line else rectangle(x, y - 5, 14, 10, swatch)
        )
        x -= 10
    return "".join(parts)


def text(x: float, y: float, content: str, style: str = "", anchor: str = "start", tip: str | None = None) -> str:
    """One line of text; `tip` is what a pointer resting on it shows."""
    classes = f' class="{style}"' if style else ""
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    hint = "" if tip is None or tip == content else f"<title>{clean(tip)}</title>"
    return f'<text x="{at(x)}" y="{at(y)}"{classes}{where}>{hint}{clean(content)}</text>'


def rectangle(
    x: float, y: float, width: float, height: float, style: str, tip: str = "", opacity: float | None = None
) -> str:
    """A filled rectangle."""
    extra = "" if opacity is None else f' fill-opacity="{at(opacity)}"'
    shape = f'<rect x="{at(x)}" y="{at(y)}" width="{at(width)}" height="{at(height)}" class="{style}"{extra}'
    return f"{shape}><title>{clean(tip)}</title></rect>" if tip else f"{shape}/>"


def line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    """A straight line."""
    return f'<line x1="{at(x1)}" y1="{at(y1)}" x2="{at(x2)}" y2="{at(y2)}" class="{style}"/>'


def at(value: float) -> str:
    """A coordinate with two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))


def clean(content: str) -> str:
    """Text that can stand in a page: markup escaped, characters that no page may hold replaced."""
    kept = "".join(
        c if c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff" else " " for c in content
    )
    return escape(kept, quote=True)


_NARROWEST = 0.38
_BLANKS = 100  # at the cut, which are taken away


def text_width(content: str, size: float = FONT_SIZE) -> float:
    """An estimate of the width of text in an unknown proportional font, rather too wide."""
    return size * sum(_character_width(character) for character in content)


def _character_width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF" or character in "mwMW%@…":
        return 1.0
    if character in "ijltfrI.,:;'|!()[] ":
        return _NARROWEST
    return 0.72 if character.isupper() else 0.64


def shorten(content: str, width: float, size: float = FONT_SIZE) -> str:
    """Text cut to a width, with an ellipsis in the middle where something was cut: names differ at either end."""
    if text_width(content, size) <= width:
        return content
    # of texts of many pages only the ends can be shown: no more than the narrowest letters would fill, and blanks
    kept = min(len(content) - 1, int(width / (_NARROWEST * size)) + _BLANKS)
    while kept and text_width(_without_middle(content, kept), size) > width:
        kept -= 1
    return _without_middle(content, kept)


def shorten_apart(contents: Sequence[str], width: float, size: float = FONT_SIZE) -> list[str]:
    """Texts cut to a width so that different ones stay different."""
    out = [shorten(content, width, size) for content in contents]
    for cut in dict.fromkeys(out):
        alike = [i for i, other in enumerate(out) if other == cut]
        if len({contents[i] for i in alike}) > 1:
            # where the first letters stop being the same
            begin = sum(1 for _ in takewhile(_all_equal, zip(*(contents[i] for i in alike), strict=False)))
            for number, i in enumerate(alike, start=1):
                told = shorten("…" + contents[i][begin:], width, size)
                out[i] = told if told not in out else shorten(f"{number}: {contents[i]}", width, size)
    return out


def _all_equal(letters: tuple[str, ...]) -> bool:
    return len(set(letters)) == 1


def _without_middle(content: str, kept: int) -> str:
    first = (kept + 1) // 2
    return f"{content[:first].rstrip()}…{content[len(content) - (kept - first) :].lstrip()}"


def nice_step(span: float, count: int) -> float:
    """A step of 1, 2, 2.5 or 5 times a power of ten that cuts the span in about `count` pieces.

    >>> nice_step(97, 5), nice_step(0.3, 3)
    (20.0, 0.1)
    """
    raw = span / max(count, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    return next((power * m for m in (1.0, 2.0, 2.5, 5.0) if raw <= power * m * 1.0000001), power * 10)


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers inside [low, high]."""
    if not high > low:
        return [low]
    step = nice_step(high - low, count)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)]
