"""Measures that ask how far apart levels are know the order of all of them, whichever a file begins with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.engines import BlockEngine, scan


@pytest.mark.parametrize("targets", [("grade",), ("school",)])
def test_levels_stand_in_the_order_of_the_whole_file(targets: tuple[str, ...], tmp_path: Path) -> None:
    draw = np.random.default_rng(3)
    grades = [3, 1, *draw.integers(1, 5, 118).tolist()]
    schools = ["high", "none", *draw.choice(["none", "low", "high"], 118).tolist()]
    table = pa.table(
        {
            "region": draw.choice(["north", "south", "east"], 120).tolist(),
            "grade": pa.array([None if row % 9 == 4 else grade for row, grade in enumerate(grades)], pa.int8()),
            "school": schools,
            "income": np.round(draw.lognormal(8, 1, 120), 2),
        }
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    source = scan(
        tmp_path / "a.parquet",
        roles={"region": "key", "grade": "confidential", "school": "confidential"},
        levels={"school": ["none", "low", "high"]},
    )
    assert source.kinds["grade"] == "ordinal"
    plan = mv.Plan([(mv.mask.UncorrelatedNoise(), ["income"])])
    release = plan.run(source, engine=BlockEngine(block_rows=37), into=tmp_path / "out", seed=3, reproducible=True)
    released = pa.concat_tables([parquet.read_table(path) for path in release.files])
    measure = mv.risk.TCloseness(targets=targets)
    assert measure(source, release) == measure(source.read(), released)
