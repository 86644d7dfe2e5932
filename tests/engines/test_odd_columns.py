"""Columns of nothing, decimal numbers that outgrow their type, columns that follow from others: as in memory."""

from __future__ import annotations

import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.core.errors import BadInput, BrokenPromise, NothingHidden
from microveil.engines import BlockEngine, Scan, scan
from tests.engines.files import KEY, same_releases

ROWS = 60

PLANS: dict[str, list[Any]] = {
    "nothing": [{"method": mv.mask.Massc(), "columns": ["empty", "region"], "missing": "mask"}],
    "decimals": [{"method": mv.mask.UncorrelatedNoise(p=2.0), "columns": ["price"], "missing": "mask"}],
    "decimals in classes": [{"method": mv.mask.GlobalRecode(bins=4), "columns": ["price"], "missing": "mask"}],
    "a total": [{"method": mv.mask.ExactNoise(), "columns": ["wages", "rents", "total"], "by": "region"}],
}


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Scan:
    draw = np.random.default_rng(1)
    wages, rents = draw.integers(0, 900, (2, ROWS))
    prices = [None if row % 7 == 3 else Decimal(int(draw.integers(100, 9999))) / 100 for row in range(ROWS)]
    table = pa.table(
        {
            "region": [["north", "south"][row // 30] for row in range(ROWS)],
            "empty": pa.nulls(ROWS),
            "price": pa.array(prices, pa.decimal128(4, 2)),
            "wages": wages,
            "rents": rents,
            "total": wages + rents,
        }
    )
    path = tmp_path_factory.mktemp("odd") / "a.parquet"
    parquet.write_table(table, path)
    return scan(path, roles={"region": "key"})


@pytest.mark.parametrize("steps", PLANS.values(), ids=PLANS)
def test_odd_columns_are_written_alike(odd: Scan, steps: list[Any], tmp_path: Path) -> None:
    whole, blocks = same_releases(odd, steps, tmp_path, BlockEngine(block_rows=13))
    assert [note for note in whole.notes if note not in blocks.notes and "alone with" not in note] == []
    released = parquet.read_table(whole.files[0])
    if steps is PLANS["a total"]:
        # a last digit would tell cells that were left as they are from those that were computed
        prices = odd.read().frame["price"].to_pylist()
        assert sorted(released["price"].drop_null().to_pylist()) == sorted(float(one) for one in prices if one)
    if steps is PLANS["decimals in classes"]:
        assert not any("no longer fit" in note for note in blocks.notes)
    if steps is PLANS["decimals"]:
        assert max(value for value in released["price"].to_pylist() if value is not None) > 99.99
        assert (
            "values of 'price' no longer fit Decimal(precision=4, scale=2) and come back in a wider type"
            in blocks.notes
        )
    assert released["empty"].null_count == len(whole)


def test_linkage_by_categories_alone(odd: Scan, tmp_path: Path) -> None:
    plan = mv.Plan([{"method": mv.mask.GlobalRecode(bins=3), "columns": ["wages"]}])
    release = plan.run(odd, into=tmp_path / "out", seed=KEY, engine=BlockEngine(block_rows=13))
    measure = mv.risk.DistanceLinkage()
    known = ("region", "wages")
    assert release.linking is not None
    places = release.linking.places(np.arange(odd.n))
    released = parquet.read_table(release.files[0])
    expected = measure(odd.read(), released, linked=np.argsort(places), columns=known)
    assert measure(odd, release, columns=known).value == pytest.approx(expected.value)


def test_decimals_do_not_hide_that_every_record_came_back(odd: Scan, tmp_path: Path) -> None:
    plan = mv.Plan([{"method": mv.mask.GlobalRecode(rare=1), "columns": ["region"]}])  # nobody is rare
    for engine in ("memory", BlockEngine(block_rows=13)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NothingHidden)
            with pytest.raises(BrokenPromise, match="released every original record as it was"):
                plan.run(odd, into=tmp_path / "out", seed=KEY, engine=engine)


def test_made_records_have_nothing_in_a_column_of_nothing(odd: Scan, tmp_path: Path) -> None:
    plan = mv.Plan([{"method": mv.synth.CholeskySynthesis(), "columns": ["wages", "rents"]}])
    for engine in ("memory", BlockEngine(block_rows=13)):
        release = plan.run(odd, into=tmp_path / str(engine)[:4], seed=KEY, engine=engine)
        assert parquet.read_table(release.files[0])["empty"].null_count == ROWS


def test_classes_of_large_amounts_that_are_called_alike_are_refused(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"x": 1e15 + np.arange(64) / 8}), tmp_path / "a.parquet")
    plan = mv.Plan([(mv.mask.GlobalRecode(bins=20, cut_by="quantile"), ["x"])])
    for engine in ("memory", "blocks"):
        with pytest.raises(BadInput, match="twice; name each level once"):
            plan.run(scan(tmp_path / "a.parquet"), into=tmp_path / "out", seed=KEY, engine=engine)
        assert not (tmp_path / "out").exists()


@pytest.mark.long
def test_a_range_is_that_of_the_records_that_were_not_left_out_before(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    x, z = draw.integers(20, 500, (2, 120)).astype(float)
    x[[10, 11, 60, 61]] = 18.4, 501.4, 5, 900  # the widest are left out, and the next have finer digits
    y = np.where(np.isin(np.arange(120), (60, 61)), np.nan, draw.normal(size=120).round(2))
    parquet.write_table(pa.table({"x": x, "y": y, "z": z}), tmp_path / "a.parquet")
    noise = {"method": mv.mask.UncorrelatedNoise(), "columns": ["y"], "missing": "drop"}
    plan, found = mv.Plan([noise, (mv.mask.Resample(samples=2), ["x", "z"])]), set()
    for number, engine in enumerate(("memory", BlockEngine(block_rows=2), BlockEngine(block_rows=200))):
        release = plan.run(scan(tmp_path / "a.parquet"), into=tmp_path / str(number), seed=KEY, engine=engine)
        assert release.lost == ()
        assert sorted(parquet.read_table(release.files[0])["x"].to_pylist())[:: len(release) - 1] == [19, 501]
        found.add(release.files[0].read_bytes())
    assert len(found) == 1
