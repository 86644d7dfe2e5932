"""What to look at in a synthetic file before it leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Ints
from microveil.data.microdata import AnyData
from microveil.data.schema import check_names
from microveil.data.table import Table, Values
from microveil.measure import Pair
from microveil.run.release import AnyFile
from microveil.synth.rules import parse_rule


@dataclass(frozen=True)
class PostCheck:
    """Findings about a synthetic file; nothing found is an empty mapping or 0."""

    records: int
    unique: int
    replicated: Ints  # synthetic rows that repeat a record unique in the original
    copies: int
    outside: Mapping[str, int]
    rules: Mapping[str, int]

    @property
    def clean(self) -> bool:
        """Whether no unique is replicated, no value out of range and no rule broken."""
        return not (len(self.replicated) or any(self.outside.values()) or any(self.rules.values()))

    def __repr__(self) -> str:
        found = (
            f"{len(self.replicated)} of {self.records} synthetic records repeat one of the {self.unique} originals "
            f"that are alone with their keys, and are alone themselves; {self.copies} repeat a whole original record"
        )
        lines = [found]
        lines += [
            f"{count} values of {name!r} lie outside the observed range or values"
            for name, count in self.outside.items()
            if count
        ]
        lines += [f"{count} records break the rule: {text}" for text, count in self.rules.items() if count]
        return "\n".join(lines)


def post_check(
    original: AnyData,
    synthetic: AnyFile,
    *,
    keys: Sequence[str] | None = None,
    rules: Sequence[str] = (),
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
) -> PostCheck:
    """Replicated uniques, values never seen in the original, and broken rules of a synthetic file.

    A replicated unique is a record unique on the keys in both files: it looks like a person to whom it does not belong
    (Raab, Nowok & Dibben 2024). `keys`: the columns an intruder may know (all common columns by default); `rules`
    such as `if age < 12: marital = "never"`; `bounds` replace the observed range of a column. Numbers are compared as
    numbers.
    """
    pair = Pair.of(original, synthetic, linked=False)
    common = pair.columns
    check_names(tuple(keys or ()), list(common), "keys")
    check_names(tuple(bounds or ()), list(common), "bounds")
    before, after = pair.tables(common)
    unique, replicated = _replicated(before.only(keys or common), after.only(keys or common))
    return PostCheck(
        after.rows,
        unique,
        replicated,
        _copies(before, after),
        {name: _outside(before[name], after[name], (bounds or {}).get(name)) for name in common},
        {text: _broken(text, after) for text in rules},
    )


def _codes(before: Table, after: Table) -> tuple[Ints, Ints]:
    """Class of each row, in one coding for both files."""
    from microveil.kernels.tables.classes import group_rows

    joined = Table(
        {
            name: values.with_data(np.concatenate([values.data, after[name].data]))
            for name, values in before.columns.items()
        },
        before.rows + after.rows,
    )
    labels = group_rows(joined.codes())[0]
    return labels[: before.rows], labels[before.rows :]


def _replicated(before: Table, after: Table) -> tuple[int, Ints]:
    here, there = _codes(before, after)
    classes = int(max(here.max(), there.max())) + 1
    alone, alone_after = np.bincount(here, minlength=classes) == 1, np.bincount(there, minlength=classes) == 1
    return int(alone.sum()), np.flatnonzero(alone[there] & alone_after[there]).astype(np.int64)


def _copies(before: Table, after: Table) -> int:
    here, there = _codes(before, after)
    return int(np.isin(there, here).sum())


def _outside(x: Values, y: Values, bounds: tuple[float | None, float | None] | None) -> int:
    if x.levels is not None:
        return int((~np.isin(y.data, x.data)).sum())
    observed = x.data[~x.missing]
    if not len(observed):
        return int((~y.missing).sum())
    low, high = bounds if bounds is not None else (float(observed.min()), float(observed.max()))
    below = y.data < low if low is not None else np.zeros(len(y.data), dtype=np.bool_)
    above = y.data > high if high is not None else np.zeros(len(y.data), dtype=np.bool_)
    return int((below | above).sum())


def _broken(text: str, table: Table) -> int:
    rule = parse_rule(text)
    check_names((rule.column,), list(table.names), "rules")
    values = table[rule.column]
    holds = rule.condition.holds(table.columns)
    code = rule.code(values)
    fits = values.missing if code != code else values.data == code
    return int((holds & ~fits).sum())
