"""CSV files that are scanned: the records of `mv.read`, in the order of the names of the files, and nothing left."""

from __future__ import annotations

import gc
import glob
import gzip
import stat
from pathlib import Path
from typing import Any

import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem
from microveil.engines import BlockEngine, SparkEngine, scan
from microveil.io import csv_parts
from tests.engines.files import KEY

HEAD = "id;region;age;income;note"
REGIONS = ["south", "north", "north"]
AGES = ["k.A.", *map(str, range(20, 70))]
ROWS = [f'{row};{REGIONS[row % 3]};{AGES[row % 51]};{row % 41},{row % 10}5;"a ""{row % 9}"""' for row in range(150)]
FACTS: dict[str, Any] = {
    "roles": {"id": "identifier", "region": "key", "income": "confidential"},
    "missing": {"age": ["k.A."]},
}
PLAN = mv.Plan(
    [
        (mv.mask.UncorrelatedNoise(), ["income"]),
        {"method": mv.mask.RankSwap(), "columns": ["age"], "missing": "mask"},
        (mv.mask.Pram(), ["region"]),
    ]
)


@pytest.fixture(autouse=True)
def few_records_of_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_parts, "PART_ROWS", 31)


def text(rows: list[str]) -> str:
    return "\n".join([HEAD, *rows]) + "\n"


@pytest.mark.long
@pytest.mark.parametrize("packed", [False, True])
def test_a_scanned_file_is_the_file_that_is_read(packed: bool, tmp_path: Path) -> None:
    path = tmp_path / ("a.csv.gz" if packed else "a.csv")
    data = ("\ufeff" + text(ROWS)).encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    read = mv.read(path, **FACTS)
    source = scan(path, **FACTS, folder=tmp_path)
    assert source.mark == read.mark
    assert (source.roles, source.kinds) == (read.roles, read.kinds)
    assert source.read().frame.schema == read.frame.schema
    known, found = read.codebook, source.facts.codebook
    assert known is not None
    assert found is not None
    assert (found.source, found.read_as) == (known.source, known.read_as)
    expected = PLAN.run(source, into=tmp_path / "memory", seed=KEY).files[0].read_bytes()
    blocks = PLAN.run(source, into=tmp_path / "blocks", seed=KEY, engine=BlockEngine(2, 20))
    assert blocks.files[0].read_bytes() == expected
    (held,) = [one for one in tmp_path.iterdir() if one.name.startswith(".microveil-")]
    assert stat.S_IMODE(held.stat().st_mode) == 0o700
    del source, blocks
    gc.collect()
    assert not held.exists()


def test_records_stand_in_the_order_of_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, rows in (("c", ROWS[90:]), ("a", ROWS[:40]), ("b", ROWS[40:90])):
        (tmp_path / f"{name}.csv").write_text(text(rows))
    expected = mv.scan(tmp_path / "*.csv", **FACTS)
    assert str(expected).startswith("Scan: 150 records in 3 files")
    (tmp_path / "all.txt").write_text(text(ROWS))
    assert expected.mark == mv.read(tmp_path / "all.txt", **FACTS).mark
    listed = glob.glob  # a system lists files as it likes
    monkeypatch.setattr(glob, "glob", lambda pattern: sorted(listed(pattern), reverse=True))
    assert mv.scan(tmp_path / "*.csv", **FACTS).mark == expected.mark


def test_a_mark_inside_a_file_is_a_sign_like_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_parts, "PART_ROWS", 1)
    path = tmp_path / "a.csv"
    path.write_text("name,n\n\ufeffa,1\nb,2\n\ufeff\ufeffc,3\n", encoding="utf-8")
    names = ["\ufeffa", "b", "\ufeff\ufeffc"]
    assert mv.read(path).frame["name"].to_pylist() == names
    assert scan(path, folder=tmp_path).read().frame["name"].to_pylist() == names


def test_an_encoding_that_is_stated_is_taken_as_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(text(ROWS).encode("utf-16")[2:])  # without the mark that tells the order of its bytes
    assert (
        scan(path, **FACTS, encoding="utf-16", folder=tmp_path).mark == mv.read(path, **FACTS, encoding="utf-16").mark
    )
    path.write_bytes(b"a,b\n\\ud800,1\n")
    for encoding in ("utf-16", "unicode_escape", "hex", "undefined"):
        with pytest.raises(BadInput) as read:
            mv.read(path, encoding=encoding)
        with pytest.raises(BadInput) as scanned:
            scan(path, encoding=encoding, folder=tmp_path)
        assert str(scanned.value) == str(read.value)


def test_what_is_refused_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text(ROWS))
    with pytest.raises(BadInput, match="column 'age' holds numbers and"):
        scan(path, folder=tmp_path)
    with pytest.raises(BadInput, match=r"missing is 'k.A.'; give a list of codes"):
        scan(path, missing="k.A.", folder=tmp_path)
    with pytest.raises(FileProblem, match=r"there is no folder .* in which the records of the file could be kept"):
        scan(path, **FACTS, folder=tmp_path / "none")
    with pytest.raises(BadInput, match="give a folder that all of its machines see"):
        scan(path, **FACTS, engine=SparkEngine())
    path.write_text("")
    with pytest.raises(BadInput, match="is empty"):
        scan(path, folder=tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["a.csv"]


def test_a_full_disk_is_told_and_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text(text(ROWS))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("microveil.engines.csv_files.csv_to_parquet", full)
    with pytest.raises(FileProblem, match=r"cannot be kept in .*: No space left on device; nothing is left there"):
        scan(tmp_path / "a.csv", **FACTS, folder=tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["a.csv"]
