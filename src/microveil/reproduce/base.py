"""Published tables beside ours: what a cell, a table and the list of tables are.

A table is one function, registered under the name the command line uses:

    @paper_table("cholesky-1.2", "Loss and risk on the whole file", CHOLESKY, draws=10)
    def overall(draws: int, key: Key) -> Content:
        ...
        return Content(cells=cells, reading=("Microaggregation is MDAV with k = 3 on all attributes.",))

Statuses are computed from the numbers by one rule (`status_of`), never set by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from microveil.core.errors import BadInput, UnknownName
from microveil.core.parameters import nearest
from microveil.core.streams import Key, Streams

Status = Literal["reproduced", "within range", "near", "unresolved", "ours only", "not available"]

STATUSES: dict[Status, str] = {
    "reproduced": "the mean of our draws equals the published figure to the digits printed",
    "within range": "the published figure lies in our range over draws, widened by a quarter of it at either end",
    "near": "off that range by at most a tenth of the published figure or two units of its last digit",
    "unresolved": "further off under the reading stated; printed as it is",
    "ours only": "nothing is published to compare with",
    "not available": "not compared, for the reason given with the table",
}
WIDENED = 0.25
NEAR_SHARE = 0.1
NEAR_UNITS = 2

DEFAULT_SEED = "published tables, ours beside theirs"


@dataclass(frozen=True)
class Range:
    """Our figure over the draws; for a method that draws nothing the three are one."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Range:
        """Mean, smallest and largest of the draws."""
        if not len(values):
            raise BadInput("a cell needs at least one value of ours")
        return cls(float(np.mean(values)), float(np.min(values)), float(np.max(values)))


@dataclass(frozen=True)
class Cell:
    """One figure of a published table beside ours; `decimals` are those printed in the paper."""

    row: str
    column: str
    published: float | None
    ours: Range | None
    decimals: int = 1
    reason: str = ""  # why the two are not compared; with it the status is "not available"

    @property
    def status(self) -> Status:
        """How the two compare, by the rule of `status_of`."""
        return "not available" if self.reason else status_of(self.published, self.ours, self.decimals)


def status_of(published: float | None, ours: Range | None, decimals: int) -> Status:
    """The rule: compare a printed figure with our range over the draws.

    Widening by a quarter at either end: a range over few draws is too narrow to hold the next one.
    """
    if ours is None or not np.isfinite([ours.mean, ours.low, ours.high]).all():
        return "not available"
    if published is None:
        return "ours only"
    unit = 10.0**-decimals
    half = unit * (0.5 + 1e-6)  # 1e-6: halves are not exact in binary
    if abs(ours.mean - published) <= half:
        return "reproduced"
    slack = half + WIDENED * (ours.high - ours.low)
    off = max(ours.low - published, published - ours.high) - slack
    if off <= 0:
        return "within range"
    return "near" if off <= max(NEAR_SHARE * abs(published), NEAR_UNITS * unit) else "unresolved"


@dataclass(frozen=True)
class Content:
    """What the function of a table returns: the cells, the reading in plain sentences, remarks."""

    cells: tuple[Cell, ...]
    reading: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PaperTable:
    """A published table with ours beside it, ready to print."""

    name: str
    title: str
    paper: str
    reading: tuple[str, ...]
    draws: int
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows in order."""
        return tuple(dict.fromkeys(cell.row for cell in self.cells))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns in order."""
        return tuple(dict.fromkeys(cell.column for cell in self.cells))

    def cell(self, row: str, column: str) -> Cell | None:
        """The cell in this place, None where the table has a gap."""
        return next((cell for cell in self.cells if (cell.row, cell.column) == (row, column)), None)

    @property
    def counts(self) -> dict[Status, int]:
        """How many cells have each status."""
        return counts_of([self])

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why cells are not compared, each reason once."""
        return tuple(dict.fromkeys(f"Not available: {cell.reason}." for cell in self.cells if cell.reason))


def counts_of(tables: Iterable[PaperTable]) -> dict[Status, int]:
    """How many cells of the tables have each status, in the order of `STATUSES`."""
    found = Counter(cell.status for table in tables for cell in table.cells)
    return {status: found[status] for status in STATUSES if found[status]}


# -- the list of tables ------------------------------------------------------------------------------

Run = Callable[[int, Key], Content]


@dataclass(frozen=True)
class Reproduction:
    """A table that can be run: its name on the command line, what it shows, and its usual number of draws."""

    name: str
    title: str
    paper: str
    draws: int
    function: Run
    data: tuple[str, ...] = ()  # the reference files it reads

    def run(self, draws: int | None = None, key: Key | None = None) -> PaperTable:
        """Compute the table; the same key and number of draws give the same figures."""
        number = self.draws if draws is None else draws
        if number < 1:
            raise BadInput(f"draws={number} is outside [1, inf)")
        content = self.function(number, Key.of(DEFAULT_SEED) if key is None else key)
        return PaperTable(self.name, self.title, self.paper, content.reading, number, content.cells, content.notes)


_TABLES: dict[str, Reproduction] = {}
_FAMILIES = ("pil-", "cholesky-", "microhybrid-", "local-synthesis-")


def paper_table(name: str, title: str, paper: str, *, draws: int, data: tuple[str, ...] = ()) -> Callable[[Run], Run]:
    """Register a function of (draws, key) as a table under this name; `data` names the reference files it reads."""

    def register(function: Run) -> Run:
        if name in _TABLES:
            raise BadInput(f"there are two tables called {name!r}")
        _TABLES[name] = Reproduction(name, title, paper, draws, function, data)
        return function

    return register


def tables() -> tuple[Reproduction, ...]:
    """All tables, those of one paper together, papers in the order of their years; our own last."""
    place = {family: number for number, family in enumerate(_FAMILIES)}
    known = [next((place[family] for family in _FAMILIES if name.startswith(family)), len(place)) for name in _TABLES]
    return tuple(found for _, found in sorted(zip(known, _TABLES.values(), strict=True), key=lambda pair: pair[0]))


def table(name: str) -> Reproduction:
    """The table of this name."""
    if name not in _TABLES:
        hint = nearest(name, _TABLES) or f"; there are {', '.join(_TABLES)}"
        raise UnknownName(f"no table called {name!r}{hint}")
    return _TABLES[name]


# -- what the functions of the tables share ----------------------------------------------------------


def draw_keys(key: Key, draws: int, *path: str | int) -> list[Key]:
    """One key per draw, below the key of the run; `path` says for what, so that no two uses share numbers."""
    streams = Streams(key).at("reproduce", *path)
    return [Key.of(streams.at(number).words(0, 4).tobytes()) for number in range(draws)]


def compared(
    published: Mapping[str, str],
    columns: Sequence[str],
    ours: Mapping[str, Sequence[Mapping[str, float]]],
    decimals: int,
) -> tuple[Cell, ...]:
    """Cells of a table typed row by row: `published[row]` is its line as printed, "-" where it prints nothing.

    `ours[row]` holds the figures by column of every draw (one for a method that draws nothing).
    """
    cells = []
    for row, line in published.items():
        printed = line.split()
        if len(printed) != len(columns):
            raise BadInput(f"row {row!r} has {len(printed)} printed figures for {len(columns)} columns")
        for column, text in zip(columns, printed, strict=True):
            values = [figures[column] for figures in ours.get(row, ()) if column in figures]
            cells.append(
                Cell(row, column, None if text == "-" else float(text), Range.of(values) if values else None, decimals)
            )
    return tuple(cells)
