"""Anonymity models beyond k: diversity and closeness of a sensitive attribute inside classes of equal keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import EXACT, Claim, Evidence
from microveil.core.claims_values import coded, crossed

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Diversity = Literal["distinct", "entropy", "recursive"]

_CELLS = 1 << 22  # of a block of classes by values


def class_diversity(labels: Codes, codes: Codes, kind: Diversity = "distinct", c: float = 2.0, l: int = 2) -> Floats:  # noqa: E741 - the literature's letter
    """Diversity of each class: distinct values, exp(entropy), or for `recursive` l where r_1 < c (r_l + ...), else 0.

    Reference: Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007.
    """
    classes = int(labels.max()) + 1
    pairs, counts = np.unique(labels * (int(codes.max()) + 1) + codes, return_counts=True)
    of = pairs // (int(codes.max()) + 1)
    if kind == "distinct":
        return np.bincount(of, minlength=classes).astype(np.float64)
    total = np.bincount(of, weights=counts, minlength=classes)
    if kind == "entropy":
        share = counts / total[of]
        return np.asarray(np.exp(-np.bincount(of, weights=share * np.log(share), minlength=classes)))
    order = np.lexsort((-counts, of))
    counts, of = counts[order], of[order]
    place = np.arange(len(of)) - np.searchsorted(of, of, "left")
    largest = np.bincount(of[place == 0], weights=counts[place == 0], minlength=classes)
    tail = np.bincount(of[place >= l - 1], weights=counts[place >= l - 1], minlength=classes)
    return np.where(largest < c * tail, float(l), 0.0)


def class_distance(labels: Codes, codes: Codes, ordered: bool) -> Floats:
    """Earth mover's distance of each class's distribution from that of the whole file, in [0, 1].

    Ordered values one step apart are 1/(m - 1) apart; otherwise all values are at distance 1. Reference:
    Li, Li & Venkatasubramanian 2007.
    """
    classes, values = int(labels.max()) + 1, np.unique(codes, return_inverse=True)[1].reshape(-1)
    m = int(values.max()) + 1
    if m == 1:
        return np.zeros(classes)
    whole = np.bincount(values, minlength=m) / len(values)
    sizes = np.bincount(labels, minlength=classes).astype(np.float64)
    order = np.argsort(labels, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    out, step = np.zeros(classes), max(1, _CELLS // m)
    for low in range(0, classes, step):
        high = min(low + step, classes)
        rows = order[bounds[low] : bounds[high]]
        table = np.bincount((labels[rows] - low) * m + values[rows], minlength=(high - low) * m).reshape(-1, m)
        shift = table / np.maximum(sizes[low:high, None], 1) - whole
        if ordered:
            out[low:high] = np.abs(np.cumsum(shift, axis=1)[:, :-1]).sum(axis=1) / (m - 1)
        else:
            out[low:high] = np.abs(shift).sum(axis=1) / 2
    return np.where(sizes > 0, out, 0.0)


def _classes_and_sensitive(evidence: Evidence) -> tuple[Codes, Codes]:
    """Classes of equal keys, and the codes of the last column."""
    columns = [coded(column) for column in evidence.after.T]
    return crossed(columns[:-1]), columns[-1]


@dataclass(frozen=True)
class DiversityAtLeast(Claim):
    """In every class of equal keys the sensitive attribute (the last column) is l-diverse."""

    compares = False
    text = "{kind} diversity at least {l:g}"
    l: float = 1.0  # noqa: E741 - the literature's letter
    kind: Diversity = "distinct"
    c: float = 2.0

    def __str__(self) -> str:
        return f"in every class of equal keys {self.columns[-1]} has {self.kind} diversity of at least {self.l:g}"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        labels, codes = _classes_and_sensitive(evidence)
        found = class_diversity(labels, codes, self.kind, self.c, int(self.l))
        return max(self.l - float(found.min()), 0.0), EXACT, 0.0


@dataclass(frozen=True)
class ClosenessWithin(Claim):
    """In every class of equal keys the sensitive attribute (the last column) is distributed nearly as in the file."""

    compares = False
    text = "t-closeness within {t:g}"
    t: float = 1.0
    ordered: bool = True

    def __str__(self) -> str:
        return f"in every class of equal keys {self.columns[-1]} is within {self.t:g} of its distribution in the file"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        labels, codes = _classes_and_sensitive(evidence)
        return float(class_distance(labels, codes, self.ordered).max()), self.t + EXACT, 0.0
