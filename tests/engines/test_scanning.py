"""`scan`: what is known of a file in blocks is what is known of the same records in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem, UnknownColumn
from microveil.data import Microdata
from microveil.engines import scan
from microveil.engines.files import Files
from tests.engines.files import FACTS, people, write_parts


def test_facts_of_a_scan_are_those_of_microdata(tmp_path: Path) -> None:
    found, known = scan(write_parts(tmp_path), **FACTS, threads=2), Microdata(people(), **FACTS)
    assert len(found) == known.n
    assert (dict(found.kinds), dict(found.roles)) == (dict(known.kinds), dict(known.roles))
    assert found.facts.schema == known.schema
    assert found.mark == known.mark == found.read().mark
    for name in ("age", "income", "tax", "score", "debt", "weight"):
        assert found.known.unit(name) == known.unit(name), name
    for name in ("id", "region", "sex", "account", "day"):
        assert found.known.levels(name).levels == known.encoded(name).levels, name
    assert found.known.domains(["region", "sex"]).texts == known.domains(["region", "sex"])[1]
    assert "180 records in 3 files" in repr(found)


@pytest.mark.parametrize("rows", [7, 1000])
def test_blocks_are_coded_as_the_whole(tmp_path: Path, rows: int) -> None:
    found, known = scan(write_parts(tmp_path), **FACTS), Microdata(people(), **FACTS)
    blocks = list(found.blocks(rows))
    assert [first for first, _ in blocks] == list(range(0, known.n, rows))
    for name in known.columns:
        held = np.concatenate([block.values(name).data for _, block in blocks])
        np.testing.assert_array_equal(held, known.values(name).data)
    labels = np.concatenate([block.domains("region")[0] for _, block in blocks])
    np.testing.assert_array_equal(labels, known.domains("region")[0])


def test_the_unit_is_found_as_in_memory_also_where_a_few_values_do_not_tell_it(tmp_path: Path) -> None:
    n = 9000
    thousands = np.arange(1, n + 1) * 1000.0
    periodic = np.where(np.arange(n) % 4 == 0, 0.123, 5.0)  # every value that is looked at first is an exception
    bulk = np.where(np.arange(n) % 25 == 0, 0.12, 10.0 * (1 + np.arange(n) % 7))
    table = pa.table({"zeros": np.zeros(n), "thousands": thousands, "periodic": periodic, "bulk": bulk})
    parquet.write_table(table, tmp_path / "a.parquet")
    found, known = scan(tmp_path / "a.parquet"), Microdata(table)
    for name in table.column_names:
        assert found.known.unit(name) == known.unit(name), name


def test_feather_hierarchies_levels_and_codes_for_all_columns(tmp_path: Path) -> None:
    table = pa.table({"size": ["s", "l", "m", "?"], "city": ["a1", "a2", "b1", "b1"], "x": [1.0, -9.0, 2.5, 3.5]})
    feather.write_feather(table, str(tmp_path / "a.feather"), chunksize=3)
    facts = {"levels": {"size": ["s", "m", "l"]}, "hierarchies": {"city": {"a1": ["a"], "a2": ["a"], "b1": ["b"]}}}
    found = scan(tmp_path / "a.feather", **facts, missing=["?", -9])  # type: ignore[arg-type]
    known = Microdata(table, **facts, missing={"size": ["?", -9], "city": ["?", -9], "x": [-9]})  # type: ignore[arg-type]
    assert found.known.levels("size").levels == ("s", "m", "l")
    blocks = [block for _, block in found.blocks(2)]
    for name in table.column_names:
        np.testing.assert_array_equal(
            np.concatenate([block.values(name).data for block in blocks]), known.values(name).data
        )
    assert blocks[0].values("city").hierarchy == known.values("city").hierarchy


def test_a_file_that_is_gone_is_told_as_gone(tmp_path: Path) -> None:
    source = scan(write_parts(tmp_path), **FACTS)
    (tmp_path / "part1.parquet").unlink()
    with pytest.raises(FileProblem, match=r"there is no file .*part1\.parquet"):
        list(source.blocks())


def test_what_cannot_be_scanned_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"no file is called like .*; check the folder and the ending$"):
        scan(tmp_path / "*.parquet")
    (tmp_path / "a.xlsx").write_bytes(b"PK")
    with pytest.raises(BadInput, match=r"a\.xlsx' is XLSX, which is read whole"):
        scan(tmp_path / "a.xlsx")
    parquet.write_table(pa.table({"x": [1.0]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"x": ["one"]}), tmp_path / "b.parquet")
    with pytest.raises(BadInput, match=r"column 'x' holds string in b.parquet and double in a.parquet"):
        scan(tmp_path / "*.parquet")
    with pytest.raises(BadInput, match="several kinds"):
        scan(tmp_path / "a.*")
    with pytest.raises(BadInput, match="decimal=',' means nothing for Parquet files"):
        scan(tmp_path / "a.parquet", decimal=",")
    with pytest.raises(BadInput, match=r"folder is where the records .* are kept meanwhile; leave it out for Parquet"):
        scan(tmp_path / "a.parquet", folder=tmp_path)
    with pytest.raises(UnknownColumn, match="'y'"):
        scan(tmp_path / "a.parquet", roles={"y": "key"})
    parquet.write_table(pa.table({"w": [1.0, 2.0, -1.0]}), tmp_path / "w.parquet", row_group_size=1)
    with pytest.raises(BadInput, match="weights in 'w' must all be positive"):
        scan(tmp_path / "w.parquet", roles={"w": "weight"})
    parquet.write_table(pa.table({"x": [1.0, np.inf]}), tmp_path / "i.parquet")
    with pytest.raises(BadInput, match="infinite"):
        scan(tmp_path / "i.parquet")
    whole = (tmp_path / "w.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileProblem, match="damaged or cut short"):
        scan(tmp_path / "cut.parquet")


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"kinds": {"g": "continuous"}}, "column 'g' is to be continuous but holds text"),
        ({"kinds": {"b": "continuous"}}, "column 'b' is to be continuous but holds true and false"),
        ({"roles": {"g": "weight"}}, "the weights in 'g' must all be positive numbers up to 2^53"),
        ({"roles": {"b": "weight"}}, "the weights in 'b' must all be positive numbers up to 2^53"),
        ({"roles": {"n": "weight"}}, "the weights in 'n' must all be positive numbers without gaps"),
        ({"kinds": {"n": "amount"}}, "kind 'amount' is not one of"),
    ],
)
def test_facts_that_columns_do_not_bear_are_refused_as_in_memory(
    tmp_path: Path, facts: dict[str, Any], said: str
) -> None:
    table = pa.table({"n": [1.5, None, 2.5], "g": ["a", "b", "c"], "b": [True, False, True]})
    parquet.write_table(table, tmp_path / "a.parquet")
    for refused in (lambda: scan(tmp_path / "a.parquet", **facts), lambda: Microdata(table, **facts)):
        with pytest.raises(BadInput) as caught:
            refused()
        assert str(caught.value).startswith(said)


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_any_span_of_records_is_read_by_itself(tmp_path: Path, ending: str) -> None:
    table = pa.table({"x": np.arange(50)})
    for number, (start, stop) in enumerate([(0, 20), (20, 20), (20, 41), (41, 50)]):
        part, path = table.slice(start, stop - start), tmp_path / f"{number}.{ending}"
        if ending == "parquet":
            parquet.write_table(part, path, row_group_size=6)
        else:
            feather.write_feather(part, str(path), chunksize=6)
    files = scan(tmp_path / f"*.{ending}").files
    for start, stop in [(0, 50), (0, 1), (5, 7), (19, 21), (20, 41), (13, 50), (49, 50)]:
        blocks = list(files.blocks(4, ["x"], start, stop))
        assert [block.first for block in blocks] == list(range(start, stop, 4))
        assert np.concatenate([block.table["x"].to_numpy() for block in blocks]).tolist() == list(range(start, stop))
    parquet.write_table(table, tmp_path / "other.parquet")
    longer = Files.of(tmp_path / "other.parquet")
    parquet.write_table(pa.concat_tables([table, table]), tmp_path / "other.parquet")
    with pytest.raises(FileProblem, match="changed while it was read"):
        list(longer.blocks(4, ["x"], 3, 9))


def test_a_pattern_where_one_file_is_read_and_a_folder_are_told_what_to_write(tmp_path: Path) -> None:
    write_parts(tmp_path)
    with pytest.raises(BadInput, match=r"names 3 files, and files are taken together by a scan alone"):
        mv.read(tmp_path / "part*.parquet")
    with pytest.raises(FileProblem, match=r"is a folder; name the files in it by '.*/\*\.parquet'"):
        scan(tmp_path)
