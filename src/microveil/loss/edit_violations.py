"""Records that break the rules of the data."""

from __future__ import annotations

from dataclasses import dataclass

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.words import counted
from microveil.loss.base import Loss
from microveil.measure import Pair, count_broken_rules

_NOT_STATED = "nobody stated rules of the data, such as income >= 0 (edits)"
_NOT_COMPARED = "no rule of the data is about columns that were compared and are amounts in both files"


@dataclass(frozen=True, kw_only=True)
class EditViolations(Loss, name="edit-violations"):
    """Per cent of released records that break a rule of the data: impossible values, sums that do not add up.

    The rules are the `edits` of the original. Parts count the records that break each rule, in the release and in the
    original; an original that breaks its own rules is not without them, and so is its unchanged release.
    """

    quick = True
    bounds = (0.0, 100.0)
    unit = "%"
    title = "Records that break a rule"
    reference = "docs/edits.md"

    def on(self, pair: Pair) -> Measured | NotApplicable:
        # a rule may join columns that were compared with others that were not
        return self.measure(pair)

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        found = count_broken_rules(pair)
        if not found.rules:
            return self.not_applicable(_NOT_COMPARED if pair.before.edits else _NOT_STATED)
        records = len(pair.rows_after)
        if not records:
            return self.not_applicable("the protected file has no records")
        parts = {f"{one.edit}": float(one.after) for one in found.rules}
        parts |= {f"{one.edit}: in the original": float(one.before) for one in found.rules if one.before}
        value = 100.0 * found.after / records
        return self.measured(value, parts=parts, reading=_reading(found.after, found.before, value, len(found.rules)))


def _reading(after: int, before: int, value: float, rules: int) -> str:
    of_rules = "the rule" if rules == 1 else f"one of the {rules} rules"
    had = f"{counted(before, 'record')} of the original {'does' if before == 1 else 'do'}"
    if not after:
        return f"No released record (0 %) breaks {of_rules} of the data{f'; {had}' if before else ''}."
    breaks = "breaks" if after == 1 else "break"
    beside = f"; {had} too" if before else ", and no record of the original does"
    return f"{counted(after, 'released record')} ({format_number(value)} %) {breaks} {of_rules} of the data{beside}."
