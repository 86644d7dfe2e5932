"""Anonymity models beyond k: diversity and closeness of a sensitive attribute inside classes of equal keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from microveil.claims.claim import AFFINE, COARSEN, LINEAR, Claim, Deviation, Example, InUnions
from microveil.claims.coding import code_values
from microveil.claims.evidence import EXACT, Evidence
from microveil.claims.examples import GAP, evidence_of
from microveil.core.arrays import Codes
from microveil.kernels.tables.classes import group_rows
from microveil.kernels.tables.closeness import class_distance
from microveil.kernels.tables.diversity import class_diversity

Diversity = Literal["distinct", "entropy", "recursive"]


def _classes_and_sensitive(evidence: Evidence) -> tuple[Codes, Codes]:
    """Classes of equal keys, and the codes of the last column; without keys all records are one class."""
    columns = [code_values(column) for column in evidence.released]
    keys = np.column_stack([np.zeros_like(columns[-1]), *columns[:-1]])
    return group_rows(keys)[0], columns[-1]


@dataclass(frozen=True)
class _InClasses(Claim):
    """Base of the claims about the sensitive attribute, the last column, in classes of equal keys, the others."""

    about = "release"
    withstands = frozenset({AFFINE})

    @property
    def sensitive(self) -> str:
        """The sensitive attribute in words."""
        return str(self.columns[-1]) if self.columns else "the sensitive attribute"

    def survives(self, change: str, columns: frozenset[str]) -> bool:
        """Keys that are merged, or mixed with one another only, merge classes, and no class gets worse."""
        keys = columns <= set(self.columns[:-1])
        return super().survives(change, columns) or (change in {COARSEN, LINEAR} and keys)


@dataclass(frozen=True)
class DiversityAtLeast(_InClasses):
    """In every class of equal keys the sensitive attribute (the last column) is l-diverse."""

    l: float = 1.0  # noqa: E741 - the literature's letter
    kind: Diversity = "distinct"
    c: float = 2.0

    @property
    def in_unions(self) -> InUnions:
        """Merging classes lowers none of the three diversities (Machanavajjhala et al. 2007)."""
        return "yes"

    def __str__(self) -> str:
        return f"in every class of equal keys {self.sensitive} has {self.kind} diversity of at least {self.l:g}"

    def deviation(self, evidence: Evidence) -> Deviation:
        if not len(evidence.origin):
            return Deviation(0.0, 0.0)
        labels, codes = _classes_and_sensitive(evidence)
        found = class_diversity(labels, codes, self.kind, self.c)
        return Deviation(np.maximum(self.l - found, 0.0), EXACT)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        crossing = [[0, 1], [1, 0], [3, 4]]
        distinct, entropy, recursive = cls(l=2), cls(l=1.8, kind="entropy"), cls(l=2, kind="recursive", c=2.0)
        return [
            Example(distinct, _classes([1, 2], [1, 2, 2]), True, "two values in both classes"),
            Example(distinct, _classes([1, 2], [2, 2, 2]), False, "one value in the last class"),
            Example(distinct, _classes([1, 1], [1, 2, 2]), False, "one value in the first class"),
            Example(distinct, evidence_of([[0, 0], [1, 2], [3, 4]], [[0, 0], [1, 1], [3, 4]]), True, "equal keys"),
            Example(
                distinct, evidence_of([[0, 0], [1, 2], [3, 4]], [[0, 0], [1, 2], [3, 4]]), False, "told apart by keys"
            ),
            Example(distinct, evidence_of([[0, 0], [1, 2], [3, 4]], [[0, 0], [1, 2], [4, 4]]), False, "and one value"),
            Example(distinct, evidence_of(crossing, crossing), False, "the same values in other keys"),
            Example(distinct, evidence_of([[3, 4]], [[3, 4]]), True, "no keys: one class"),
            Example(distinct, evidence_of([[3, 4]], [[4, 4]]), False, "no keys, one value"),
            Example(distinct, _classes([1, 2], [GAP, 2]), True, "a gap is a value"),
            Example(distinct, _classes([1, 2], [GAP, GAP]), False, "gaps are one value"),
            Example(entropy, _classes([1, 2], [1, 2, 2]), True, "exp(entropy) 2 and 1.89"),
            Example(entropy, _classes([1, 2], [1, 2, 2, 2]), False, "exp(entropy) 2 and 1.75"),
            Example(recursive, _classes([1, 2], [1, 1, 1, 2, 2]), True, "3 is less than 2 times 2"),
            Example(recursive, _classes([1, 2], [1, 1, 1, 1, 2, 2]), False, "4 is not less than 2 times 2"),
            Example(cls(l=3, kind="recursive"), _classes([1, 2, 3], [1, 1, 2, 3, 4]), True, "three values"),
            Example(
                cls(l=3, kind="recursive"), _classes([1, 2, 3], [1, 1, 2, 3]), False, "2 is not less than 2 times 1"
            ),
        ]


@dataclass(frozen=True)
class ClosenessWithin(_InClasses):
    """In every class of equal keys the sensitive attribute (the last column) is distributed nearly as in the file."""

    t: float = 1.0
    ordered: bool = True

    def __str__(self) -> str:
        return f"in every class of equal keys {self.sensitive} is within {self.t:g} of its distribution in the file"

    def deviation(self, evidence: Evidence) -> Deviation:
        if not len(evidence.origin):
            return Deviation(0.0, 0.0)
        labels, codes = _classes_and_sensitive(evidence)
        return Deviation(class_distance(labels, codes, self.ordered), self.t + EXACT)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        # classes {1, 3} and {2, 2} among 1, 2, 2, 3: cumulated shares are off by 1/4 twice, over two steps
        return [
            Example(cls(t=0.25), _classes([1, 3], [2, 2]), True, "as far as allowed"),
            Example(cls(t=0.249), _classes([1, 3], [2, 2]), False, "just too far"),
            Example(cls(t=0.249), _classes([1, 2], [1, 2]), True, "as in the file"),
            Example(cls(t=0.25), _classes([1, 2, 2, 3], [1, 1, 2, 3]), True, "closer in the second class"),
            Example(cls(t=0.25), _classes([1, 2, 2, 3], [1, 1]), False, "the last class at one end"),
            Example(cls(t=0.25), _classes([3, 3], [1, 2, 2, 3]), False, "the first class at the other end"),
            Example(cls(t=0.25), _classes([GAP, 3], [2, 2]), True, "a gap stands one step below the lowest value"),
            Example(cls(t=0.25), _classes([GAP, GAP], [2, 3]), False, "gaps gathered in one class"),
            Example(cls(t=0.5, ordered=False), _classes([1, 3], [2, 2]), True, "half of the shares elsewhere"),
            Example(cls(t=0.5, ordered=False), _classes([GAP, 3], [2, 2]), True, "a gap is as far as any value"),
            Example(cls(t=0.499, ordered=False), _classes([1, 3], [2, 2]), False, "more than half elsewhere"),
            Example(cls(t=0.499, ordered=False), _classes([1, 2], [1, 2]), True, "as in the file, unordered"),
            Example(cls(t=0.1), evidence_of([[0, 0], [1, 2], [3, 4]], [[0, 0], [1, 1], [3, 4]]), True, "equal keys"),
            Example(cls(t=0.1), evidence_of([[0, 0], [1, 1], [3, 4]], [[0, 0], [1, 2], [3, 4]]), False, "told apart"),
            Example(
                cls(t=0.1), evidence_of([[0, 1], [1, 1], [3, 4]], [[0, 1], [1, 1], [3, 4]]), False, "by the first key"
            ),
        ]


def _classes(*sensitive: Sequence[float]) -> Evidence:
    """Classes of equal keys, each with these values of the sensitive attribute."""
    key = [number for number, values in enumerate(sensitive) for _ in values]
    columns = [key, [value for values in sensitive for value in values]]
    return evidence_of(columns, columns)
