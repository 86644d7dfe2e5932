"""Our own comparison at equal linkage risk."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core.streams import Key
from microveil.mask import Microaggregation, RankSwap
from microveil.partition import MDAV
from microveil.reproduce import eia_comparison
from microveil.reproduce.base import Range
from tests.reference import shared_file


def test_size_classes_have_equal_numbers_and_follow_size() -> None:
    X = np.column_stack([np.arange(100.0), np.arange(100.0) ** 2])[::-1]
    classes = eia_comparison.size_classes(X)
    assert np.bincount(classes).tolist() == [10] * 10
    assert classes[0] == 9
    assert classes[-1] == 0


def test_the_smallest_size_within_a_standard_error_of_the_risk_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    class File:
        n = 10_000

    monkeypatch.setattr(eia_comparison, "eia", File)
    sizes = {3: 31.0, 4: 20.3, 5: 17.0}
    by_size = {k: {"linked": Range(share, share, share)} for k, share in sizes.items()}
    # one standard error of 20 % in 10,000 records is 0.4 points
    assert eia_comparison.size_at_risk({"linked": Range(20.0, 20.0, 20.0)}, by_size) == 4
    assert eia_comparison.size_at_risk({"linked": Range(19.8, 19.8, 19.8)}, by_size) == 5
    assert eia_comparison.size_at_risk({"linked": Range(1.0, 1.0, 1.0)}, by_size) == 5


@pytest.mark.full
def test_at_equal_risk_hybrids_lose_less_than_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    shared_file("data/eia.csv")
    monkeypatch.setattr(eia_comparison, "SIZES_TRIED", (3, 4, 5, 6))
    rivals = {"micro": Microaggregation(partition=MDAV(k=5)), "swap": RankSwap(p=7)}
    monkeypatch.setattr(eia_comparison, "RIVALS", rivals)
    content = eia_comparison.comparison(1, Key.of("test"))
    assert content.notes[0] == (
        "micro-hybrid k=5 against micro: loses less in PIL(Q), PIL(Q) in classes, third, third mixed, class means, "
        "PIL(r)."
    )
    # rank swapping releases the original values of every column: nothing can lose less there
    assert content.notes[3].endswith(
        "against swap: loses less in PIL(Q) in classes, third mixed, class means, PIL(r); equal in PIL(Q), third."
    )
