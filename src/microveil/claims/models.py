"""Anonymity models beyond k: diversity and closeness of a sensitive attribute inside classes of equal keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from microveil.claims.claim import AFFINE, COARSEN, LINEAR, About, Claim, Deviation, Example, InUnions, SeenBy
from microveil.claims.coding import code_values
from microveil.claims.evidence import EXACT, Evidence
from microveil.claims.examples import GAP, evidence_of
from microveil.core.arrays import Codes, Floats, Ints
from microveil.kernels.tables.classes import ValueCounts, count_up, group_rows, value_counts
from microveil.kernels.tables.closeness import distance_of_counts, distance_of_counts_in_tree
from microveil.kernels.tables.diversity import diversity_of_counts

Diversity = Literal["distinct", "entropy", "recursive"]
# the nodes above each value on all levels of its hierarchy below the top, by the number that evidence has for the value
Tree = tuple[tuple[float, tuple[int, ...]], ...]


def _classes_and_sensitive(evidence: Evidence) -> tuple[Codes, Codes]:
    """Classes of equal keys, and the codes of the last column; without keys all records are one class."""
    columns = [code_values(column) for column in evidence.released]
    keys = np.column_stack([np.zeros_like(columns[-1]), *columns[:-1]])
    return group_rows(keys)[0], columns[-1]


@dataclass(frozen=True)
class _InClasses(Claim):
    """Base of the claims about the sensitive attribute, the last column, in classes of equal keys, the others."""

    about: ClassVar[About] = "release"
    seen_by: ClassVar[SeenBy] = "classes"
    withstands: ClassVar[frozenset[str]] = frozenset({AFFINE})

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
        counts = value_counts(labels, codes, evidence.times)
        found = diversity_of_counts(counts, count_up(labels, evidence.times), self.kind, self.c)
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


class _Distribution(NamedTuple):
    """The values of the sensitive attribute in classes of equal keys, and their shares in what these are held against.

    Only values that occur in either are there, in order, a missing one the lowest; `numbers` says what they are.
    """

    found: ValueCounts
    sizes: Ints
    shares: Floats
    numbers: Floats

    @classmethod
    def of(cls, evidence: Evidence, original: bool) -> _Distribution:
        """The classes of a release; `original`: held against the original file, not against all that is released."""
        labels = _classes_and_sensitive(evidence)[0]
        released, before = (
            np.where(np.isnan(side), -np.inf, side) for side in (evidence.released[-1], evidence.original[-1])
        )
        numbers, codes = np.unique(
            np.concatenate([released, before if original else released[:0]]), return_inverse=True
        )
        codes = codes.reshape(-1)
        held = codes[len(released) :] if original else codes
        totals = count_up(held, evidence.times_before if original else evidence.times, len(numbers))
        own, times = codes[: len(released)], evidence.times
        shares = totals / max(int(totals.sum()), 1)
        return cls(value_counts(labels, own, times), count_up(labels, times), shares, numbers)


def _levels_of(tree: Tree, numbers: Floats) -> list[Ints]:
    """The nodes of these values on each level of a tree; gaps and values that are not in it hang from its top."""
    above = {number: nodes for number, nodes in tree if number == number}
    height = max((len(nodes) for nodes in above.values()), default=0)
    own = [above.get(number, (-1,) * height) for number in numbers.tolist()]
    levels = [np.arange(len(numbers))]
    levels += [np.unique([nodes[i] for nodes in own], return_inverse=True)[1].reshape(-1) for i in range(height)]
    return levels


@dataclass(frozen=True)
class ClosenessWithin(_InClasses):
    """In every class of equal keys the sensitive attribute (the last column) is distributed nearly as in the file.

    The file is the released one. `tree` is there where distances are along a hierarchy.
    """

    t: float = 1.0
    ordered: bool = True
    tree: Tree = ()
    held_against: ClassVar[str] = "the file"

    def __str__(self) -> str:
        return (
            f"in every class of equal keys {self.sensitive} is within {self.t:g} of its distribution in "
            f"{self.held_against}"
        )

    @property
    def public(self) -> str:
        """Without how near."""
        return f"in every class of equal keys {self.sensitive} is near its distribution in {self.held_against}"

    def deviation(self, evidence: Evidence) -> Deviation:
        if not len(evidence.origin):
            return Deviation(0.0, 0.0)
        found, sizes, shares, numbers = _Distribution.of(evidence, self.about == "original")
        if self.tree:
            away = distance_of_counts_in_tree(found, sizes, shares, _levels_of(self.tree, numbers))
        else:
            away = distance_of_counts(found, sizes, shares, self.ordered)
        return Deviation(away, self.t + EXACT)

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


@dataclass(frozen=True)
class FileClosenessWithin(ClosenessWithin):
    """In every class of equal keys the sensitive attribute is distributed nearly as in the original file.

    Records that were left out count in the original.
    """

    about: ClassVar[About] = "original"
    withstands: ClassVar[frozenset[str]] = frozenset()
    held_against: ClassVar[str] = "the original file"

    @classmethod
    def examples(cls) -> Sequence[Example]:
        left_out: list[list[float]] = [[1, 1, 2, 2, 3, 3], [1, 2, 1, 2, 1, 1]]
        kept = evidence_of(left_out, [[1, 1, 2, 2], [1, 2, 1, 2]], origin=[0, 1, 2, 3])
        gathered = evidence_of(left_out, [[1, 1, 2, 2], [2, 2, 1, 1]], origin=[0, 1, 2, 3])
        return [
            Example(cls(t=0.17, ordered=False), kept, True, "shares 1/2 beside 2/3 of the original"),
            Example(cls(t=0.17, ordered=False), gathered, False, "too far from the original"),
            Example(cls(t=0.25), _classes([1, 3], [2, 2]), True, "as far as allowed"),
            Example(cls(t=0.25), _classes([1, 1], [2, 2, 3]), False, "too far"),
        ]


@dataclass(frozen=True)
class LikenessWithin(_InClasses):
    """In every class of equal keys no value of the sensitive attribute has more than (1 + beta) times its share."""

    # values that are merged have the sum of their shares, in a class and in the file
    withstands = frozenset({AFFINE, COARSEN})
    beta: float = 1.0
    held_against: ClassVar[str] = "the file"

    def __str__(self) -> str:
        return (
            f"in every class of equal keys each value of {self.sensitive} is at most {1 + self.beta:g} times as "
            f"frequent as in {self.held_against}"
        )

    @property
    def public(self) -> str:
        """Without how much more frequent."""
        often = f"no value of {self.sensitive} is much more frequent than in {self.held_against}"
        return f"in every class of equal keys {often}"

    def deviation(self, evidence: Evidence) -> Deviation:
        if not len(evidence.origin):
            return Deviation(0.0, 0.0)
        found, sizes, shares, _ = _Distribution.of(evidence, self.about == "original")
        there = shares[found.values]
        share = found.counts / sizes[found.classes]
        gain = np.where(there > 0, share / np.where(there > 0, there, 1.0) - 1, np.inf)
        return Deviation(np.maximum(gain, 0.0), self.beta + EXACT)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        return [
            Example(cls(beta=1.0), _classes([1, 1], [2, 2]), True, "twice as frequent as in the file"),
            Example(cls(beta=0.1), _classes([1, 2], [1, 2]), True, "as in the file"),
            Example(cls(beta=1.0), _classes([1, 1], [2, 2, 3, 3]), False, "three times as frequent in one class"),
            Example(cls(beta=1.0), _classes([GAP, GAP], [2, 2]), True, "a gap is a value"),
            Example(cls(beta=0.1), _classes([GAP, GAP], [2, 2]), False, "gaps gathered in one class"),
            Example(cls(beta=0.1), evidence_of([[0, 0], [1, 2], [3, 4]], [[0, 0], [1, 1], [3, 4]]), True, "equal keys"),
            Example(
                cls(beta=0.1), evidence_of([[0, 0], [1, 1], [3, 4]], [[0, 0], [1, 2], [3, 4]]), False, "told apart"
            ),
        ]


@dataclass(frozen=True)
class FileLikenessWithin(LikenessWithin):
    """In every class of equal keys no value of the sensitive attribute has more than (1 + beta) times its first share.

    That is its share in the original file: records that were left out count there.
    """

    about: ClassVar[About] = "original"
    withstands: ClassVar[frozenset[str]] = frozenset()
    held_against: ClassVar[str] = "the original file"

    @classmethod
    def examples(cls) -> Sequence[Example]:
        left_out: list[list[float]] = [[1, 1, 2, 2, 3, 3], [1, 2, 1, 2, 1, 1]]
        evidence = evidence_of(left_out, [[1, 1, 2, 2], [1, 2, 1, 2]], origin=[0, 1, 2, 3])
        gathered = evidence_of(left_out, [[1, 1, 2, 2], [2, 2, 1, 1]], origin=[0, 1, 2, 3])
        return [
            Example(cls(beta=0.5), evidence, True, "1/2 is one and a half times 1/3"),
            Example(cls(beta=0.5), gathered, False, "three times 1/3"),
        ]


def _classes(*sensitive: Sequence[float]) -> Evidence:
    """Classes of equal keys, each with these values of the sensitive attribute."""
    key = [number for number, values in enumerate(sensitive) for _ in values]
    columns = [key, [value for values in sensitive for value in values]]
    return evidence_of(columns, columns)
