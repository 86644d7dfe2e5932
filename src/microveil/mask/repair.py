"""Repair of constraints that masking broke: sums and ranges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from microveil.claims import BetweenBounds, Claim, EditHolds, MeansKept, SumHolds
from microveil.core.arrays import Matrix, Vector
from microveil.core.errors import BadInput
from microveil.core.open_types import Stated
from microveil.core.parameters import Example, OfColumns, Range, When
from microveil.core.words import counted
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.data.table import Table
from microveil.mask.base import RowWise, depends
from microveil.mask.repair_rules import RuleRepair
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, Step


@dataclass(frozen=True, kw_only=True)
class Repair(RowWise, name="repair"):
    """Put amounts back into the ranges that are stated, and totals back to the sum of the parts that are named.

    Use it as the last step of a plan. Where neither ranges nor sums are named, it puts every record that breaks an edit
    of the data back into all of them, by the smallest change relative to its amounts; other records stay as they are.
    Ranges that are named are applied first; then either the `total` is computed anew from
    its parts, or the `parts` are scaled to the total (in equal shares where they add up to zero) unless
    that leaves their ranges, where the total follows. With `keep_means` the values inside a range give way for those
    that are put into it, so that the mean of each column stays. Repair moves values: other promises of earlier
    steps on these columns end here.
    """

    sums: Annotated[
        Mapping[str, tuple[str, ...]] | None,
        OfColumns(),
        Example({"turnover": ["goods", "services"]}),
        "per total: its parts",
    ] = None
    ranges: Annotated[
        Mapping[str, tuple[float, float]] | None,
        OfColumns("keys"),
        Example({"age": [0, 120]}),
        "per column: smallest and largest value",
    ] = None
    low: Annotated[float | None, Range(), "smallest value of all columns acted on"] = None
    high: Annotated[float | None, Range(), "largest value of all columns acted on"] = None
    adjust: Annotated[Literal["total", "parts"], "what gives way where a sum does not hold"] = "total"
    tolerance: Annotated[float, Range(ge=0), "differences up to this are left alone, relative to the total"] = 0.0
    keep_means: Annotated[
        Literal["shift", "scale"] | None,
        When(sums=None),
        "how the others give way so that means stay: all by one amount, which takes more of them to the end of the"
        " range, or all by one share of their distance to it; none: they do not",
    ] = None

    passes: ClassVar[Passes] = depends("row", lambda repair: "row" if repair.keep_means is None else "order")
    gathers: ClassVar[bool] = depends(True, lambda repair: repair.keep_means is None and not repair.by_edits)
    columns_apart: ClassVar[bool] = depends(True, lambda repair: not repair.sums and not repair.by_edits)
    random: ClassVar[bool] = False
    skips_missing: ClassVar[bool] = True
    spares: ClassVar[bool] = True
    example: ClassVar[Stated] = {"low": 400.0, "high": 900.0}
    follows: ClassVar[bool] = True
    reference = "de Waal, Pannekoek & Scholtus 2011"

    def validate(self) -> None:
        """Ranges with their smaller end first; a column is not its own part."""
        if self.low is not None and self.high is not None and self.low > self.high:
            raise BadInput(f"low={self.low:g} is above high={self.high:g}")
        for name, (low, high) in (self.ranges or {}).items():
            if low > high:
                raise BadInput(f"the range of {name!r} is [{low:g}, {high:g}]; give the smaller value first")
        for total, parts in (self.sums or {}).items():
            if not parts or total in parts:
                raise BadInput(f"the sum {total!r} needs parts other than itself")
        if self.keep_means and self.low is None and self.high is None and not self.ranges:
            raise BadInput("keep_means is about ranges alone; give low, high or ranges")

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Sums where they are exact, and ranges of columns that no sum moves."""
        moved = set(self.sums or ()) | {part for parts in (self.sums or {}).values() for part in parts}
        sums = [SumHolds(columns=(total, *parts)) for total, parts in (self.sums or {}).items() if self.tolerance == 0]
        bounds = [
            BetweenBounds(columns=(name,), low=low, high=high)
            for name, (low, high) in (self.ranges or {}).items()
            if name not in moved
        ]
        common = tuple(name for name in columns if name not in moved and name not in (self.ranges or {}))
        if common and (self.low is not None or self.high is not None):
            bounds.append(BetweenBounds(columns=common, low=self._low, high=self._high))
        # a total that is part of another sum moves again after its own
        nested = any(total in parts for total in self.sums or () for parts in (self.sums or {}).values())
        return (*(() if nested else sums), *bounds)

    @property
    def by_edits(self) -> bool:
        """Whether nothing is named, so that the edits of the data say what is to be repaired."""
        return self.low is None and self.high is None and not self.ranges and not self.sums

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The columns named in sums and ranges, or in edits; without any, the columns given or chosen as usual."""
        if self.by_edits and data.edits_of_amounts:
            return self._resolve_by_edits(data, step)
        parts = [part for parts in (self.sums or {}).values() for part in parts]
        named = tuple(dict.fromkeys((*(self.sums or ()), *parts, *(self.ranges or ()))))
        check_names(named, list(data.columns), "sums and ranges")
        if not named:
            return super().resolve(data, step)
        return super().resolve(data, replace(step, columns=named))

    def _resolve_by_edits(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The columns of all rules, or those chosen, beside which the others of a rule are kept."""
        of_rules = tuple(dict.fromkeys(name for edit in data.edits_of_amounts for name in edit.columns))
        chosen, given = super().resolve(data, step if step.columns else replace(step, columns=of_rules))
        beside = {name for edit in data.edits_of_amounts if set(edit.columns) & set(chosen) for name in edit.columns}
        return chosen, {**given, **{name: "continuous" for name in of_rules if name in beside and name not in chosen}}

    def run(self, table: Table, job: Job) -> Outcome:
        """Ranges, then sums, or the edits of the data; means can be kept in the whole file alone."""
        if self.by_edits and job.edits:
            return self._run_by_edits(table, job)
        if not self.keep_means:
            return super().run(table, job)
        found = self.act(table, job)
        claims = (*self.claims(table.names), *self._means_kept(table))
        return replace(found, notes=(self._note(table, found.tallies["moved"]),), claims=claims, tallies={})

    def settle(self, found: Outcome, table: Table, job: Job, known: object) -> Outcome:
        """How many values moved."""
        if self.by_edits and job.edits:
            return found
        notes = (self._note(table, found.tallies.get("moved", 0)),)
        return replace(found, notes=notes, claims=self.claims(table.names), tallies={})

    def _run_by_edits(self, table: Table, job: Job) -> Outcome:
        """Every record that breaks a rule, put into all of them."""
        rules = RuleRepair.of(job.edits, table, job.given)
        found = super().run(table, job)
        claims = tuple(EditHolds.of(edit) for edit in rules.kept(found.columns, job.given))
        moved, left = found.tallies.get("moved", 0), found.tallies.get("left", 0)
        notes = [f"{counted(moved, 'record')} {'was' if moved == 1 else 'were'} moved into the edits of the data"]
        if left:
            notes.append(
                f"{counted(left, 'record')} {'breaks' if left == 1 else 'break'} edits that no change of these columns "
                "satisfies together; look at the edits, or let more columns move"
            )
        return replace(found, notes=tuple(notes), claims=claims, tallies={})

    def act(self, table: Table, job: Job, known: Any = None) -> Outcome:
        """Ranges, then sums, or the edits of the data, of some records."""
        if self.by_edits and job.edits:
            return RuleRepair.of(job.edits, table, job.given).outcome(table, job.given)
        from microveil.kernels.moments.into_range import scale_into, shift_into

        put = {"shift": shift_into, "scale": scale_into}.get(self.keep_means or "", np.clip)
        columns = {name: values.numbers.copy() for name, values in table.columns.items()}
        changed = 0
        for name in columns:
            low, high = self._range(name)
            inside = put(columns[name], low, high)
            changed += int((inside != columns[name])[~np.isnan(columns[name])].sum())
            columns[name] = inside
        for total, parts in (self.sums or {}).items():
            changed += self._sum(total, parts, columns)
        out = {name: table[name].with_data(columns[name]) for name in table.names}
        return Outcome(out, tallies={"moved": changed})

    def _note(self, table: Table, changed: int) -> str:
        if not self.keep_means:
            return f"{counted(changed, 'value')} {'was' if changed == 1 else 'were'} moved to keep sums and ranges"
        outside = 0
        for name in table.names:
            low, high = self._range(name)
            outside += int(np.count_nonzero(table[name].numbers < low) + np.count_nonzero(table[name].numbers > high))
        put = f"{counted(outside, 'value')} outside {'its' if outside == 1 else 'their'} range"
        return f"{put} {'was' if outside == 1 else 'were'} put into it, and {changed:,} in all moved so that means stay"

    def _means_kept(self, table: Table) -> tuple[Claim, ...]:
        """Means that lie inside the range of their column are kept; nothing can keep others."""
        from microveil.kernels.moments.into_range import has_mean_inside

        if not self.keep_means:
            return ()
        inside = [name for name in table.names if has_mean_inside(table[name].numbers, *self._range(name))]
        return (MeansKept(columns=tuple(inside)),) if inside else ()

    @property
    def _low(self) -> float:
        return -np.inf if self.low is None else self.low

    @property
    def _high(self) -> float:
        return np.inf if self.high is None else self.high

    def _range(self, name: str) -> tuple[float, float]:
        return (self.ranges or {}).get(name, (self._low, self._high))

    def _sum(self, total: str, parts: tuple[str, ...], columns: dict[str, Vector]) -> int:
        P = np.column_stack([columns[part] for part in parts])
        gap = columns[total] - P.sum(axis=1)
        wrong = ~np.isnan(gap) & (np.abs(gap) > self.tolerance * np.abs(columns[total]))
        if self.adjust == "parts":
            scaled = scale_to(P[wrong], columns[total][wrong])
            for j, part in enumerate(parts):
                low, high = self._range(part)
                columns[part][wrong] = np.clip(scaled[:, j], low, high)
            P = np.column_stack([columns[part] for part in parts])
        columns[total] = np.where(wrong, P.sum(axis=1), columns[total])
        return int(wrong.sum())


def scale_to(parts: Matrix, total: Vector) -> Matrix:
    """Parts multiplied so that they add up to the total; the difference in equal shares where that fails."""
    now = parts.sum(axis=1)
    usable = (np.abs(now) > 1e-12 * np.abs(parts).sum(axis=1)) & (now * total > 0)
    factor = np.divide(total, now, out=np.ones(len(now)), where=usable)
    share = np.where(usable, 0.0, total - now) / parts.shape[1]
    return np.asarray(parts * factor[:, None] + share[:, None])
