"""Claims about classes of equal rows in a file in blocks: from the different released rows and their counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from microveil.claims import Claim, Evidence, Verdict
from microveil.core.arrays import Floats
from microveil.kernels.summaries.rows import CountedRows

if TYPE_CHECKING:
    from microveil.engines.judging import BlockEvidence


@dataclass(frozen=True)
class ClassesSeen:
    """The different released rows, and the different original ones or values of the last column, with their counts.

    Where a claim speaks of groups, the numbers of these are the rows.
    """

    released: CountedRows
    before: CountedRows
    of_groups: bool
    grouped: bool  # whether groups were formed at all

    @classmethod
    def of(cls, claim: Claim, side: str, one: BlockEvidence) -> ClassesSeen:
        """Those of some records."""
        evidence = one.evidence
        chosen = [evidence.columns.index(name) for name in claim.columns or evidence.columns]
        if claim.of_groups:
            # of a release without groups the records are counted all the same, and none is in a group
            numbers = np.full(len(evidence.origin), -1) if evidence.groups is None else evidence.groups
            rows = numbers.astype(np.float64)[:, None]
        else:
            columns = one.columns_of(side)
            rows = np.column_stack([columns[j] for j in chosen])
        # the original counts where classes are held against it
        against = chosen if claim.of_rows else chosen[-1:]
        held = [evidence.original[j] if claim.about == "original" else np.zeros(0) for j in against]
        return cls(
            CountedRows.of_floats(rows),
            CountedRows.of_floats(np.column_stack(held)),
            claim.of_groups,
            evidence.groups is not None or not len(evidence.origin),
        )

    def merge(self, other: ClassesSeen) -> ClassesSeen:
        """Those of the records of both."""
        return ClassesSeen(
            self.released.merge(other.released),
            self.before.merge(other.before),
            self.of_groups,
            self.grouped and other.grouped,
        )

    def verdict(self, claim: Claim, columns: tuple[str, ...], half_units: Floats) -> Verdict | None:
        """Whether the claim holds; None where there are too many different rows to tell."""
        if self.released.too_many or self.before.too_many:
            return None
        names, rows = claim.columns or columns, self.released.floats
        half = half_units[[columns.index(name) for name in names]]
        before = list(self.before.floats.T)
        groups = rows[:, 0].astype(np.int64) if self.of_groups and self.grouped else None
        released = [np.zeros(len(rows)) for _ in names] if self.of_groups else list(rows.T)
        return claim.check(
            Evidence(
                names,
                [*(np.zeros(0) for _ in names[len(before) :]), *before],
                released,
                half,
                np.full(len(rows), -1),
                groups,
                times=self.released.counts,
                times_before=self.before.counts,
            )
        )
