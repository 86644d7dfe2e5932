"""Weights that follow a region give it away, whether it was suppressed or recoded."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import WeightInference
from microveil.core.measured import NotApplicable
from microveil.mask import GlobalRecode, LocalSuppression

ROLES = {"region": "key", "age": "key", "income": "confidential", "w": "weight"}
WEIGHTS = {"a": 10.5, "b": 11.25, "c": 9.75, "d": 4.5, "e": 3.25, "f": 2.5, "g": 1.5}


def weighted_regions(by_region: bool = True, rows: int = 2000, seed: int = 1) -> mv.Microdata:
    draw = np.random.default_rng(seed)
    region = draw.choice(list(WEIGHTS), rows, p=[0.4, 0.25, 0.15, 0.1, 0.05, 0.03, 0.02])
    weights = np.array([WEIGHTS[name] for name in region])
    columns = {
        "region": region,
        "age": draw.integers(0, 9, rows).astype(str),
        "income": draw.normal(size=rows).round(2),
        "w": weights if by_region else draw.permutation(weights),
    }
    return mv.Microdata(pa.table(columns), roles=ROLES)


def suppress_regions(data: mv.Microdata, k: int = 45):
    return LocalSuppression(k=k, cost={"age": 1000, "region": 1}).apply(data, columns=["region", "age"], seed=1)


MERGED = GlobalRecode(merges={"region": {"large": ["a", "b"], "small": ["c", "d", "e", "f", "g"]}})


def test_every_suppressed_region_is_recovered():
    data = weighted_regions()
    release = suppress_regions(data)
    lost = sum(value is None for value in release.frame["region"].to_pylist())
    assert lost > 200
    found = WeightInference()(data, release, columns=["region"])
    assert (found.value, found.parts["right"]) == (100.0, 100.0)
    assert (found.parts["certain"], found.parts["precision"]) == (100.0, 1.0)
    assert f"of {lost:,} hidden cells" in found.reading


def test_every_recoded_region_is_recovered():
    data = weighted_regions()
    found = WeightInference()(data, MERGED.apply(data, columns=["region"], seed=1))
    assert found.value == found.parts["certain"] == 100.0
    assert found.parts["baseline"] == pytest.approx(100 * (0.4 + 0.15), abs=4)  # a of a, b; c of the others


def calibrated(by_region: bool) -> mv.Microdata:
    """Weights of each record, within a tenth of those of its region, which lie apart; or of any."""
    draw = np.random.default_rng(2)
    data = weighted_regions(by_region)
    bases = {"a": 10, "b": 20, "c": 40, "d": 80, "e": 160, "f": 320, "g": 640}
    table = data.frame
    weights = np.array([bases[name] for name in table["region"].to_pylist()]) * draw.uniform(0.9, 1.1, len(table))
    weights = weights if by_region else draw.permutation(weights)
    return mv.Microdata(table.set_column(3, "w", pa.array(weights.round(3))), roles=ROLES)


def test_calibrated_weights_that_lie_beside_each_other_tell_regions():
    data = calibrated(by_region=True)
    found = WeightInference()(data, suppress_regions(data, k=10), columns=["region"])
    assert found.value > 50
    assert found.parts["precision"] == 1.0


def test_calibrated_weights_of_no_region_tell_nothing():
    data = calibrated(by_region=False)
    found = WeightInference()(data, suppress_regions(data, k=10), columns=["region"])
    assert found.parts["certain"] == 0


def test_weights_that_have_nothing_to_do_with_it_say_nothing():
    data = weighted_regions(by_region=False)
    found = WeightInference()(data, suppress_regions(data))
    assert found.value < 5
    assert found.parts["certain"] == 0
    recoded = WeightInference()(data, MERGED.apply(data, columns=["region"], seed=1))
    assert isinstance(recoded, NotApplicable)
    assert "several weights" in recoded.reason


def test_equal_weights_leave_several_values():
    data = weighted_regions()
    equal = [WEIGHTS["a"] if w == WEIGHTS["b"] else w for w in data.frame["w"].to_pylist()]
    data = data.with_(data.frame.set_column(3, "w", pa.array(equal)))
    found = WeightInference()(data, MERGED.apply(data, columns=["region"], seed=1))
    assert found.parts["certain"] == pytest.approx(35, abs=3)  # nobody of a or b
    assert found.parts["precision"] == 1.0


def test_without_a_released_weight():
    data = weighted_regions()
    release = suppress_regions(data)
    found = WeightInference()(data, release.data.with_(release.frame.drop_columns(["w"])))
    assert "no column with the role weight" in found.reason


def test_the_order_of_rows_does_not_matter():
    data = weighted_regions()
    release = suppress_regions(data)
    order = np.random.default_rng(2).permutation(data.n)
    first = WeightInference()(data, release)
    again = WeightInference()(data, release.data.with_(release.frame.take(order)), linked=order)
    assert again.parts == pytest.approx(first.parts)
