"""Classes of keys with nearest amounts: keys and amounts that hide somebody apart, and do not together."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import NestedLinkage
from microveil.hybrid import MicroHybrid
from microveil.mask import KAnonymise, LocalSuppression, Microaggregation, Pram, UncorrelatedNoise
from microveil.partition import MDAV
from microveil.plan import Step

KEYS = ["region", "sector", "employees"]
ANY, NEAREST = "any that holds the keys", "amounts, nearest"


@pytest.fixture(scope="module")
def enterprises() -> mv.Microdata:
    frame = mv.datasets.make_enterprises(600, seed=1)
    kept = frame.select([name for name in frame.column_names if name not in ("enterprise_id", "name")])
    roles = {name: "key" if name in KEYS else "confidential" for name in kept.column_names}
    return mv.Microdata(kept, roles=roles)


def amounts_of(data: mv.Microdata) -> list[str]:
    return [name for name in data.columns if name not in KEYS]


def test_keys_and_amounts_protected_apart_are_linked_together(enterprises):
    """Each hides everybody among k; who knows both finds most records."""
    amounts = amounts_of(enterprises)
    hybrid = Step(MicroHybrid(partition=MDAV(k=10)), columns=amounts, given=[])
    release = mv.Plan([Step(KAnonymise(k=5), columns=KEYS), hybrid]).run(enterprises, seed=1)
    only_keys = NestedLinkage(known=KEYS)(enterprises, release)
    assert only_keys.value <= 20  # one of five
    by_amounts = mv.risk.DistanceLinkage()(
        mv.Microdata(enterprises.frame.select(amounts)), release.frame.select(amounts)
    )
    assert by_amounts.value < 12
    both = NestedLinkage()(enterprises, release)
    assert both.parts[ANY] == pytest.approx(only_keys.value)
    assert both.value > 70
    assert both.parts[NEAREST] > 60
    assert both.parts["certain"] == 0 or both.parts["precision"] > 0.9  # no claim, or one that is true
    assert both.parts["certain"] > 20
    some = NestedLinkage(known=[*KEYS, "total_revenue"])(enterprises, release)
    assert only_keys.value + 10 < some.value < both.value


def test_keys_and_amounts_protected_together_stay_below_one_in_k(enterprises):
    """Classes for all columns at once hide everybody among five, whatever is known."""
    columns = [*KEYS, "total_revenue", "total_sales"]
    narrow = mv.Microdata(enterprises.frame.select(columns), roles=dict.fromkeys(columns, "key"))
    found = NestedLinkage()(narrow, KAnonymise(k=5).apply(narrow, columns=columns, seed=1))
    assert 1 < found.value <= 20
    assert found.parts["certain"] == 0


def test_ranges_by_hand():
    """Ages in classes of two records, amounts near the true ones of the other: the class decides first."""
    before = pa.table({"age": [21.0, 25.0, 32.0, 38.0], "x": [1.0, 2.0, 1.0, 2.0]})
    after = pa.table({"age": ["20-29", "20-29", "30-39", "30-39"], "x": [1.1, 1.9, 1.2, 1.3]})
    parts = NestedLinkage()(before, after).parts
    assert parts[ANY] == 50.0
    assert parts[NEAREST] == 100.0
    swapped = after.set_column(1, "x", pa.array([1.9, 1.1, 1.2, 1.3]))
    assert NestedLinkage()(before, swapped).parts[NEAREST] == 50.0


def test_sets_of_categories_that_no_order_makes_ranges():
    before = pa.table({"town": ["a", "b", "c", "d"], "x": [1.0, 2.0, 3.0, 4.0]})
    after = pa.table({"town": ["{a, c}", "{b, d}", "{c, a}", "{d, b}"], "x": [1.0, 2.0, 3.0, 4.0]})
    data = mv.Microdata(before, kinds={"town": "nominal"})
    assert NestedLinkage(known=["town"])(data, after).value == 50.0
    crossing = after.set_column(0, "town", pa.array(["{a, b}", "{b, c}", "{c, d}", "{d, a}"]))
    assert NestedLinkage(known=["town"])(data, crossing).value == 50.0
    assert NestedLinkage()(data, crossing).value == 100.0


def test_suppressed_cells_hold_everything(enterprises):
    narrow = mv.Microdata(
        enterprises.frame.select(["region", "sector", "total_revenue"]), roles={"region": "key", "sector": "key"}
    )
    plan = mv.Plan([(LocalSuppression(k=10), ["region", "sector"]), (UncorrelatedNoise(p=0.01), ["total_revenue"])])
    release = plan.run(narrow, seed=1)
    assert release.data.table(["region"])["region"].missing.any()
    chances = NestedLinkage(known=["region", "sector"]).records(narrow, release)
    assert (chances > 0).all()  # whoever is there is never excluded
    assert chances.mean() < 0.1
    assert NestedLinkage()(narrow, release).value > 2 * 100 * chances.mean()


def test_a_release_of_others_is_found_by_chance():
    draw = np.random.default_rng(3)
    before = pa.table({"age": draw.integers(20, 40, 300).astype(float), "x": draw.normal(size=300)})
    classes = np.where(draw.integers(20, 40, 300) < 30, "20-29", "30-39")
    found = NestedLinkage()(before, pa.table({"age": classes, "x": draw.normal(size=300)}))
    assert found.value < 2
    assert found.parts["baseline"] == pytest.approx(1 / 3)


def test_order_of_rows_and_gaps(enterprises):
    amounts = ["total_revenue", "total_sales"]
    frame = enterprises.frame.select([*KEYS, *amounts]).slice(0, 200)
    holes = np.arange(200) % 4 == 0
    cells = pa.array(frame["total_revenue"].to_numpy(), mask=holes)
    data = mv.Microdata(frame.set_column(3, "total_revenue", cells), roles=dict.fromkeys(KEYS, "key"))
    noise = Step(UncorrelatedNoise(p=0.05), columns=amounts, missing="mask")
    release = mv.Plan([Step(KAnonymise(k=3), columns=KEYS), noise]).run(data, seed=1)
    pair = mv.measure.Pair.of(data, release)
    found = NestedLinkage().of_pair(pair)
    assert found.value > 30
    order = np.random.default_rng(5).permutation(200)
    after = release.data.with_(release.data.narwhal[order.tolist()].to_native())
    turned = type(pair)(data, after, release.origin[order], pair.columns, plan=pair.plan)
    assert NestedLinkage().of_pair(turned).parts == pytest.approx(found.parts)


def test_columns_that_were_perturbed_as_well_exclude_nobody(enterprises):
    narrow = mv.Microdata(enterprises.frame.select(["region", "sector"]), roles={"region": "key", "sector": "key"})
    pram = mv.Plan([(Pram(stay=0.5), ["sector"])]).run(narrow, seed=1)
    assert "made coarser or suppressed" in NestedLinkage()(narrow, pram).reason
    grouped = Microaggregation().apply(enterprises, columns=amounts_of(enterprises), seed=1)
    assert "made coarser or suppressed" in NestedLinkage()(enterprises, grouped).reason
