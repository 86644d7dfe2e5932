"""Columns in their order out of memory: the bytes of the run in memory, however long the files are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.claims import RankShiftWithin, in_order
from microveil.core.errors import BrokenPromise
from microveil.engines import (
    BlockEngine,
    Scan,
    SparkEngine,
    judging_order,
    keeping,
    ordering,
    promises_kept,
    scan,
)
from microveil.engines.buckets import MOST_BUCKETS
from microveil.engines.ordering import Sampled, Sorting
from microveil.engines.workers import Threads
from microveil.kernels.ranks import segments
from microveil.kernels.ranks.scores import order_by_words
from microveil.mask import individual_ranking, resample
from tests.engines.fake_spark import FakeSession
from tests.engines.files import same_releases, written

ROWS = 600

METHODS: dict[str, Any] = {
    "rank-swap": mv.mask.RankSwap(p=3),
    "rank-swap, uniform, wide": mv.mask.RankSwap(p=60, pairing="uniform"),
    "individual-ranking": mv.mask.IndividualRanking(k=7),
    "resample": mv.mask.Resample(samples=3),
    "resample once": mv.mask.Resample(samples=1),
}
VARIANTS = ["rank-swap, uniform, wide", "resample once"]


@pytest.fixture
def small_stretches(orders_on_disk: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments and stretches of few records too."""
    monkeypatch.setattr(segments, "SEGMENT", 64)
    for module in (individual_ranking, resample):
        monkeypatch.setattr(module, "STRETCH", 100)


@pytest.fixture(scope="module")
def tied(tmp_path_factory: pytest.TempPathFactory) -> Scan:
    draw = np.random.default_rng(4)
    gaps = np.where(draw.random(ROWS) < 0.2, np.nan, draw.normal(size=ROWS))
    sign = draw.choice([-1, 1], ROWS)  # zeros of both signs
    table = pa.table(
        {
            "amount": np.round(draw.lognormal(8, 1, ROWS), 2),
            "tied": np.where(draw.random(ROWS) < 0.7, 0.0, draw.integers(-3, 9, ROWS) + 0.5) * sign,
            "gaps": pa.array(gaps, from_pandas=True),
            "whole": draw.integers(-500, 500, ROWS),
            "few": draw.integers(1, 5, ROWS),
            "empty": pa.nulls(ROWS, pa.float64()),
            "word": draw.choice(["a", "b", "c", None], ROWS).tolist(),
        }
    )
    path = tmp_path_factory.mktemp("order") / "a.parquet"
    parquet.write_table(table, path, row_group_size=130)
    return scan(path, roles={"word": "key"}, kinds={"few": "ordinal"})


@pytest.mark.usefixtures("small_stretches")
@pytest.mark.long
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.full] * (name in VARIANTS)) for name in METHODS]
)
def test_release_is_that_of_memory(tied: Scan, tmp_path: Path, name: str) -> None:
    method = METHODS[name]
    columns = ["amount", "tied", "gaps", "whole"] + ["few", "word"] * name.startswith("rank-swap,")
    # a step before and one behind
    steps = [
        {"method": mv.mask.UncorrelatedNoise(), "columns": ["whole"]},
        {"method": method, "columns": columns, "missing": "mask"},
        {"method": mv.mask.Round(base=2.0), "columns": ["amount"]},
    ]
    whole, found = same_releases(tied, steps, tmp_path, BlockEngine(3, 77))
    assert [note for note in found.notes if "order" in note] == [note for note in whole.notes if "order" in note]


@pytest.mark.usefixtures("small_stretches")
def test_records_that_are_left_out_and_columns_without_values(tied: Scan, tmp_path: Path) -> None:
    steps = [
        {"method": mv.mask.RankSwap(), "columns": ["gaps", "amount"], "missing": "drop"},
        {"method": mv.mask.RankSwap(), "columns": ["empty", "tied"], "missing": "mask"},
    ]
    same_releases(tied, steps, tmp_path, BlockEngine(2, 100))


@pytest.mark.usefixtures("small_stretches")
def test_columns_that_do_not_share_a_pass(tied: Scan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [(mv.mask.Resample(), ["amount", "tied", "whole"])]
    for module in (keeping, ordering):
        monkeypatch.setattr(module, "MOST_BUCKETS", 20)
    same_releases(tied, steps, tmp_path, "blocks")


@pytest.mark.usefixtures("small_stretches")
def test_promises_about_long_columns_are_judged_in_their_order(
    tied: Scan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(promises_kept, "MOST_IN_COLUMN", ROWS - 1)
    for module in (in_order, judging_order):
        monkeypatch.setattr(module, "STEP", 64)
    steps = [(mv.mask.RankSwap(p=5), ["amount", "tied"]), (mv.mask.IndividualRanking(k=4), ["whole"])]
    release, _ = written(tied, steps, tmp_path / "out", "blocks")
    assert release.unchecked == ()
    assert len(release.claims) == 5
    assert all(verdict.holds for verdict in release.check())
    # one that says more than the method keeps
    monkeypatch.setattr(mv.mask.RankSwap, "claims", lambda *_: (RankShiftWithin(percent=1.0),))
    with pytest.raises(BrokenPromise, match="no value of amount, tied moves by more than 1 %"):
        written(tied, steps, tmp_path / "more", "blocks")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.usefixtures("small_stretches")
def test_tasks_of_spark_write_the_same(tied: Scan, tmp_path: Path) -> None:
    steps = [{"method": mv.mask.RankSwap(p=60), "columns": ["amount", "gaps"], "missing": "mask"}]
    same_releases(tied, steps, tmp_path, SparkEngine(FakeSession(), 3, 100))


def test_both_sides_of_a_long_column_are_put_into_files_that_may_be_open_together() -> None:
    values, places = np.arange(5.0), np.arange(5)
    sides = judging_order.BothSides(values, values, values, values, places, places, made=False)
    sampled = sides.sample(10**9).merge(sides.sample(10**9)).parts
    assert sum(replace(one, count=10**9).files for one in sampled.values()) <= MOST_BUCKETS


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99, 1.0])
def test_no_file_is_long_where_many_values_are_equal(
    tmp_path: Path, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ordering, "FILE_ROWS", 100)
    draw = np.random.default_rng(1)
    values = np.where(draw.random(4000) < share, -0.0, draw.normal(size=4000))
    values[draw.random(4000) < 0.1] = 0.0
    words = draw.integers(0, 2**64, 4000, dtype=np.uint64)
    words[:50] = words[50:100]
    places = np.arange(4000)
    sampled = Sampled.of(values[:1500], words[:1500], places[:1500], 4000)
    sampled = sampled.merge(Sampled.of(values[1500:], words[1500:], places[1500:], 4000))
    counts = np.bincount(sampled.borders().files_of(values, words))
    assert len(counts) == 40
    assert counts.max() <= 101
    with Sorting(tmp_path / "order", sampled) as sorting:
        for start in range(0, 4000, 333):
            rows = slice(start, start + 333)
            sorting.put(values[rows], words[rows], places[rows])
        with sorting.ordered(Threads(2)) as ordered:
            found = ordered.stretch(0, 4000)
    order = order_by_words(values, lambda: words)
    assert np.array_equal(found.places, order)
    assert found.values.tobytes() == values[order].tobytes()
    assert list(tmp_path.iterdir()) == []
