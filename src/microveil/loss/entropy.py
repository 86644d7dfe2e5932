"""Loss of entropy in categorical columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.words import list_some
from microveil.loss.base import Loss
from microveil.measure import Pair


@dataclass(frozen=True, kw_only=True)
class EntropyLoss(Loss, name="entropy-loss"):
    """Uncertainty about the original category that is left when the released one is known, in per cent.

    0 when the original can be told from the release, 100 when the release says nothing. Recoding, suppression and
    random exchange of categories are all channels from the original to the released category; their
    probabilities are those observed in the two files. Part `EBIL` is the sum over all records and columns in bits.
    Reference: Kooiman, Willenborg & Gouweleeuw 1998, PRAM: a method for disclosure limitation of microdata;
    de Waal & Willenborg 1999, Information loss through global recoding and local suppression.
    """

    kinds = ("ordinal", "nominal")
    paired = True
    bounds = (0.0, 100.0)
    unit = "%"
    title = "Loss of entropy of categories"
    reference = "Kooiman, Willenborg & Gouweleeuw 1998"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        before, after = pair.tables(pair.columns)
        left, right = pair.linked_rows
        parts: dict[str, float] = {}
        constant: list[str] = []
        total = 0.0
        for name in pair.columns:
            left_over, of_all = conditional_entropy(before[name].data[left], after[name].data[right])
            total += left_over * len(left)
            if of_all <= 0:
                constant.append(str(name))
            else:
                parts[f"{name}"] = 100 * left_over / of_all
        if not parts:
            return self.not_applicable("every categorical column is constant in the original: there is nothing to lose")
        value = float(np.mean(list(parts.values())))
        worst = max(parts, key=lambda name: parts[name])
        return self.measured(
            value,
            parts={"EBIL": total, **{f"loss[{name}]": part for name, part in parts.items()}},
            reading=f"Who knows the released category still lacks {format_number(value)} % of what the original one "
            f"told; most in "
            f"{worst} ({format_number(parts[worst])} %).",
            notes=(f"constant columns are left out: {list_some(constant)}",) if constant else (),
        )


def conditional_entropy(original: Ints, released: Ints) -> tuple[float, float]:
    """Entropy in bits of the original given the released category, and of the original alone, per record."""
    v = np.unique(original, return_inverse=True)[1]
    w = np.unique(released, return_inverse=True)[1]
    joint = np.unique(w * (int(v.max(initial=0)) + 1) + v, return_counts=True)[1]
    left_over = _entropy(joint) - _entropy(np.bincount(w))
    return (left_over if left_over > 1e-12 else 0.0), _entropy(np.bincount(v))


def _entropy(counts: Ints) -> float:
    p = counts[counts > 0] / counts.sum()
    return float(-(p * np.log2(p)).sum())
