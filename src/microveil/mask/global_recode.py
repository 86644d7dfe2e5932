"""Global recoding: coarser categories for a whole column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from microveil.claims import Claim, EqualStayEqual
from microveil.core.arrays import Codes, Vector
from microveil.core.errors import BadInput
from microveil.core.open_types import Stated
from microveil.core.parameters import Example, OfColumns, Range, Safer, nearest
from microveil.data.schema import KINDS
from microveil.data.table import Table, Values
from microveil.kernels.summaries.counts import Counts
from microveil.kernels.summaries.order import Order
from microveil.mask.aggregate import group_means
from microveil.mask.base import RowWise, depends
from microveil.mask.range_texts import between_cuts
from microveil.mask.recode_levels import (
    CutRule,
    as_levels,
    cut_points,
    generalise,
    join_rare,
    relabel,
)
from microveil.mask.recode_rules import new_code, parse_rule, read_recode_file
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome


@dataclass(frozen=True, kw_only=True)
class GlobalRecode(RowWise, name="global-recode"):
    """Replace the values of a column by coarser ones, the same for all records.

    Use it on keys before anything else: classes of equal records only merge. For each column the first that
    fits: `merges` (new level: old levels), `rules` (lines `new: old, low-high` as in mu-Argus recode files),
    `cuts` (interval bounds); otherwise columns with a hierarchy go `level` steps up, other amounts fall into `bins`
    intervals, and other categories have levels of fewer than `rare` records joined.
    """

    merges: Annotated[
        Mapping[str, Mapping[str, tuple[str, ...]]] | None,
        OfColumns("keys"),
        Example({"education": {"basic": ["none", "primary"]}}),
        "per column: new level to old levels",
    ] = None
    rules: Annotated[
        Mapping[str, tuple[str, ...]] | None,
        OfColumns("keys"),
        Example({"age": ["young: 0-29", "old: 30-120"]}),
        "per column: lines `new: old, old, low-high`; leave `new` empty to set values to missing",
    ] = None
    cuts: Annotated[
        Mapping[str, tuple[float, ...]] | None,
        OfColumns("keys"),
        Example({"age": [20, 65]}),
        "per column: where one interval ends and the next begins",
    ] = None
    level: Annotated[
        int | Mapping[str, int],
        Range(ge=0),
        Safer("one more"),
        OfColumns("keys"),
        Example({"region": 2, "occupation": 1}),
        "steps up the hierarchy (of all columns or of each)",
    ] = 1
    bins: Annotated[int, Range(ge=1, grid=(5, 20)), Safer("half"), "number of intervals of an amount"] = 10
    cut_by: Annotated[CutRule, "intervals of equal counts, of equal width, or with the least loss"] = "quantile"
    representative: Annotated[
        Literal["interval", "mean"], "what stands for an interval: its text, or the mean of its values"
    ] = "interval"
    rare: Annotated[
        int, Range(ge=1), Safer("twice"), "levels with fewer records are joined where nothing else is said"
    ] = 5

    kinds: ClassVar[tuple[str, ...]] = KINDS
    # means of intervals are sums that depend on the order of the records, in their last bits
    passes: ClassVar[Passes] = depends("order", lambda mask: "file" if mask.representative == "mean" else "order")
    gathers: ClassVar[bool] = depends(True, lambda mask: mask.representative != "mean")
    finds_levels: ClassVar[bool] = True
    columns_apart: ClassVar[bool] = True
    random: ClassVar[bool] = False
    skips_missing: ClassVar[bool] = True
    default_roles: ClassVar[tuple[str, ...]] = ("key",)
    spares: ClassVar[bool] = True
    coarsens: ClassVar[bool] = True
    attacks: ClassVar[tuple[str, ...]] = (
        "attribute-inference",
        "weight-inference",
    )
    reference = "Willenborg & de Waal 2001; Samarati 2001"

    @classmethod
    def from_recode_files(cls, files: Mapping[str, str | Path], *, labels: bool = False, **settings: object) -> Self:
        """The recoding of mu-Argus recode files (.grc), one per column; `labels` uses their code lists."""
        rules = {name: read_recode_file(path, labels=labels) for name, path in files.items()}
        return cls.build({"rules": rules, **settings})

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """A value becomes the same value everywhere."""
        return (EqualStayEqual(),)

    def learn(self, table: Table, job: Job) -> Mapping[str, Any]:
        """What must be known of each column: where to cut it, its different values, how frequent its levels are."""
        for what, given in (("merges", self.merges), ("rules", self.rules), ("cuts", self.cuts)):
            _check_columns(what, given, table.names)
        if isinstance(self.level, Mapping):
            _check_columns("level", self.level, table.names)
        return {name: self._learn_column(name, table, job) for name in table.names}

    def _learn_column(self, name: str, table: Table, job: Job) -> Any:
        values, levels = table[name], len(table[name].levels or ())
        if self.merges and name in self.merges:
            return None
        if self.rules and name in self.rules:
            return None if levels else self._order(name, table, job).values
        if self.cuts and name in self.cuts:
            return self._with_means(values, _checked_cuts(name, self.cuts[name], values))
        if values.hierarchy:
            self._refuse_means(name)
            if values.levels is not None:
                return None
            # with all numbers of the hierarchy, so that every subdomain has the same classes in the same order
            stated = [number for number in values.hierarchy if isinstance(number, int | float)]
            return np.union1d(self._order(name, table, job).values, np.array(stated, dtype=np.float64))
        if values.levels is None:
            order = self._order(name, table, job)
            return self._with_means(values, cut_points(order, self.bins, self.cut_by)) if order.observed else None
        return job.engine.gather(table, job, lambda block, _: Counts.of(block[name].data, levels)).counts

    def _refuse_means(self, name: str) -> None:
        if self.representative == "mean":
            raise BadInput(
                f"representative='mean' stands for intervals, and {name!r} has a hierarchy, which decides instead; "
                f"give cuts for {name!r}, or leave representative or the hierarchy out"
            )

    def _order(self, name: str, table: Table, job: Job) -> Order:
        return job.engine.gather(table, job, lambda block, _: Order.of(block[name].numbers))

    def _with_means(self, values: Values, cuts: Vector) -> tuple[Vector, Vector | None]:
        """The cuts, and the means of what lies between them where these stand for it."""
        if self.representative == "interval":
            return cuts, None
        numbers, codes = _cut_apart(values, cuts)
        observed = codes >= 0
        return cuts, group_means(numbers[observed], codes[observed])

    def act(self, table: Table, job: Job, known: Mapping[str, Any]) -> Outcome:
        """Recode some records of every column."""
        return Outcome({name: self._column(name, values, known[name]) for name, values in table.columns.items()})

    def _column(self, name: str, values: Values, known: Any) -> Values:
        if self.merges and name in self.merges:
            return self._merged(name, values, self.merges[name])
        if self.rules and name in self.rules:
            return self._ruled(name, values, self.rules[name], known)
        if self.cuts and name in self.cuts:
            return self._cut(values, *known)
        if values.hierarchy:
            level = self.level.get(name, 1) if isinstance(self.level, Mapping) else self.level
            if values.levels is not None:
                return generalise(values, level, name)
            return generalise(as_levels(values, known), level, name) if level else values
        if values.levels is None:
            return values if known is None else self._cut(values, *known)
        return join_rare(values, known, self.rare)

    def _merged(self, name: str, values: Values, merges: Mapping[str, tuple[str, ...]]) -> Values:
        if values.levels is None:
            raise BadInput(f"{name!r} is continuous; give cuts or rules instead of merges")
        known = {str(level): level for level in values.levels}
        new: dict[str, str] = {}
        for label, olds in merges.items():
            for old in olds:
                if old in new:
                    raise BadInput(f"the level {old!r} of {name!r} is merged into both {new[old]!r} and {label!r}")
                new[old] = label
        absent = [old for old in new if old not in known]
        if absent:
            raise BadInput(f"{absent[:5]} are no levels of {name!r}{nearest(absent[0], known)}")
        return relabel(values, [new.get(str(level), level) for level in values.levels])

    def _ruled(self, name: str, values: Values, lines: tuple[str, ...], distinct: Vector) -> Values:
        rules = [parse_rule(line) for line in lines]
        if values.levels is None:
            values = as_levels(values, distinct)
            lost = [level for level in distinct.tolist() if new_code(level, rules, name) is None]
            if lost:
                raise BadInput(f"no rule says what becomes of {lost[:5]} in {name!r}; ranges are closed on both sides")
        found = [new_code(level, rules, name) for level in values.levels or ()]
        labels = [level if new is None else new or None for level, new in zip(values.levels or (), found, strict=True)]
        return relabel(values, labels)

    def _cut(self, values: Values, cuts: Vector, means: Vector | None) -> Values:
        _, codes = _cut_apart(values, cuts)
        if means is None:
            return Values("ordinal", codes, between_cuts(cuts))
        return Values("continuous", np.append(means, np.nan)[np.where(codes < 0, len(means), codes)])


def _cut_apart(values: Values, cuts: Vector) -> tuple[Vector, Codes]:
    """The values as numbers, and the interval of each, -1 where missing."""
    numbers = values.numbers if values.levels is None else _as_numbers(values)
    observed = ~np.isnan(numbers)
    codes = np.full(len(numbers), -1, dtype=np.int64)
    codes[observed] = np.searchsorted(cuts, numbers[observed], "right")
    return numbers, codes


def _checked_cuts(name: str, cuts: tuple[float, ...], values: Values) -> Vector:
    if not cuts or list(cuts) != sorted(set(cuts)):
        raise BadInput(f"the cuts of {name!r} are {list(cuts)}; give increasing numbers")
    if values.kind == "nominal":
        raise BadInput(f"{name!r} is nominal; give merges or rules instead of cuts")
    return np.array(cuts)


def _as_numbers(values: Values) -> Vector:
    try:
        table = np.array([*(values.levels or ()), np.nan], dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"cuts need levels that are numbers; there are {list(values.levels or ())[:5]}") from None
    return np.asarray(table[values.data])


def _check_columns(what: str, given: Stated | None, names: tuple[str, ...]) -> None:
    for name in given or ():
        if name not in names:
            raise BadInput(
                f"{what} names {name!r}, not among the columns to recode {list(names)}{nearest(name, names)}"
            )
