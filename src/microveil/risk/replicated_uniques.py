"""Replicated uniques: people alone with their keys whose keys appear in the released file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.measure import Pair
from microveil.measure.keys import common_codes
from microveil.risk.base import KeyRisk


@dataclass(frozen=True, kw_only=True)
class ReplicatedUniques(KeyRisk, name="replicated-uniques"):
    """Per cent of original records that are unique on the keys and appear in the release, unique again.

    Use it for synthetic files, where no row belongs to a person but a repeated unique looks like one.
    Numbers are compared as numbers. Records with a missing released key do not count.
    Reference: Raab, Nowok & Dibben 2024.
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    alone: ClassVar[bool] = False
    title: ClassVar[str] = "Replicated uniques"
    reference: ClassVar[str] = "Raab, Nowok & Dibben 2024"

    def keys_in_doubt(self, pair: Pair) -> list[str]:
        """The keys that were perturbed; none where every record is synthetic, and stands for nobody anyway."""
        synthetic = pair.link is not None and bool((pair.link < 0).all())
        return [] if synthetic else super().keys_in_doubt(pair)

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        from microveil.kernels.tables.classes import group_rows

        before, after = common_codes(*pair.tables(pair.columns))
        labels, _ = group_rows(np.vstack([before, after]))
        classes = int(labels.max()) + 1
        here = np.bincount(labels[: len(before)], minlength=classes)
        there = np.bincount(labels[len(before) :], minlength=classes)
        incomplete = np.zeros(classes, dtype=np.bool_)
        incomplete[labels[len(before) :][(after < 0).any(axis=1)]] = True
        shown = (here == 1) & ~incomplete
        replicated = int((shown & (there == 1)).sum())
        n = len(before)
        value = 100.0 * replicated / n
        return self.measured(
            value,
            parts={
                "replicated records": float(replicated),
                "unique in the original (%)": 100.0 * float((here == 1).sum()) / n,
                "unique in the release (%)": 100.0 * float((there == 1).sum()) / max(len(after), 1),
                "unique in the original and present in the release (%)": 100.0 * float((shown & (there > 0)).sum()) / n,
            },
            reading=(
                f"{replicated:,} of {n:,} records ({format_number(value, 2)} %) are alone with their keys,"
                " in the release as well."
            ),
            notes=self.key_notes(pair),
        )
