"""Base of the measures that fit the same regressions to both files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from microveil.core.errors import BadInput
from microveil.core.formula import Formula, parse_formula
from microveil.core.parameters import Example
from microveil.core.words import list_some
from microveil.data.coding import as_amounts
from microveil.data.days import numbers_of_levels
from microveil.data.schema import check_names
from microveil.data.table import Table
from microveil.loss.base import Loss
from microveil.loss.formulas import Factor, Fit, all_on_all, fit_both
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class RegressionLoss(Loss):
    """Measures over linear regressions: formulas of the user, or each continuous column on all others."""

    formulas: Annotated[
        tuple[str, ...] | None,
        Example(["income ~ age + sex", "taxes ~ income"]),
        "regressions such as 'income ~ age + sex'; none: each column on all others. Amounts and ordered numbers (ages) "
        "have one slope each, other categories a term for each value but the first; state the kind nominal for codes",
    ] = None

    kinds = ("continuous", "ordinal", "nominal")

    def validate(self) -> None:
        """Every formula must be readable."""
        for text in self.formulas or ():
            parse_formula(text)

    def choose(self, pair: Pair) -> tuple[str, ...]:
        if self.formulas is None:
            return pair.of_kind("continuous")
        common = [name for name in pair.before.columns if name in pair.after.columns]
        named = [name for text in self.formulas for name in parse_formula(text).columns]
        check_names(named, common, "formulas")
        return tuple(dict.fromkeys(named))

    def fits(self, pair: Pair) -> tuple[list[tuple[Formula, Fit, Fit]], tuple[str, ...]]:
        """All formulas fitted to the complete records of both files, with notes."""
        stated = tuple(map(parse_formula, self.formulas or ()))
        before, after = pair.tables(pair.columns)
        for formula in stated:
            if before[formula.response].levels is not None:
                raise BadInput(f"formula '{formula}': the response {formula.response!r} must be continuous")
        before, after = _with_slopes(before, after)
        before, note = _complete(before, "original")
        after, note_after = _complete(after, "protected")
        notes = [*note, *note_after]
        out: list[tuple[Formula, Fit, Fit]] = []
        left_out: dict[str, None] = {}
        if min(before.rows, after.rows) < 3:
            return out, tuple(notes)
        original, protected = Factor.of(before), Factor.of(after)
        wanted = stated
        if self.formulas is None:
            sums = [original.source[j] for j in original.combinations()]
            wanted = all_on_all([name for name in pair.columns if name not in sums])
            if sums:
                notes.append(f"columns that are sums of others, or nearly so, are left out: {list_some(sums)}")
        for formula in wanted:
            if not formula.predictors:
                continue
            x, y, implied = fit_both(formula, original, protected)
            left_out.update(dict.fromkeys(implied))
            if min(x.freedom, y.freedom) > 0:
                out.append((formula, x, y))
        if left_out:
            notes.append(f"terms implied by others are left out of a regression: {list_some(list(left_out))}")
        if perfect := [str(formula.response) for formula, x, _ in out if x.perfect]:
            notes.append(f"fitted without error in the original, so without standard errors: {list_some(perfect)}")
        if singular := [str(formula.response) for formula, _, y in out if y.singular]:
            shown = list_some(singular)
            notes.append(f"predictors imply one another in the protected file; shortest solution: {shown}")
        return out, tuple(notes)


def _with_slopes(before: Table, after: Table) -> tuple[Table, Table]:
    """Both files with ordered categories that are numbers, such as ages, as numbers: one slope, no term for each."""
    ordered = [
        name
        for name in before.names
        if before[name].kind == "ordinal" and numbers_of_levels(before[name].levels or ()) is not None
    ]
    new = [
        {name: as_amounts(table[name]) if name in ordered else table[name] for name in table.names}
        for table in (before, after)
    ]
    return Table(new[0], before.rows), Table(new[1], after.rows)


def _complete(table: Table, which: str) -> tuple[Table, list[str]]:
    incomplete = table.incomplete
    if not incomplete.any():
        return table, []
    count = int(incomplete.sum())
    return table.take(np.flatnonzero(~incomplete)), [
        f"{count:,} of {table.rows:,} {which} records with missing values were left out"
    ]
