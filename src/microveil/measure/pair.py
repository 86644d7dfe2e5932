"""An original file beside its protected version, seen through common columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from microveil.claims import Claim
from microveil.claims.groups import RowsAlike
from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.core.open_types import Cell
from microveil.data import frames
from microveil.data.coding import in_common
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.data.table import Table, Values
from microveil.detect import second_weights
from microveil.measure.public_plan import PublicPlan
from microveil.run.release import AnyFile, Release

Linked = bool | Ints
UNKNOWN_METHOD = "an unknown method"


@dataclass(frozen=True)
class Pair:
    """An original file and its protected version, seen through common columns.

    `link` is the original row of each protected row (-1: synthetic), None when nobody knows which
    rows belong together. `counts` says how many records each protected row stands for, where equal ones were counted
    beforehand. For a single file both sides are that file. `perturbed` names the columns whose
    released values are not true ones made coarser, and the method that changed them (`UNKNOWN_METHOD` where they only
    seem so); `alike` those on which records are alike by promise. `strata` are released beside the columns: an intruder
    knows them, as categories, but nothing is lost with them.
    """

    before: Microdata
    after: Microdata
    link: Ints | None
    columns: tuple[str, ...]
    before_rows: Ints | None = None
    after_rows: Ints | None = None
    perturbed: Mapping[str, str] = field(default_factory=dict)
    alike: frozenset[str] = frozenset()
    one_file: bool = False  # nobody gave a second file
    about: tuple[str, ...] | None = None  # what loss is measured on, if not on all columns
    strata: tuple[str, ...] = ()
    plan: PublicPlan | None = None  # what anybody may know of how it was made; None where nobody does
    counts: Ints | None = None  # of the protected rows; None: one record each
    groups: Ints | None = None  # private, as the link is: the group of each protected row, where a step formed some

    @classmethod
    def of(
        cls,
        original: AnyFile,
        protected: AnyFile | None = None,
        columns: Sequence[str] | None = None,
        linked: Linked = True,
    ) -> Pair:
        """The pair of what a user gives: frames, Microdata or a Release; `linked` may be the link itself."""
        if isinstance(original, Release) and protected is None:
            original, protected = original.original, original
        before = _original(original, protected)
        link: Ints | None
        if protected is None:
            after, link = before, np.arange(before.n, dtype=np.int64)
        elif isinstance(protected, Release):
            after, link = protected.data, protected.origin
        else:
            after = protected if isinstance(protected, Microdata) else like_original(before, protected)
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
        known: dict[str, Any] = {}
        if isinstance(protected, Release):
            plan = PublicPlan.of(protected)
            known = {
                "perturbed": protected.perturbed,
                "alike": columns_alike(protected.claims),
                "plan": plan,
                "groups": protected.groups,
            }
        about = _about(before, protected) if columns is None else None
        strata = tuple(name for name in before.names("stratum") if name in common) if columns is None else ()
        return cls(before, after, link, chosen, one_file=protected is None, about=about, strata=strata, **known)

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that an intruder knows: those in view and the strata."""
        return (*self.columns, *(name for name in self.strata if name not in self.columns))

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

    def for_loss(self) -> Pair:
        """The pair seen through the columns that loss is measured on."""
        return self if self.about is None else self.only([name for name in self.columns if name in self.about])

    def domain(self, originals: Ints, released: Ints) -> Pair:
        """The pair restricted to a subdomain, given by rows of each file."""
        return replace(self, before_rows=originals, after_rows=released)

    @property
    def rows_before(self) -> Ints:
        """The rows of the original in view."""
        return np.arange(self.before.n, dtype=np.int64) if self.before_rows is None else self.before_rows

    @property
    def rows_after(self) -> Ints:
        """The rows of the protected file in view."""
        return np.arange(self.after.n, dtype=np.int64) if self.after_rows is None else self.after_rows

    @property
    def counts_after(self) -> Ints | None:
        """How many records each protected row in view stands for; None: one each."""
        return None if self.counts is None else self.counts[self.rows_after]

    def tables(self, names: Sequence[str]) -> tuple[Table, Table]:
        """Both files' columns as arrays, categorical ones in one common coding."""
        return self._tables({name: self._common(name) for name in names})

    def own_tables(self, names: Sequence[str]) -> tuple[Table, Table]:
        """Both files' columns as arrays, each in its own coding: amounts of the original are numbers."""
        return self._tables({name: self._own(name) for name in names})

    def _tables(self, columns: Mapping[str, tuple[Values, Values]]) -> tuple[Table, Table]:
        before, after = {}, {}
        for name, (x, y) in columns.items():
            before[name] = x if self.before_rows is None else x.take(self.before_rows)
            after[name] = y if self.after_rows is None else y.take(self.after_rows)
        return Table(before, len(self.rows_before)), Table(after, len(self.rows_after))

    def _own(self, name: str) -> tuple[Values, Values]:
        if name in self.strata:
            return self.before.values(name, "nominal"), self.after.values(name, "nominal")
        kind = self.before.kinds[name]
        return self.before.values(name), self.after.values(name, "nominal" if self.recoded(name) else kind)

    def _common(self, name: str) -> tuple[Values, Values]:
        if self.recoded(name) or name in self.strata:
            x, y = self.before.values(name, "nominal"), self.after.values(name, "nominal")
        elif self.before.kinds[name] == "continuous":
            return self.before.values(name), self.after.values(name, "continuous")
        else:
            x, y = self.before.values(name), self.after.values(name, self.before.kinds[name])
        both = in_common([x, y])
        return both[0], both[1]

    @cached_property
    def linked_rows(self) -> tuple[Ints, Ints]:
        """Positions in view (in the original, in the protected file) of the rows that belong together."""
        if self.link is None:
            raise BadInput("nobody knows which rows of the two files belong together")
        position = np.full(self.before.n, -1, dtype=np.int64)
        position[self.rows_before] = np.arange(len(self.rows_before))
        source = self.link[self.rows_after]
        found = np.where(source >= 0, position[np.maximum(source, 0)], -1)
        return found[found >= 0], np.flatnonzero(found >= 0).astype(np.int64)


