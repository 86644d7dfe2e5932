"""The claim that a rule of the data holds in every released record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.claims.claim import BLANK, DROP, Claim, Deviation, Example, InUnions
from microveil.claims.evidence import EXACT, Evidence
from microveil.claims.examples import GAP, evidence_of, with_cell
from microveil.core.edits import Edit


@dataclass(frozen=True)
class EditHolds(Claim):
    """In every complete record a rule of the data holds: its numbers, one for each of its columns."""

    seen_by = "rows"
    about = "release"
    of_amounts = True
    withstands = frozenset({BLANK, DROP})
    coefficients: tuple[float, ...] = (1.0,)
    constant: float = 0.0
    equal: bool = False

    @classmethod
    def of(cls, edit: Edit) -> EditHolds:
        """The claim of a rule."""
        return cls(edit.columns, edit.coefficients, edit.constant, edit.equal)

    def edit_on(self, columns: Sequence[str]) -> Edit:
        """The rule about these columns; numbers without a column, and columns without a number, are not in it."""
        terms = tuple(zip(columns, self.coefficients, strict=False))
        return Edit(tuple(name for name, _ in terms), tuple(number for _, number in terms), self.constant, self.equal)

    def __str__(self) -> str:
        return f"{self.edit_on(self.columns) if self.columns else 'a linear rule holds'} in every record"

    @property
    def in_unions(self) -> InUnions:
        """Every record lies in one of the parts."""
        return "yes"

    def deviation(self, evidence: Evidence) -> Deviation:
        edit = self.edit_on(evidence.columns)
        columns = dict(zip(evidence.columns, evidence.released, strict=True))
        numbers = np.abs(edit.coefficients)
        slack, held = edit.slack(columns), edit.held(columns)
        observed = ~np.isnan(slack)
        off = np.abs(slack) if edit.equal else np.maximum(-slack, 0.0)
        if edit.equal and edit.unit(columns) is None:
            held = held + EXACT * float(numbers @ evidence.scale[: len(numbers)])
        # rounding is no excuse: amounts are rounded inside the rules, or the rule is not promised
        return Deviation(off[observed], held[observed], 0.0)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        positive, total, share = cls(), cls(coefficients=(1.0, -1.0, -1.0), equal=True), cls(coefficients=(0.5, -1.0))
        sums = [[3, 5, 7], [1, 5, 3], [2, 0, 4]]
        return [
            Example(positive, _alone([[0, 1, 5]]), True, "values at and above the bound"),
            Example(positive, _alone([[0, -1e-9, 5]]), False, "one value a little below the bound"),
            Example(positive, _alone([[0, 5]], half_unit=0.5), True, "rounded to zero"),
            Example(positive, _alone([[-0.4, 5]], half_unit=0.5), False, "rounding takes nothing below 0"),
            Example(positive, _alone([[0, GAP, 5]]), True, "a gap"),
            Example(positive, _alone([[GAP, -1]]), False, "beside a gap"),
            Example(total, _alone(sums), True, "sums"),
            Example(total, _alone(with_cell(sums, 0, 1, 5.01)), False, "one total too large"),
            Example(total, _alone(with_cell(sums, 0, 1, 4.99)), False, "one total too small"),
            Example(total, _alone(with_cell(sums, 2, 2, 4.01)), False, "one part too large"),
            Example(total, _alone([[3, 5], [3, 5], [0, 1]]), False, "the last part is one too much"),
            Example(total, _alone(with_cell(sums, 2, 2, GAP)), True, "a record with a gap has no sum"),
            Example(share, _alone([[2, 4], [1, 2]]), True, "shares at their bound"),
            Example(share, _alone([[2, 4], [1, 2.1]]), False, "one share above its bound"),
            Example(share, _alone([[2, 4], [1, 2]], half_unit=0.5), True, "shares rounded to their bound"),
            Example(share, _alone([[2, 4], [1, 2.5]], half_unit=0.5), False, "rounding is no excuse"),
            Example(total, _alone(sums, half_unit=0.5), True, "rounded parts that add up"),
            Example(total, _alone(with_cell(sums, 0, 1, 4.0), half_unit=0.5), False, "rounded parts that do not"),
        ]


def _alone(released: Sequence[Sequence[float]], half_unit: float = 0.0) -> Evidence:
    """Evidence in which the original is the release: only released values matter."""
    return evidence_of(released, released, half_unit=half_unit)
