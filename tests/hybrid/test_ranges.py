"""What is said about new numbers where the original has none."""

from __future__ import annotations

import numpy as np
import pandas as pd

from microveil.data.table import Table, Values
from microveil.hybrid import CholeskyHybrid, LocalSynthesis, MicroHybrid, MuralidharSarathy
from microveil.hybrid.groups import outside_range
from microveil.mask import UncorrelatedNoise
from microveil.partition import MDAV


def column(*values: float) -> Values:
    return Values("continuous", np.array(values))


def test_values_beyond_the_smallest_and_the_largest_are_counted():
    before = Table({"a": column(0, 5, 9), "b": column(-3, 1, 2)}, 3)
    (note,) = outside_range(before, {"a": column(-1, -2, 10), "b": column(-4, 0, 2)})
    assert note.startswith(
        "4 new values lie outside the range of those they replace (a 3, b 1), 2 of them below 0 in columns "
        "that had none (a 2); "
    )
    assert outside_range(before, {"a": column(0, 1, 9), "b": column(np.nan, -3, 2)}) == ()


def test_every_method_with_exact_moments_says_it():
    frame = pd.DataFrame(np.random.default_rng(1).gamma(0.3, 10.0, size=(300, 3)), columns=list("abc"))
    methods = [
        MicroHybrid(partition=MDAV(k=30)),
        LocalSynthesis(k=60, families=("VVV",), max_groups=2),
        CholeskyHybrid(mask=UncorrelatedNoise(p=0.5)),
        MuralidharSarathy(alpha=0.5),
    ]
    for method in methods:
        release = method.apply(frame, seed=1)
        count = int((release.frame < 0).to_numpy().sum())
        assert count > 0
        assert any(f"{count} of them below 0 in columns that had none" in note for note in release.notes), method.name
