"""Frames that somebody has in Spark: the files behind them, or their records in their own order."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem
from microveil.engines import scan
from tests.engines.files import FACTS, KEY, people, write_parts

pytestmark = [
    pytest.mark.long,
    # pyspark leaves sockets to the collector of garbage, and warns of pandas where somebody uses frames
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning",
        "ignore::pytest.PytestUnraisableExceptionWarning",
        "ignore:PySpark does not yet fully support pandas:FutureWarning",
        "ignore:distutils Version classes are deprecated:DeprecationWarning",
    ),
]
PLAN = mv.Plan([(mv.mask.Pram(), ["region", "sex"])])


def test_a_plain_read_is_a_scan_of_its_files(spark: Any, tmp_path: Path) -> None:
    pattern = write_parts(tmp_path)
    whole = PLAN.run(scan(pattern, **FACTS), into=tmp_path / "memory", seed=KEY)
    shuffled = [str(tmp_path / f"part{number}.parquet") for number in (2, 0, 1)]
    source = scan(spark.read.parquet(*shuffled), **FACTS)
    assert [path.name for path in source.files.paths] == ["part0.parquet", "part1.parquet", "part2.parquet"]
    assert source.mark == scan(pattern, **FACTS).mark
    found = PLAN.run(source, into=tmp_path / "out", seed=KEY, engine="spark")
    assert found.files[0].read_bytes() == whole.files[0].read_bytes()
    assert not any("in the order in which Spark" in note for note in found.notes)


def test_any_other_frame_is_written_once_and_its_order_is_told(spark: Any, tmp_path: Path) -> None:
    frame = spark.read.parquet(write_parts(tmp_path)).filter("sex = 1").drop("day").orderBy("id")
    kept = tmp_path / "kept"
    kept.mkdir()
    source = scan(frame, folder=kept, **_without("day"))
    mine = people().filter(pc.equal(people()["sex"], 1)).drop_columns(["day"]).sort_by("id")
    parquet.write_table(mine, tmp_path / "mine.parquet")
    assert source.mark == scan(tmp_path / "mine.parquet", **_without("day")).mark
    assert len(list(kept.iterdir())) == 1
    release = mv.Plan([(mv.mask.Pram(), ["region"])]).run(source, into=tmp_path / "out", seed=KEY, engine="blocks")
    assert any("in the order in which Spark gave those of the frame" in note for note in release.notes)
    del source, release
    gc.collect()
    assert list(kept.iterdir()) == []


def _without(name: str) -> dict[str, Any]:
    return {**FACTS, "roles": {one: role for one, role in FACTS["roles"].items() if one != name}}


def test_frames_that_cannot_be_taken(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the frame has no records"):
        scan(spark.range(0), folder=tmp_path)
    with pytest.raises(BadInput, match=r"column 'many' of the frame holds array<bigint>; only plain columns can be t"):
        scan(spark.createDataFrame([([1, 2], 3)], ["many", "one"]), folder=tmp_path)
    with pytest.raises(FileProblem, match="there is no folder"):
        scan(spark.range(3), folder=tmp_path / "no")
    with pytest.raises(BadInput, match="folder is where the records of a Spark frame"):
        scan(write_parts(tmp_path), folder=tmp_path)
    with pytest.raises(BadInput, match="threads look at records with engine='blocks'"):
        scan(write_parts(tmp_path), engine="spark", threads=2)
    with pytest.raises(BadInput, match="engine is 'memory'"):
        scan(write_parts(tmp_path), engine="memory")  # type: ignore[arg-type]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
