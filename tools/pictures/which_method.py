"""The tree of questions of docs/which_method.md, drawn from the list on that page: what is there is here."""

from __future__ import annotations

import re
from pathlib import Path

from microveil.report.chart_svg import at, text
from tools.pictures.paper import COLOURS, WIDE, paper

_PAGE = Path("docs/which_method.md")
_LINE = re.compile(r"^( *)- (.+)$", re.MULTILINE)
_ROW, _INDENT, _TOP, _LEFT, _LEAF = 30.0, 34.0, 40.0, 20.0, 660.0


def picture() -> str:
    """Answers below their questions, and where each of them ends."""
    page = _PAGE.read_text(encoding="utf-8").split("## The tree")[1].split("\n## ")[0]
    rows = [(len(indent) // 4, said) for indent, said in _LINE.findall(page)]
    parts, last = [], dict[int, float]()
    for number, (depth, said) in enumerate(rows):
        y = _TOP + _ROW * number
        answer, question, leaf = _parts(said)
        x = _LEFT + _INDENT * depth
        if depth:
            above = last[depth - 1]
            parts.append(_bend(x - _INDENT / 2 - 4, above + 8, x - 6, y - 5))
        parts += _words(x, y, answer, question)
        if leaf:
            parts += _leaf(y, leaf)
        last[depth] = y
    told = "; ".join(re.sub(r"[*\[\]]|\(#[\w-]+\)", "", said) for _, said in rows)
    return paper("Which method for my data", told, _TOP + _ROW * len(rows), parts, WIDE)


def _parts(said: str) -> tuple[str, str, str]:
    """The answer, the question that follows, and the leaf that it ends in; each may be missing."""
    answer = re.search(r"(?<!\*)\*([^*]+)\*(?!\*)", said)
    question = re.search(r"\*\*([^*]+)\*\*", said)
    leaf = re.search(r"\[([^\]]+)\]", said)
    return _inside(answer), _inside(question), _inside(leaf)


def _inside(found: re.Match[str] | None) -> str:
    return found[1].rstrip(":") if found else ""


def _words(x: float, y: float, answer: str, question: str) -> list[str]:
    said = [text(x, y, answer, "mv-small")] if answer else []
    if question:
        shift = 7.0 * len(answer) + 12 if answer else 0.0
        marked = question[0].upper() + question[1:]
        said.append(f'<g font-weight="bold">{text(x + shift, y, marked, "")}</g>')
    return said


def _leaf(y: float, name: str) -> list[str]:
    """A box at the right with the name of the plan."""
    place = f'x="{at(_LEAF)}" y="{at(y - 18)}" width="260" height="25" rx="6"'
    return [f'<rect {place} fill="{COLOURS["green"]}" fill-opacity="0.18"/>', text(_LEAF + 10, y, name)]


def _bend(x0: float, y0: float, x1: float, y1: float) -> str:
    track = f"M{at(x0)} {at(y0)}V{at(y1)}H{at(x1)}"
    return f'<path d="{track}" fill="none" stroke="{COLOURS["grey"]}" stroke-width="1.5"/>'
