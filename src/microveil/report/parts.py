"""The parts that reports are made of: what is said, apart from how it is shown.

A report is a list of parts. `as_html` makes a page of them and `as_pdf` a document for paper; what users wrote is text
in both and never markup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Words:
    """A piece of a sentence that stands out, or back; `below` begins a line of its own."""

    text: str
    style: Literal["strong", "soft", "small", "below"] = "strong"


Said = str | tuple[str | Words, ...]


@dataclass(frozen=True)
class Heading:
    """A heading; those of level 2 begin a section."""

    text: str
    level: Literal[2, 3] = 2


@dataclass(frozen=True)
class Text:
    """A paragraph; `soft` ones explain, a `line` sums up."""

    said: Said
    style: Literal["", "soft", "line"] = ""


@dataclass(frozen=True)
class Note:
    """A paragraph that nobody may overlook."""

    said: Said


@dataclass(frozen=True)
class Items:
    """A list, with numbers where the order matters."""

    items: tuple[Said, ...]
    ordered: bool = False
    style: Literal["", "soft", "broken"] = ""


@dataclass(frozen=True)
class Column:
    """The head of a column of a table; where there is room for one column only, `told` ones say it in every cell."""

    title: str
    number: bool = False
    told: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell that is shown in a way of its own: as a name, a hash, a state."""

    said: Said
    style: Literal["", "value", "name", "hash", "holds", "broken", "proven"] = ""


@dataclass(frozen=True)
class Row:
    """The cells of a row, and what stands below them across the table."""

    cells: tuple[Said | Cell, ...]
    more: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table; one without heads of columns has heads of rows, which are the first cells."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    style: Literal["", "figures", "figures attacks", "figures measures", "figures tight", "tight"] = ""


@dataclass(frozen=True)
class Pairs:
    """Many small figures, each with its name."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Code:
    """Text as a file holds it, line by line."""

    text: str


@dataclass(frozen=True)
class Chart:
    """A chart as SVG text, made of the pieces of `chart_svg`."""

    svg: str


@dataclass(frozen=True)
class Beside:
    """Charts side by side."""

    charts: tuple[Chart, ...]


@dataclass(frozen=True)
class Fold:
    """What is behind a line until somebody opens it; on paper it is open."""

    summary: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Decision:
    """The box with the decision: `yes`, `doubt` or `no`, or neither."""

    parts: tuple[Part, ...]
    state: Literal["", "yes", "doubt", "no"] = ""


@dataclass(frozen=True)
class Step:
    """Paragraphs about one step of a plan."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Lines:
    """Lines to write on, each with what belongs there, and for whom they are."""

    labels: tuple[str, ...]
    name: str = ""


@dataclass(frozen=True)
class Screen:
    """What works on a screen only, as markup of ours, and the parts that stand for it on paper."""

    html: str
    paper: tuple[Part, ...] = ()


Part = Heading | Text | Note | Items | Table | Pairs | Code | Chart | Beside | Fold | Decision | Step | Lines | Screen


@dataclass(frozen=True)
class Report:
    """A whole report: `date` is that of the release in ISO form; `alive`: it holds a map that needs its script."""

    title: str
    date: str
    parts: tuple[Part, ...]
    alive: bool = False
