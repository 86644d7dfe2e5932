"""Texts in metadata and extension records, and bytes that no reader looks at, are named in every format."""

from __future__ import annotations

import struct

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pyreadstat
import pytest

import microveil as mv
from microveil.package import audit

N = 40


def frame() -> pd.DataFrame:
    """Records in an order that says nothing."""
    pay = [(37 * i * i + 11) % 101 + 0.5 for i in range(N)]
    return pd.DataFrame({"sex": [1, 2, 2, 1] * (N // 4), "town": ["a", "b", "b", "a"] * (N // 4), "pay": pay})


def plain_table() -> pa.Table:
    return pa.Table.from_pandas(frame(), preserve_index=False).replace_schema_metadata(None)


def faults(path) -> str:
    return "\n".join(one.text for one in audit(path).broken)


# -- Parquet ---------------------------------------------------------------------------------------


def test_a_plain_parquet_file_has_nothing_to_tell(tmp_path):
    pyarrow.parquet.write_table(plain_table(), tmp_path / "data.parquet")
    assert faults(tmp_path / "data.parquet") == ""


def test_bytes_between_pages_of_parquet_are_named(tmp_path):
    path = tmp_path / "data.parquet"
    pyarrow.parquet.write_table(plain_table(), path)
    raw = path.read_bytes()
    size = int.from_bytes(raw[-8:-4], "little")
    path.write_bytes(raw[: -8 - size] + b"Jane Doe, 4,711 a month" + raw[-8 - size :])
    assert pyarrow.parquet.read_table(path).num_rows == N
    assert "23 bytes stand between its pages" in faults(path)


def test_who_wrote_a_parquet_file_is_a_program(tmp_path):
    path = tmp_path / "data.parquet"
    pyarrow.parquet.write_table(plain_table(), path)
    raw = path.read_bytes()
    assert raw.count(b"parquet-cpp-arrow") == 1
    path.write_bytes(raw.replace(b"parquet-cpp-arrow", b"jane-doe-of-berne"))
    assert "it says that it was written by 'jane-doe-of-berne" in faults(path)


def test_a_list_of_categories_below_a_plain_column_is_named(tmp_path):
    listed = pa.DictionaryArray.from_arrays([0, 1] * (N // 2), ["a", "b", "canary"])
    path = tmp_path / "data.parquet"
    pyarrow.parquet.write_table(pa.table({"town": listed}), path, store_schema=False)
    assert not pa.types.is_dictionary(pyarrow.parquet.read_schema(path).field("town").type)
    assert "the column 'town' lists categories that no record has" in faults(path)


# -- Feather ---------------------------------------------------------------------------------------


def test_a_plain_feather_file_has_nothing_to_tell(tmp_path):
    pyarrow.feather.write_feather(plain_table(), tmp_path / "data.feather")
    assert faults(tmp_path / "data.feather") == ""


@pytest.mark.parametrize("compression", ["uncompressed", "lz4"])
def test_bytes_beside_the_cells_of_feather_are_named(tmp_path, compression):
    towns = pa.array(plain_table()["town"].to_pylist(), pa.string())
    _, places, texts = towns.buffers()
    wider = pa.StringArray.from_buffers(N, places, pa.py_buffer(texts.to_pybytes() + b"Jane Doe"))
    hidden = pa.table({"town": wider, "pay": plain_table()["pay"]})
    pyarrow.feather.write_feather(hidden, tmp_path / "data.feather", compression=compression)
    assert "bytes stand beside the cells of town" in faults(tmp_path / "data.feather")


def test_metadata_of_batches_are_named(tmp_path):
    path = tmp_path / "data.feather"
    with pa.ipc.new_file(str(path), plain_table().schema) as writer:
        writer.write_batch(plain_table().to_batches()[0], custom_metadata={"source": "secret-survey"})
    assert "its batches have metadata of their own" in faults(path)


@pytest.mark.parametrize("name", ["town", "pay", "sex"])
@pytest.mark.parametrize("compression", ["lz4", "uncompressed"])
def test_values_under_missing_cells_are_named(tmp_path, name, compression):
    column = plain_table()[name].combine_chunks()
    mask = pa.array([i % 3 > 0 for i in range(N)])
    hidden = pa.Array.from_buffers(column.type, N, [mask.buffers()[1], *column.buffers()[1:]])
    assert hidden.null_count > 0
    path = tmp_path / "data.feather"
    pyarrow.feather.write_feather(pa.table({name: hidden, "x": plain_table()["pay"]}), path, compression=compression)
    assert f"values stand under missing cells of {name}" in faults(path)


def test_what_we_write_holds_nothing_under_missing_cells(tmp_path):
    column = plain_table()["town"].combine_chunks()
    mask = pa.array([i % 3 > 0 for i in range(N)])
    hidden = pa.Array.from_buffers(column.type, N, [mask.buffers()[1], *column.buffers()[1:]])
    data = mv.Microdata(pa.table({"town": hidden, "pay": plain_table()["pay"]}), kinds={"town": "nominal"})
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(data, columns=["pay"])
    mv.write(release, tmp_path / "data.feather")
    assert faults(tmp_path / "data.feather") == ""


# -- SPSS ------------------------------------------------------------------------------------------

END_OF_DICTIONARY = struct.pack("<ii", 999, 0)


def extension(kind: int, text: bytes) -> bytes:
    return struct.pack("<iiii", 7, kind, 1, len(text)) + text


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (extension(7, b"$jobs=C 4 Jane 2 v1 v2\n"), "sets of multiple responses"),
        (extension(19, b"$jobs=E 1 1 1 4 Jane 2 v1 v2\n"), "sets of multiple responses"),
        (extension(5, b"staff=Jane Doe\n"), "sets of variables"),
        (extension(10, b"written for Jane Doe"), "further words on the program"),
        (extension(24, b"<xml>Jane</xml>"), "a description in XML"),
        (extension(77, b"Jane Doe"), "records of type 77"),
        (extension(17, b"owner('Jane Doe'\n)"), "the file has attributes of its own"),
        (extension(18, b"sex:$@Role('0'\n)/town:owner('Jane'\n)"), "a column has attributes of its own"),
        (struct.pack("<ii", 6, 1) + b"from the register of Berne".ljust(80), "documents"),
    ],
)
def test_records_of_spss_files_that_hold_texts_are_named(tmp_path, record, told):
    path = tmp_path / "data.sav"
    pyreadstat.write_sav(
        frame(), str(path), variable_value_labels={"sex": {1: "men", 2: "women"}}, column_labels=["", "the town", ""]
    )
    assert faults(path) == ""
    raw = path.read_bytes()
    assert raw.count(END_OF_DICTIONARY) == 1
    path.write_bytes(raw.replace(END_OF_DICTIONARY, record + END_OF_DICTIONARY))
    assert pyreadstat.read_sav(str(path))[0].shape == (N, 3)
    assert told in faults(path)


def test_who_wrote_an_spss_file_is_a_program(tmp_path):
    path = tmp_path / "data.sav"
    pyreadstat.write_sav(frame(), str(path))
    raw = path.read_bytes()
    path.write_bytes(raw[:4] + b"@(#) Jane Doe, Main Street 4".ljust(60) + raw[64:])
    assert "it says that it was written by '@(#) Jane Doe" in faults(path)


# -- Stata -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [114, 117, 118])
def test_a_plain_stata_file_has_nothing_to_tell(tmp_path, version):
    frame().to_stata(tmp_path / "data.dta", write_index=False, version=version)
    assert faults(tmp_path / "data.dta") == ""


def test_characteristics_of_older_stata_files_are_named(tmp_path):
    path = tmp_path / "data.dta"
    frame().to_stata(path, write_index=False, version=114)
    raw = path.read_bytes()
    place = 109 + 3 * (1 + 33 + 2 + 49 + 33 + 81) + 2
    said = b"_dta".ljust(33, b"\0") + b"note1".ljust(33, b"\0") + b"Jane Doe of Berne\0"
    assert raw[place : place + 5] == b"\0" * 5
    path.write_bytes(raw[:place] + b"\x01" + struct.pack("<i", len(said)) + said + raw[place:])
    assert pyreadstat.read_dta(str(path))[0].shape == (N, 3)
    assert "characteristics, such as notes" in faults(path)


def test_what_stands_behind_the_end_of_a_stata_file_is_named(tmp_path):
    path = tmp_path / "data.dta"
    frame().to_stata(path, write_index=False, version=118)
    path.write_bytes(path.read_bytes() + b"Jane Doe,4711\n")
    assert "14 bytes stand behind its end" in faults(path)
