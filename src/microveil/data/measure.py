"""Measures: frozen values that compare an original with its release, or look at a release alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from microveil.core.errors import BadInput
from microveil.core.measured import Better, Measured, NotApplicable
from microveil.core.registry import Value
from microveil.data import frames
from microveil.data.microdata import Microdata
from microveil.data.release import Release
from microveil.data.schema import check_names
from microveil.data.table import Table, Values

Matrix = NDArray[np.float64]
Linked = bool | NDArray[np.int64]


@dataclass(frozen=True)
class Pair:
    """An original file and its protected version, seen through common columns.

    `link` is the original row of each protected row (-1: synthetic), None when nobody knows which
    rows belong together. For a single file both sides are that file. `perturbed` names the columns whose
    released values are not true ones made coarser, and the method that changed them, where that is known.
    """

    before: Microdata
    after: Microdata
    link: NDArray[np.int64] | None
    columns: tuple[str, ...]
    before_rows: NDArray[np.int64] | None = None
    after_rows: NDArray[np.int64] | None = None
    perturbed: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, original: Any, protected: Any = None, columns: Sequence[str] | None = None, linked: Linked = True
    ) -> Pair:
        """The pair of what a user gives: frames, Microdata or a Release; `linked` may be the link itself."""
        if isinstance(original, Release) and protected is None:
            original, protected = original.original, original
        before = original.original if isinstance(original, Release) else Microdata.of(original)
        link: NDArray[np.int64] | None
        if protected is None:
            after, link = before, np.arange(before.n, dtype=np.int64)
        elif isinstance(protected, Release):
            after, link = protected.data, protected.origin
        else:
            after = protected if isinstance(protected, Microdata) else _like(before, protected)
            link = np.arange(before.n, dtype=np.int64) if before.n == after.n else None
        common = [name for name in before.columns if name in after.columns]
        if not common:
            raise BadInput(f"the two files share no column: {list(before.columns)[:8]} and {list(after.columns)[:8]}")
        if columns is not None:
            check_names(tuple(columns), common, "columns")
        chosen = tuple(columns) if columns is not None else tuple(name for name in common if name in before.names())
        if isinstance(linked, np.ndarray):
            if len(linked) != after.n:
                raise BadInput(f"the link has {len(linked)} rows and the protected file {after.n}")
            link = linked.astype(np.int64)
        elif not linked:
            link = None
        perturbed = protected.perturbed if isinstance(protected, Release) else {}
        return cls(before, after, link, chosen, perturbed=perturbed)

    @property
    def single(self) -> bool:
        """Whether there is only one file."""
        return self.before is self.after

    def of_kind(self, *kinds: str) -> tuple[str, ...]:
        """The common columns of these kinds in the original; amounts recoded to text are of no kind any more."""
        return tuple(name for name in self.columns if self.before.kinds[name] in kinds and not self.recoded(name))

    def recoded(self, name: str) -> bool:
        """Whether an amount of the original is text in the protected file (classes such as 20-29)."""
        return self.before.kinds[name] == "continuous" and not frames.is_numeric(self.after.narwhal.get_column(name))

    def only(self, columns: Sequence[str]) -> Pair:
        """The pair seen through fewer columns."""
        return replace(self, columns=tuple(columns))

    def domain(self, originals: NDArray[np.int64], released: NDArray[np.int64]) -> Pair:
        """The pair restricted to a subdomain, given by rows of each file."""
        return replace(self, before_rows=originals, after_rows=released)

    @property
    def rows_before(self) -> NDArray[np.int64]:
        """The rows of the original in view."""
        return np.arange(self.before.n, dtype=np.int64) if self.before_rows is None else self.before_rows

    @property
    def rows_after(self) -> NDArray[np.int64]:
        """The rows of the protected file in view."""
        return np.arange(self.after.n, dtype=np.int64) if self.after_rows is None else self.after_rows

    def tables(self, names: Sequence[str]) -> tuple[Table, Table]:
        """Both files' columns as arrays, categorical ones in one common coding."""
        before, after = {}, {}
        for name in names:
            x, y = self._common(name)
            before[name] = x if self.before_rows is None else x.take(self.before_rows)
            after[name] = y if self.after_rows is None else y.take(self.after_rows)
        return Table(before, len(self.rows_before)), Table(after, len(self.rows_after))

    def _common(self, name: str) -> tuple[Values, Values]:
        if self.recoded(name):
            x, y = self.before.values(name, "nominal"), self.after.values(name, "nominal")
        elif self.before.kinds[name] == "continuous":
            return self.before.values(name), self.after.values(name, "continuous")
        else:
            x, y = self.before.values(name), self.after.values(name, self.before.kinds[name])
        if x.levels == y.levels:
            return x, y
        levels = (*(x.levels or ()), *(level for level in y.levels or () if level not in set(x.levels or ())))
        position = {level: i for i, level in enumerate(levels)}
        lookup = np.array([*(position[level] for level in y.levels or ()), -1], dtype=np.int64)
        return replace(x, levels=levels), replace(y, data=lookup[y.data], levels=levels)

    @cached_property
    def linked_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Positions in view (in the original, in the protected file) of the rows that belong together."""
        if self.link is None:
            raise BadInput("nobody knows which rows of the two files belong together")
        position = np.full(self.before.n, -1, dtype=np.int64)
        position[self.rows_before] = np.arange(len(self.rows_before))
        source = self.link[self.rows_after]
        found = np.where(source >= 0, position[np.maximum(source, 0)], -1)
        return found[found >= 0], np.flatnonzero(found >= 0).astype(np.int64)


def _like(before: Microdata, protected: Any) -> Microdata:
    """The protected frame with what is known about the original's columns."""
    opened = frames.open_frame(protected)
    kinds, levels = {}, {}
    for name, column in before.schema.items():
        if name in opened.columns and column.kind == "continuous" and not frames.is_numeric(opened.get_column(name)):
            kinds[name] = "nominal"  # recoded to text
        if name in opened.columns and column.levels is not None and column.kind != "continuous":
            levels[name] = _extended(column.levels, opened.get_column(name))
    return before.with_(protected, kinds=kinds, levels=levels)


