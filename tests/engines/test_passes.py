"""How often a file in blocks is read: a pass more is time for whoever has 10^8 records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.engines import Scan, scan
from microveil.engines.files import BLOCK_ROWS, Files
from microveil.engines.workers import Threads
from tests.engines.files import KEY


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many columns each pass read."""
    found: list[int] = []
    each = Threads.each

    def counting(self: Threads, files: Files, rows: int, names: Sequence[str] | None, work: Any) -> Iterator[Any]:
        if rows >= BLOCK_ROWS:  # a look at a few records is no pass
            found.append(len(files.schema.names if names is None else names))
        return each(self, files, rows, names, work)

    monkeypatch.setattr(Threads, "each", counting)
    return found


def _scanned(folder: Path, gaps: bool = False) -> Scan:
    draw = np.random.default_rng(4)
    amounts = np.round(draw.normal(1000, 50, (300, 2)), 2)
    amounts[7, 0] = np.nan if gaps else 1.0
    table = pa.table(
        {"x": amounts[:, 0], "y": amounts[:, 1], "g": draw.choice(["a", "b", "c"], 300), "z": amounts[:, 1]}
    )
    parquet.write_table(table, folder / "a.parquet", row_group_size=90)
    return scan(folder / "a.parquet", roles={"g": "key", "x": "confidential"})


@pytest.mark.parametrize(
    ("method", "columns", "expected"),
    [
        # sums; survey, also for columns that look like identifiers; writing
        (mv.mask.UncorrelatedNoise(), ["x", "y"], [2, 4, 4]),
        # levels; counts; survey; writing
        (mv.mask.Pram(), ["g"], [1, 1, 4, 4]),
        # sums of the original for mask and hybrid; ends and sums of masked and of moved records; survey; claims
        (mv.hybrid.CholeskyHybrid(mask=mv.mask.UncorrelatedNoise()), ["x", "y"], [2, 2, 2, 2, 2, 4, 2, 2, 4]),
        # a random part; counts of pieces; records into their files; survey; claims thrice; writing
        (
            mv.hybrid.LocalSynthesis(k=10, piece=60, families=("EII",), max_groups=2),
            ["x", "y"],
            [2, 2, 2, 4, 2, 2, 2, 4],
        ),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_a_file_without_gaps_is_read_so_often(
    method: Any, columns: list[str], expected: list[int], passes: list[int], tmp_path: Path
) -> None:
    source = _scanned(tmp_path)
    assert passes == [4], "all that scanning asks is asked at once"
    mv.Plan([(method, columns)]).run(source, into=tmp_path / "out", seed=KEY, engine="blocks")
    assert passes == [4, *expected]


def test_gaps_are_counted_and_facts_that_do_not_matter_are_not_looked_for_again(
    passes: list[int], tmp_path: Path
) -> None:
    source = _scanned(tmp_path, gaps=True)
    assert source.complete == {"y", "g", "z"}
    again = source.stated_as({"integers": "keep exact"})
    assert again.mark == source.mark
    assert passes == [4]
    assert len(source.stated_as({"missing": {"g": ["b"]}}).complete) == 2
    assert passes == [4, 4]
    step = {"method": mv.mask.UncorrelatedNoise(), "columns": ["x"], "missing": "mask"}
    release = mv.Plan([step]).run(source, into=tmp_path / "out", seed=KEY, engine="blocks")
    assert "values are missing in 'x' (1); the observed cells were used" in release.notes
