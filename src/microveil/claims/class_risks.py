"""Claims about the risks of all released records together, in classes of equal keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.claims.claim import AFFINE, COARSEN, LINEAR, Claim, Deviation, Example, InUnions, SeenBy
from microveil.claims.coding import code_values
from microveil.claims.evidence import EXACT, Evidence
from microveil.claims.examples import evidence_of
from microveil.core.arrays import Ints
from microveil.kernels.tables.classes import count_up, group_rows


def _sizes(evidence: Evidence) -> Ints:
    labels, sizes = group_rows(np.column_stack([code_values(column) for column in evidence.released]))
    return sizes if evidence.times is None else count_up(labels, evidence.times)


@dataclass(frozen=True)
class _OfSizes(Claim):
    """Base of the claims about the sizes of all classes together: equal rows stay equal where values are merged."""

    about = "release"
    seen_by: ClassVar[SeenBy] = "classes"
    withstands = frozenset({AFFINE, COARSEN})

    @property
    def in_unions(self) -> InUnions:
        """Equal rows of two parts are one class of both: classes become fewer and larger."""
        return "yes"

    def survives(self, change: str, columns: frozenset[str]) -> bool:
        """Rows equal in all columns that are mixed have equal mixtures."""
        return super().survives(change, columns) or (change == LINEAR and columns <= set(self.columns))


@dataclass(frozen=True)
class AverageRiskWithin(_OfSizes):
    """The mean over the released records of one over the size of their class, the chance to pick the right one."""

    text = "who knows the keys{within} picks the right record with a chance of at most {most:g} on average"
    most: float = 1.0

    def deviation(self, evidence: Evidence) -> Deviation:
        if not len(evidence.origin):
            return Deviation(0.0, 0.0)
        return Deviation(len(_sizes(evidence)) / evidence.records, self.most + EXACT)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        two, three = evidence_of([[1, 1, 2, 2]], [[1, 1, 2, 2]]), evidence_of([[1, 1, 2, 3]], [[1, 1, 2, 3]])
        return [
            Example(cls(most=0.5), two, True, "two classes of four records"),
            Example(cls(most=0.5), three, False, "just too many classes"),
            Example(cls(most=0.75), three, True, "three classes of four records"),
            Example(cls(most=0.5), _pairs([5, 5, 6, 6]), True, "keys that go together"),
            Example(cls(most=0.5), _pairs([5, 6, 5, 6]), False, "keys that cross"),
        ]


@dataclass(frozen=True)
class FewInSmallClasses(_OfSizes):
    """At most a share of the released records are in classes of equal keys smaller than a size."""

    text = "at most a share of {most:g} of the records share their keys{within} with fewer than {size} records in all"
    most: float = 1.0
    size: int = 2

    def deviation(self, evidence: Evidence) -> Deviation:
        if not len(evidence.origin):
            return Deviation(0.0, 0.0)
        sizes = _sizes(evidence)
        return Deviation(sizes[sizes < self.size].sum() / evidence.records, self.most + EXACT)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        one_of_four = evidence_of([[1, 1, 1, 2]], [[1, 1, 1, 2]])
        all_alike = evidence_of([[1, 1, 1, 1]], [[1, 1, 1, 1]])
        return [
            Example(cls(most=0.25), one_of_four, True, "one of four alone"),
            Example(cls(most=0.25), evidence_of([[1, 1, 2, 3]], [[1, 1, 2, 3]]), False, "two of four alone"),
            Example(cls(most=0.3, size=4), one_of_four, False, "all in classes below four"),
            Example(cls(most=0.3, size=4), all_alike, True, "all in a class of four"),
            Example(cls(most=0.0), _pairs([5, 5, 6, 6]), True, "nobody alone on two keys"),
            Example(cls(most=0.0), _pairs([5, 6, 5, 6]), False, "everybody alone on keys that cross"),
        ]


def _pairs(second: Sequence[float]) -> Evidence:
    columns = [[1, 1, 2, 2], second]
    return evidence_of(columns, columns)
