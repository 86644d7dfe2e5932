"""Parquet and Feather files of others: every form is read, damage is told."""

from __future__ import annotations

import contextlib
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc as ipc
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem
from microveil.io.arrow_files import write_feather

TABLE = pa.table({"a": [1, 2], "t": ["x", None]})


def write_stream(table: Any, path: Path) -> None:
    with ipc.new_stream(path, table.schema) as stream:
        stream.write_table(table)


def write_first_version(table: Any, path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        feather.write_feather(table, str(path), version=1)


FORMS = {
    "parquet": parquet.write_table,
    "feather": lambda table, path: feather.write_feather(table, str(path)),
    "arrow": write_stream,
}


@pytest.mark.parametrize("ending", FORMS)
def test_every_form_is_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"in.{ending}"
    FORMS[ending](TABLE, path)
    assert mv.read(path).frame.to_pydict() == TABLE.to_pydict()


def test_the_first_version_of_feather_is_read(tmp_path: Path) -> None:
    try:
        write_first_version(TABLE, tmp_path / "in.feather")
    except (TypeError, ValueError):
        pytest.skip("this version of pyarrow no longer writes the first version of Feather")
    assert mv.read(tmp_path / "in.feather").frame.to_pydict() == TABLE.to_pydict()


def test_text_that_is_not_utf8_is_damage(tmp_path: Path) -> None:
    offsets, text = pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")
    write_stream(pa.table({"t": pa.StringArray.from_buffers(1, offsets, text)}), tmp_path / "in.arrow")
    with pytest.raises(FileProblem, match="is damaged or cut short: it cannot be read as Feather"):
        mv.read(tmp_path / "in.arrow")


@pytest.mark.parametrize("ending", ["feather", "arrow"])
def test_two_columns_of_one_name_are_refused(tmp_path: Path, ending: str) -> None:
    write_stream(pa.table([[1], [2]], names=["a", "a"]), tmp_path / f"in.{ending}")
    with pytest.raises(BadInput, match="the schema: the column name 'a' occurs more than once"):
        mv.read(tmp_path / f"in.{ending}")


@pytest.mark.parametrize("ending", FORMS)
def test_files_without_records_are_refused(tmp_path: Path, ending: str) -> None:
    FORMS[ending](TABLE.slice(0, 0), tmp_path / f"in.{ending}")
    with pytest.raises(BadInput, match="has no records"):
        mv.read(tmp_path / f"in.{ending}")


def test_a_row_index_alone_is_no_column(tmp_path: Path) -> None:
    pd.DataFrame(index=["x", "y"]).to_parquet(tmp_path / "in.parquet")
    with pytest.raises(BadInput, match="has no columns"):
        mv.read(tmp_path / "in.parquet")


@pytest.mark.parametrize("told", [b"{", b"[]", b'{"index_columns": [{"kind": "range"}, "a", "__index_level_9__"]}'])
def test_odd_metadata_takes_no_column_away(tmp_path: Path, told: bytes) -> None:
    write_stream(TABLE.replace_schema_metadata({b"pandas": told}), tmp_path / "in.arrow")
    assert mv.read(tmp_path / "in.arrow").columns == ("a", "t")


def test_categories_are_encoded_in_the_order_given(tmp_path: Path) -> None:
    table = pa.table({"n": [1, 2, 3], "t": ["b", None, "a"], "u": ["x", "y", "x"]})
    with (tmp_path / "out.feather").open("wb") as handle:
        write_feather(table, handle, {"t": ["b", "a"], "u": ["y", "x"]}, {"u"})
    found = feather.read_table(tmp_path / "out.feather")
    assert found.to_pydict() == table.to_pydict()
    assert found.column_names == ["n", "t", "u"]
    assert [found[name].chunk(0).dictionary.to_pylist() for name in "tu"] == [["b", "a"], ["y", "x"]]
    assert [found[name].type.ordered for name in "tu"] == [False, True]


@pytest.mark.parametrize("compression", ["uncompressed", "zstd", "lz4"])
@pytest.mark.parametrize("as_stream", [False, True], ids=["file", "stream"])
def test_files_of_polars_are_read_whole_and_in_blocks(compression: str, as_stream: bool, tmp_path: Path) -> None:
    # it writes the schema without the frame of a message, and texts as views
    pl = pytest.importorskip("polars")
    words = pl.Series(["u", "v", "u"] * 50, dtype=pl.Categorical)
    frame = pl.DataFrame(
        {"pay": [1.5, 2.5, None] * 50, "text": [f"a long text {i}" for i in range(150)], "word": words}
    )
    path = tmp_path / "polars.feather"
    (frame.write_ipc_stream if as_stream else frame.write_ipc)(path, compression=compression)
    read = mv.read(path, roles={"text": "key", "word": "key"})
    assert read.frame["text"].to_pylist() == frame["text"].to_list()
    assert read.frame["word"].to_pylist() == frame["word"].to_list()
    assert mv.Plan([(mv.mask.Pram(stay=0.5), ["text", "word"])]).run(read, seed=1).frame.num_rows == 150
    if not as_stream:
        scanned = mv.scan(path, roles={"text": "key", "word": "key"})
        assert scanned.files.whole()["word"].to_pylist() == frame["word"].to_list()


def test_a_file_of_polars_whose_list_of_contents_is_damaged_is_told(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    path = tmp_path / "polars.feather"
    pl.DataFrame({"a": [1, 2, 3]}).write_ipc(path)
    whole = path.read_bytes()
    for place in range(len(whole) - 120, len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with contextlib.suppress(FileProblem):
            mv.read(path)