def _original(original: AnyFile, protected: AnyFile | None) -> Microdata:
    """The original as it was stated; a plain frame beside a release has what the release knows about its columns."""
    if isinstance(original, Release):
        return original.original
    if isinstance(original, Microdata) or not isinstance(protected, Release):
        return Microdata.of(original)
    known = protected.original
    return known if known.frame is original else known.with_(original)


def columns_alike(claims: Iterable[Claim]) -> frozenset[str]:
    """The columns on which records are alike by promise."""
    promised = (claim.columns for claim in claims if isinstance(claim, RowsAlike))
    return frozenset(name for columns in promised for name in columns)


def _about(before: Microdata, protected: AnyFile | None) -> tuple[str, ...] | None:
    """The columns that loss is measured on; None where that is all of them.

    Where roles do not say what to compare, these are the columns that a release changed or kept on purpose; where one
    column is the weight, other weights are not compared as amounts.
    """
    if isinstance(protected, Release) and all(role == "other" for role in protected.original.roles.values()):
        return tuple(dict.fromkeys((*protected.columns, *(name for step in protected.steps for name in step.given))))
    weights = second_weights(before)
    return tuple(name for name in before.columns if name not in weights) if weights else None


def like_original(before: Microdata, protected: frames.AnyFrame) -> Microdata:
    """A protected frame with what is known about the original's columns."""
    opened = frames.open_frame(protected)
    kinds, levels = {}, {}
    for name, column in before.schema.items():
        if name in opened.columns and _recoded_to_text(before, name, opened.get_column(name)):
            kinds[name] = "nominal"
        if name in opened.columns and column.levels is not None and column.kind != "continuous":
            levels[name] = _extended(column.levels, opened.get_column(name))
    return before.with_(protected, kinds=kinds, levels=levels)


def _recoded_to_text(before: Microdata, name: str, released: frames.Series) -> bool:
    """Whether numbers of the original became text, such as classes, whose order nobody states."""
    numbers = frames.is_numeric(before.narwhal.get_column(name)) and before.kinds[name] != "nominal"
    return numbers and not frames.is_numeric(released) and before.schema[name].levels is None


def _extended(levels: tuple[Cell, ...], released: frames.Series) -> tuple[Cell, ...]:
    """The declared levels followed by those that only the protected file has."""
    found = [level for level in released.unique().to_list() if level is not None and level not in levels]
    return (*levels, *sorted(found, key=str))