def _extended(levels: tuple[Any, ...], released: frames.Series) -> tuple[Any, ...]:
    """The declared levels followed by those that only the protected file has."""
    found = [level for level in released.unique().to_list() if level is not None and level not in levels]
    return (*levels, *sorted(found, key=str))


@dataclass(frozen=True, kw_only=True)
class Measure(Value):
    """Base of all measures of loss and risk."""

    kinds: ClassVar[tuple[str, ...]] = ("continuous",)
    better: ClassVar[Better] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    unit: ClassVar[str] = ""
    paired: ClassVar[bool] = False  # needs to know which rows belong together
    alone: ClassVar[bool] = False  # looks at the protected file alone
    title: ClassVar[str] = ""
    overview_limit: ClassVar[int | None] = None  # records above which an overview leaves it out: it takes long

    def __call__(
        self,
        original: Any,
        protected: Any = None,
        *,
        columns: Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        linked: Linked = True,
    ) -> Measured | NotApplicable:
        """Measure a release against its original; rows of two frames of equal length are taken to correspond.

        `columns` restricts what is compared, `by` measures inside subdomains of the original,
        `linked=False` says that nobody knows which rows belong together; an array gives the original row
        of each protected row (-1: none).
        """
        if protected is None and not self.alone and not isinstance(original, Release):
            raise BadInput(f"{self.name} compares two files; give the original and the protected one")
        pair = Pair.of(original, protected, columns, linked)
        return self.on(pair) if by is None else self._by_domain(pair, by)

    def on(self, pair: Pair) -> Measured | NotApplicable:
        """Measure a pair, or say why that is impossible."""
        names = self.choose(pair)
        if not names:
            return self.not_applicable(f"there is no {' or '.join(self.kinds)} column to look at")
        if self.paired and pair.link is None:
            return self.not_applicable("nobody knows which rows of the two files belong together")
        if self.paired and not len(pair.linked_rows[0]):
            return self.not_applicable("no protected record comes from an original one")
        return self.measure(pair.only(names))

    def choose(self, pair: Pair) -> tuple[str, ...]:
        """The columns this measure looks at, among those of the pair."""
        return pair.of_kind(*self.kinds)

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        """The figure for a pair whose columns all fit."""
        raise TypeError(f"{type(self).__name__} does not say how it measures")

    @property
    def _unit_text(self) -> str:
        return f" {self.unit}" if self.unit else ""

    # -- for members -----------------------------------------------------------------------------

    def measured(self, value: float, *, parts: Mapping[str, float] | None = None, **more: Any) -> Measured:
        """A figure of this measure."""
        fixed: dict[str, Any] = {"better": self.better, "bounds": self.bounds, "unit": self.unit, **more}
        return Measured(self.name, float(value), parts=dict(parts or {}), **fixed)

    def not_applicable(self, reason: str) -> NotApplicable:
        """Why this measure says nothing here."""
        return NotApplicable(self.name, reason)

    def complete(self, pair: Pair) -> tuple[Matrix, Matrix, tuple[str, ...]]:
        """Both files as matrices, each without its incomplete rows, and a note on what was left out."""
        before, after = pair.tables(pair.columns)
        X, Y = before.matrix(), after.matrix()
        kept = [_complete_rows(X), _complete_rows(Y)]
        return kept[0], kept[1], _left_out(len(X) - len(kept[0]), len(X), len(Y) - len(kept[1]), len(Y))

    def complete_pairs(self, pair: Pair) -> tuple[Matrix, Matrix, tuple[str, ...]]:
        """Both files as matrices row by row, without rows incomplete in either, and a note."""
        before, after = pair.tables(pair.columns)
        left, right = pair.linked_rows
        X, Y = _taken(before.matrix(), left), _taken(after.matrix(), right)
        gaps = np.isnan(X).any(axis=1) | np.isnan(Y).any(axis=1)
        if not gaps.any():
            return X, Y, ()
        return X[~gaps], Y[~gaps], (f"{int(gaps.sum())} of {len(X)} records with missing values were left out",)

    def _by_domain(self, pair: Pair, by: str | Sequence[str]) -> Measured | NotApplicable:
        labels, texts = pair.before.domains(by)
        if pair.link is not None:
            of_after = np.where(pair.link >= 0, labels[np.maximum(pair.link, 0)], -1)
        else:
            after_labels, after_texts = pair.after.domains(by)
            number = {text: i for i, text in enumerate(texts)}
            of_after = np.array([number.get(text, -1) for text in after_texts], dtype=np.int64)[after_labels]
        found: dict[str, Measured] = {}
        skipped: list[str] = []
        for i, text in enumerate(texts):
            part = self.on(pair.domain(np.flatnonzero(labels == i), np.flatnonzero(of_after == i)))
            if isinstance(part, Measured):
                found[text] = part
            else:
                skipped.append(f"{text}: {part.reason}")
        if not found:
            return self.not_applicable(f"in no subdomain ({'; '.join(skipped[:3])})")
        value = float(np.mean([part.value for part in found.values()]))
        return self.measured(
            value,
            domains=found,
            parts={text: part.value for text, part in found.items()},
            reading=f"On average over {len(found)} subdomains the figure is {value:.4g}{self._unit_text}.",
            notes=tuple(skipped),
        )


def _taken(X: Matrix, rows: NDArray[np.int64]) -> Matrix:
    """Some rows of a matrix; the matrix itself, not a copy, when these are all rows in order."""
    everything = len(rows) == len(X) and bool((rows == np.arange(len(X))).all())
    return X if everything else X[rows]


def _complete_rows(X: Matrix) -> Matrix:
    gaps = np.isnan(X).any(axis=1)
    return X[~gaps] if gaps.any() else X


def _left_out(x_dropped: int, x_rows: int, y_dropped: int, y_rows: int) -> tuple[str, ...]:
    notes = []
    if x_dropped:
        notes.append(f"{x_dropped} of {x_rows} original records with missing values were left out")
    if y_dropped:
        notes.append(f"{y_dropped} of {y_rows} protected records with missing values were left out")
    return tuple(notes)
