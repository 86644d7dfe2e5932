"""Steps after records were made, and what earlier steps promised: as in memory, whatever block they are in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.core.errors import MicroveilError
from microveil.engines import BlockEngine, Scan, scan
from tests.engines.files import KEY

pytestmark = pytest.mark.long

ROWS = 60
BLOCKED = mv.partition.Blocked(base=mv.partition.MDAV(k=3), size=40)
MADE = (mv.synth.GaussianCopula(), ["x", "y"])
GROUPED = (mv.mask.Microaggregation(partition=BLOCKED), ["x"])
EXCHANGED = (mv.mask.RankSwap(p=50), ["x"])
GROUPED_BY = {"method": mv.mask.Microaggregation(), "columns": ["x"], "by": "region"}
BY_REGION = {"method": mv.synth.GaussianCopula(), "columns": ["x", "y"], "by": "region"}

PLANS: dict[str, list[Any]] = {
    "groups of records that were made in blocks": [MADE, GROUPED],
    "exchanges in blocks of them": [MADE, (mv.mask.SwapInGroups(partition=BLOCKED), ["x"])],
    "weights that a step changed before": [{"method": mv.mask.Sample(fraction=0.5)}, MADE],
    "columns that were not made": [MADE, (mv.mask.GlobalRecode(), ["region"])],
    "groups whose records are gone": [GROUPED, MADE],
    "groups in subdomains whose records are gone": [GROUPED_BY, MADE],
    "groups in subdomains that are changed": [GROUPED_BY, BY_REGION],
    "other columns than those in groups": [GROUPED, (mv.synth.GaussianCopula(), ["y"])],
    "moments of records that are gone": [MADE, (mv.mask.Rescale(mask=mv.mask.UncorrelatedNoise()), ["x"])],
    "groups whose values were exchanged among blocks of them": [GROUPED, EXCHANGED],
    "groups whose values were made others": [GROUPED, (mv.mask.UncorrelatedNoise(), ["x"])],
    "more records made of few, of which some blocks have none": [
        (mv.synth.GaussianCopula(records=4), ["x", "y"]),
        (mv.synth.GaussianCopula(records=50), ["y"]),
    ],
    "more records made by models of few": [
        (mv.synth.GaussianCopula(records=8), ["x", "y"]),
        {"method": mv.synth.SequentialRegression(records=50), "columns": ["x"], "given": []},
    ],
    "a sample for which no column is read": [{"method": mv.mask.Sample(fraction=0.5)}, GROUPED],
}


@pytest.fixture(scope="module")
def sixty(tmp_path_factory: pytest.TempPathFactory) -> Scan:
    draw = np.random.default_rng(1)
    columns = {name: np.round(draw.lognormal(3, 1, ROWS), 2) for name in "xy"}
    path = tmp_path_factory.mktemp("made") / "a.parquet"
    regions = draw.choice(["north", "south"], ROWS)
    parquet.write_table(pa.table({"region": regions, **columns, "weight": np.full(ROWS, 2.5)}), path)
    return scan(path, roles={"region": "key", "weight": "weight"})


def outcome(source: Scan, steps: list[Any], engine: Any, into: Path) -> Any:
    """What a run comes to: its files and what it says of them, or what refused it."""
    try:
        release = mv.Plan(steps).run(source, into=into, seed=KEY, engine=engine)
    except MicroveilError as problem:
        return type(problem), str(problem)[:90], str(problem).count("BROKEN")
    assert all(verdict.holds for verdict in release.check())
    emptied = [note for note in release.notes if "synthetic records have no values" in note]
    return [path.read_bytes() for path in release.files], set(map(str, release.promises)), release.lost, emptied


@pytest.mark.parametrize("steps", PLANS.values(), ids=PLANS)
def test_release_or_refusal_is_that_of_memory(sixty: Scan, steps: list[Any], tmp_path: Path) -> None:
    expected = outcome(sixty, steps, "memory", tmp_path / "memory")
    assert outcome(sixty, steps, BlockEngine(block_rows=13), tmp_path / "blocks") == expected


@pytest.mark.parametrize(
    "before", [pytest.param([], id="a sample"), pytest.param([GROUPED], id="groups", marks=pytest.mark.full)]
)
def test_records_are_made_in_place_of_blocks_that_were_left_out(sixty: Scan, before: list[Any], tmp_path: Path) -> None:
    steps = [*before, {"method": mv.mask.Sample(fraction=0.5)}, {**BY_REGION, "method": mv.synth.CholeskySynthesis()}]
    expected = outcome(sixty, steps, "memory", tmp_path / "memory")
    assert outcome(sixty, steps, BlockEngine(block_rows=2), tmp_path / "blocks") == expected
