"""Published tables beside ours: what a cell, a table and the list of tables are.

A table is one function, registered under the name the command line uses:

    @paper_table("cholesky-1.2", "Loss and risk on the whole file", CHOLESKY, draws=10)
    def overall(draws: int, key: Key) -> Content:
        ...
        return Content(cells=cells, reading=("Microaggregation is MDAV with k = 3 on all attributes.",))

Statuses are computed from the numbers by one rule (`status_of`). A table may declare two facts: that a published zero
is kept by proof, and that a figure cannot be compared, with the reason. Neither makes a cell pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from microveil.core.errors import BadInput, UnknownName
from microveil.core.parameters import nearest
from microveil.core.streams import Key, Streams
from microveil.reproduce.status import STATUSES, Range, Status, status_of

DEFAULT_SEED = "published tables, ours beside theirs"


@dataclass(frozen=True)
class Cell:
    """One figure of a published table beside ours; `decimals` are those printed in the paper."""

    row: str
    column: str
    published: float | None
    ours: Range | None
    decimals: int = 1
    reason: str = ""  # why the two are not compared
    exact_zero: bool = False  # the method keeps this figure at 0 by proof

    @property
    def status(self) -> Status:
        """How the two compare, by the rule of `status_of`."""
        if self.reason:
            return "not comparable"
        return status_of(self.published, self.ours, self.decimals, exact_zero=self.exact_zero)


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
        return tuple(dict.fromkeys(f"Not comparable: {cell.reason}." for cell in self.cells if cell.reason))


def counts_of(tables: Iterable[PaperTable]) -> dict[Status, int]:
    """How many cells of the tables have each status, in the order of `STATUSES`."""
    return tally(cell for table in tables for cell in table.cells)


def tally(cells: Iterable[Cell]) -> dict[Status, int]:
    """How many of the cells have each status, in the order of `STATUSES`."""
    found = Counter(cell.status for cell in cells)
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
            raise BadInput(f"draws must be 1 or more; {number} was given")
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


def compare_with_published(
    published: Mapping[str, str],
    columns: Sequence[str],
    ours: Mapping[str, Sequence[Mapping[str, float]]],
    decimals: int,
    exact_zeros: Mapping[str, Collection[str]] | None = None,
) -> tuple[Cell, ...]:
    """Cells of a table typed row by row: `published[row]` is its line as printed, "-" where it prints nothing.

    `ours[row]` holds the figures by column of every draw (one for a method that draws nothing); `exact_zeros[row]` the
    columns that the row's method keeps at 0 by proof.
    """
    cells = []
    for row, line in published.items():
        printed = line.split()
        if len(printed) != len(columns):
            raise BadInput(f"row {row!r} has {len(printed)} printed figures for {len(columns)} columns")
        kept = (exact_zeros or {}).get(row, ())
        for column, text in zip(columns, printed, strict=True):
            values = [figures[column] for figures in ours.get(row, ()) if column in figures]
            figure = None if text == "-" else float(text)
            found = Range.of(values) if values else None
            cells.append(Cell(row, column, figure, found, decimals, exact_zero=column in kept))
    return tuple(cells)
