"""What a codebook says of the columns of a release: nothing but figures of the released file itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from microveil.core.open_types import Cell
from microveil.io.adapting import is_text
from microveil.io.cleaning import Clean, clean
from microveil.report.identity import done_to
from microveil.run.release import Release

MOST_CATEGORIES = 200  # that a codebook lists; a column with more is described by its number of values


@dataclass(frozen=True)
class Category:
    """A value that occurs in a column, its label, and how many released records have it."""

    value: Cell
    label: str
    count: int


@dataclass(frozen=True)
class Variable:
    """A column of the released file."""

    name: str
    title: str
    kind: str  # continuous, ordinal or nominal
    form: str  # number, text, date, time or true or false
    role: str
    valid: int
    missing: int
    distinct: int
    categories: tuple[Category, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict, hash=False)  # min, max, mean, stdev of numbers
    done: str = ""  # to protect it, in words
    more: bool = False  # than `distinct` values: so many that nobody counted them

    @property
    def is_weight(self) -> bool:
        """Whether the column says how many people or enterprises a record stands for."""
        return self.role == "weight"


def released_columns(release: Release, titles: bool = False) -> Clean:
    """The columns as every file of the release holds them: without identifiers, rounded, in the order written."""
    return clean(release, release.streams, shuffle=True, keep_identifiers=False, titles=titles)


def variables_of(release: Release, released: Clean) -> tuple[Variable, ...]:
    """Every column of the released file, described by what is in it."""
    by_text = {str(name): name for name in release.original.columns}
    return tuple(
        _variable(release, released, name, by_text[name], column)
        for name, column in zip(released.table.column_names, released.table.columns, strict=True)
    )


def _variable(release: Release, released: Clean, name: str, original: str, column: pa.ChunkedArray) -> Variable:
    role = release.original.roles[original]
    kind = _kind(role, released.kinds[name], column)
    counts = {one["values"].as_py(): one["counts"].as_py() for one in pc.value_counts(column.drop_null())}
    listed = kind != "continuous" and role != "household" and len(counts) <= MOST_CATEGORIES
    order = released.levels.get(name) or sorted(counts)
    labels = released.labels.get(name, {})
    return Variable(
        name,
        released.titles.get(name, ""),
        kind,
        form_of(column.type),
        role,
        len(column) - column.null_count,
        column.null_count,
        len(counts),
        tuple(Category(value, labels.get(value, ""), counts[value]) for value in order) if listed else (),
        _figures(column) if kind == "continuous" else {},
        done_to(release, original),
    )


def _kind(role: str, kind: str, column: pa.ChunkedArray) -> str:
    """The kind for users: a number of a household says who belongs together, and a weight is an amount."""
    if role == "weight" and form_of(column.type) == "number":
        return "continuous"
    return "nominal" if role == "household" else kind


def form_of(kind: pa.DataType) -> str:
    """What the values of a column are, in a word."""
    if pa.types.is_boolean(kind):
        return "true or false"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "date"
    if pa.types.is_time(kind):
        return "time"
    return "text" if is_text(kind) else "number"


def _figures(column: pa.ChunkedArray) -> dict[str, float]:
    if form_of(column.type) != "number" or column.null_count == len(column):
        return {}
    both = pc.min_max(column).as_py()
    spread = pc.stddev(column, ddof=1).as_py() if len(column) - column.null_count > 1 else None
    found = {"min": both["min"], "max": both["max"], "mean": pc.mean(column).as_py(), "stdev": spread}
    return {name: float(value) for name, value in found.items() if value is not None}
