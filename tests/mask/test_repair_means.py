"""Repair that keeps means: what is put into its range is paid for by the others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput


def amounts_near_zero(n: int = 300) -> pd.DataFrame:
    draw = np.random.default_rng(3)
    return pd.DataFrame({"a": draw.gamma(0.5, 100.0, n), "b": draw.gamma(2.0, 10.0, n), "c": draw.normal(50.0, 1.0, n)})


@pytest.mark.parametrize("how", ["shift", "scale"])
def test_means_stay_promised_through_a_repair_and_nothing_is_below_zero(how: str) -> None:
    data = mv.Microdata(amounts_near_zero(), roles=dict.fromkeys("abc", "confidential"))
    hybrid = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10))
    plain = mv.Plan([(hybrid, ["a", "b", "c"])]).run(data, seed=1)
    assert (plain.frame[["a", "b"]] < 0).any(axis=None)
    repair = mv.mask.Repair(low=0.0, keep_means=how)
    release = mv.Plan([(hybrid, ["a", "b", "c"]), (repair, ["a", "b", "c"])]).run(data, seed=1)
    assert (release.frame >= 0).all(axis=None)
    np.testing.assert_allclose(release.frame.mean(), data.frame.mean(), rtol=1e-12)
    assert any(str(promise).startswith("means of a, b, c") for promise in release.promises)
    assert not any("means" in lost for lost in release.lost)
    assert release.guarantee.k == 10
    below = int((plain.frame < 0).sum().sum())
    assert any(note.startswith(f"{below} values outside their range were put into it") for note in release.notes)
    # cut off without that, the mean rises
    cut = mv.Plan([(hybrid, ["a", "b", "c"]), (mv.mask.Repair(low=0.0), ["a", "b", "c"])]).run(data, seed=1)
    assert cut.frame["a"].mean() > 1.005 * data.frame["a"].mean()


def test_a_mean_outside_its_range_is_not_promised() -> None:
    release = mv.mask.Repair(low=30.0, keep_means="scale").apply(amounts_near_zero(), columns=["b", "c"])
    assert [str(one) for one in release.promises if "means" in str(one)] == ["means of c are exactly the original's"]
    assert release.frame["b"].mean() > 30 > amounts_near_zero()["b"].mean()


@pytest.mark.parametrize("more", [{}, {"low": 0.0, "sums": {"c": ("a", "b")}}])
def test_keeping_means_is_about_ranges(more: dict[str, object]) -> None:
    with pytest.raises(BadInput, match=r"keep_means is about ranges alone|keep_means='shift' goes without sums"):
        mv.mask.Repair(keep_means="shift", **more)  # type: ignore[arg-type]
