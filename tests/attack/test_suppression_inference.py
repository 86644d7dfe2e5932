"""Suppressed cells: other columns and households give them away, and independent columns do not."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import SuppressionInference
from microveil.attack.determined import conclude
from microveil.core.measured import NotApplicable
from microveil.mask import LocalSuppression, UncorrelatedNoise


def test_conclusions_by_hand():
    target = np.array([0, 0, 0, 0, -1, 1, 1, 2, -1, -1])
    by = np.array([5, 5, 5, 5, 5, 6, 6, 6, 6, -1])
    found = conclude(target, by)
    assert found.value.tolist() == [0, 0, 0, 0, 0, -1, -1, -1, -1, -1]
    # four rows follow from the other three; of the second group too few are left
    assert (found.tried, found.reliable) == (4, 1.0)
    odd = conclude(np.array([0, 0, 0, 1]), np.zeros(4, dtype=np.int64))
    assert (odd.tried, odd.reliable) == (1, 0.0)
    assert conclude(np.array([-1, -1]), np.array([0, 0])).tried == 0


def districts(rows: int = 600, tied: bool = True, seed: int = 1) -> pa.Table:
    """Districts with a postcode that determines them, or one that has nothing to do with them."""
    draw = np.random.default_rng(seed)
    code = draw.choice(20, rows, p=np.arange(20, 0, -1) / 210)
    other = code if tied else draw.permutation(code)
    return pa.table(
        {
            "district": [f"d{c % 10}" for c in code],
            "age": draw.integers(1, 6, rows).astype(str),
            "postcode": [f"p{c}" for c in other],
        }
    )


def suppressed(data: pa.Table, k: int = 12):
    return LocalSuppression(k=k).apply(data, columns=["district", "age"], seed=1)


def test_a_column_that_determines_it_gives_it_away():
    data = districts()
    release = suppressed(data)
    lost = sum(value is None for value in release.frame["district"].to_pylist())
    assert lost > 20
    found = SuppressionInference()(data, release)
    assert found.parts["right[district]"] > 95  # all but postcodes that hardly any row shows
    assert found.parts["precision"] == 1.0
    assert found.parts["certain"] > 50
    assert found.value > 60


def test_columns_that_have_nothing_to_do_with_it_do_not():
    data = districts(2000, tied=False)
    found = SuppressionInference()(data, suppressed(data, k=20))
    assert found.parts["certain"] == 0
    assert found.value < 6


def test_households_give_it_away():
    draw = np.random.default_rng(1)
    home = np.sort(draw.integers(0, 150, 600))
    region = draw.choice(["a", "b", "c", "d"], 150, p=[0.6, 0.25, 0.1, 0.05])[home]
    data = mv.Microdata(
        pa.table({"home": home, "region": region, "age": draw.integers(1, 12, 600).astype(str)}),
        roles={"home": "household", "region": "key", "age": "key"},
    )
    release = LocalSuppression(k=4, cost={"age": 2, "region": 1}).apply(data, seed=1)
    found = SuppressionInference()(data, release)
    shown = found.parts.get("right[region]", found.parts["right"])
    assert shown > 90
    alone = SuppressionInference()(data.with_(roles={"home": "identifier"}), release.frame)
    assert alone.parts.get("right[region]", alone.parts["right"]) < shown - 30


def test_the_order_of_rows_does_not_matter_and_original_gaps_are_not_asked_for():
    data = districts()
    some = [None if i % 9 == 0 else value for i, value in enumerate(data["district"].to_pylist())]
    gappy = data.set_column(0, "district", pa.array(some))
    release = suppressed(gappy)
    first = SuppressionInference()(gappy, release)
    asked = sum(b is None and a is not None for a, b in zip(some, release.frame["district"].to_pylist(), strict=True))
    asked += sum(value is None for value in release.frame["age"].to_pylist())
    assert f" of {asked} hidden cells" in first.reading
    order = np.random.default_rng(2).permutation(600)
    again = SuppressionInference()(gappy, release.frame.take(order), linked=order)
    assert again.value == pytest.approx(first.value)
    assert again.parts == pytest.approx(first.parts)


def test_where_nothing_was_suppressed():
    data = districts()
    assert isinstance(SuppressionInference()(data, data), NotApplicable)
    amounts = pa.table({"x": np.arange(50.0)})
    assert isinstance(SuppressionInference()(amounts, UncorrelatedNoise().apply(amounts, seed=1)), NotApplicable)


def test_gaps_that_were_drawn_are_not_hidden_values():
    """Swapping moves gaps to other records: nothing was suppressed there."""
    table = districts(300)
    gaps = pa.array([None if i % 7 == 0 else value for i, value in enumerate(table["district"].to_pylist())])
    data = mv.Microdata(table.set_column(0, "district", gaps), roles={"district": "key", "age": "key"})
    swapped = mv.mask.SwapInGroups().apply(data, columns=["district", "age"], missing="mask", seed=1)
    moved = swapped.data.values("district").missing & ~data.values("district").missing[swapped.origin]
    assert moved.any()
    assert "no known value was suppressed" in SuppressionInference()(data, swapped).reason
