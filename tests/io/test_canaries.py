"""Nothing of the source survives in the bytes of a written file."""

from __future__ import annotations

import struct
import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microveil as mv
from tests.io.frames import WRITABLE, all_bytes

CANARY = "KANARIENVOGEL"
pytestmark = pytest.mark.long
HIDDEN = 0x1122334455667788  # a number that stands under a missing cell


def pandas_source() -> pd.DataFrame:
    n = 40
    place = pd.Categorical(["north", "south"] * (n // 2), categories=[CANARY + "1", "north", "south"])
    counts = pd.array(np.where(np.arange(n) % 5 == 0, HIDDEN, np.arange(n)), dtype="Int64")
    counts[::5] = pd.NA
    frame = pd.DataFrame(
        {
            "place": place,
            "count": counts,
            "income": np.round(np.linspace(1, 99, n), 1),
            "name": [f"{CANARY}2-{i}" for i in range(n)],
        },
        index=[f"{CANARY}3-{i}" for i in range(n)],
    )
    frame.index.name = CANARY + "4"
    frame.attrs["note"] = CANARY + "5"
    return frame


def released(frame: object, **facts: object) -> mv.Release:
    data = mv.Microdata(frame, roles={"name": "identifier"}, **facts)  # type: ignore[arg-type]
    return mv.mask.Round(base=10).apply(data, columns=["income"])


@pytest.mark.parametrize("ending", WRITABLE)
def test_pandas_index_attributes_categories_and_masked_values(tmp_path: Path, ending: str) -> None:
    frame = pandas_source()
    assert HIDDEN in frame["count"].array._data  # the canary is there
    mv.write(released(frame), tmp_path / f"out.{ending}")
    found = all_bytes(tmp_path / f"out.{ending}")
    assert b"north" in found  # what is released can be seen, so a canary would be
    assert CANARY.encode() not in found
    assert struct.pack("<q", HIDDEN) not in found
    assert struct.pack("<d", float(HIDDEN)) not in found


@pytest.mark.parametrize("ending", WRITABLE)
def test_arrow_metadata_and_dictionaries(tmp_path: Path, ending: str) -> None:
    n = 20
    place = pa.DictionaryArray.from_arrays(pa.array([1, 2] * (n // 2), pa.int32()), [CANARY, "north", "south"])
    fields = [
        pa.field("place", place.type, metadata={"comment": CANARY}),
        pa.field("income", pa.float64()),
        pa.field("name", pa.string()),
    ]
    schema = pa.schema(fields, metadata={"pandas": CANARY, "origin": CANARY})
    table = pa.Table.from_arrays([place, pa.array(np.arange(n) + 0.5), pa.array([CANARY] * n)], schema=schema)
    # a slice keeps the memory of the rows it leaves out
    longer = pa.concat_tables(
        [
            table,
            pa.table({"place": pa.array([CANARY]).dictionary_encode(), "income": [1.5], "name": [CANARY]}).cast(schema),
        ]
    )
    for source in (table, longer.combine_chunks().slice(0, n)):
        mv.write(released(source), tmp_path / f"out.{ending}", shuffle=False)
        found = all_bytes(tmp_path / f"out.{ending}")
        assert b"north" in found
        assert CANARY.encode() not in found


@pytest.mark.parametrize("ending", WRITABLE)
def test_polars_text_views_and_enums(tmp_path: Path, ending: str) -> None:
    long = [f"a long text that is not stored in place {i}" for i in range(9)]
    frame = pl.DataFrame(
        {
            "t": [*long, CANARY + " in a text that is not stored in place"],
            "e": ["x"] * 9 + ["y"],
            "income": np.arange(10) + 0.5,
            "name": ["n"] * 10,
        }
    )
    frame = frame.with_columns(pl.col("e").cast(pl.Enum(["x", "y", CANARY]))).head(9)
    mv.write(released(frame), tmp_path / f"out.{ending}", shuffle=False)
    found = all_bytes(tmp_path / f"out.{ending}")
    assert b"a long text" in found
    assert CANARY.encode() not in found


def spss_source(path: Path) -> None:
    import pyreadstat

    frame = pd.DataFrame(
        {"sex": [1.0, 2.0] * 10, "income": np.arange(20) + 0.5, "name": [f"{CANARY}{i}" for i in range(20)]}
    )
    pyreadstat.write_sav(
        frame,
        str(path),
        file_label=CANARY,
        note=CANARY,
        column_labels={"sex": f"Sex {CANARY}", "income": "Income"},
        variable_value_labels={"sex": {1.0: "man", 2.0: "woman", 3.0: CANARY}},
    )


@pytest.mark.parametrize("ending", WRITABLE)
def test_labels_notes_and_paths_of_an_spss_source(tmp_path: Path, ending: str) -> None:
    folder = tmp_path / CANARY
    folder.mkdir()
    spss_source(folder / "in.sav")
    data = mv.read(folder / "in.sav", roles={"name": "identifier"})
    release = mv.mask.Round(base=10).apply(data, columns=["income"])
    mv.write(release, tmp_path / f"out.{ending}")
    found = all_bytes(tmp_path / f"out.{ending}")
    assert CANARY.encode() not in found
    if ending in ("sav", "zsav", "dta"):
        back, codebook = mv.io.read_with_codebook(tmp_path / f"out.{ending}")
        assert codebook.labels == {"sex": {1: "man", 2: "woman"}}
        assert codebook.titles == {}
        assert back.kinds["sex"] == "nominal"


def test_metadata_of_parquet_and_feather_is_empty(tmp_path: Path) -> None:
    release = released(pandas_source())
    mv.write(release, tmp_path / "out.parquet")
    mv.write(release, tmp_path / "out.feather")
    assert pq.read_metadata(tmp_path / "out.parquet").metadata is None
    with pa.ipc.open_file(tmp_path / "out.feather") as file:
        assert file.schema.metadata is None
        assert all(field.metadata is None for field in file.schema)


def test_a_file_says_nothing_about_when_it_was_written(tmp_path: Path) -> None:
    release = released(pandas_source())
    first = {ending: mv.write(release, tmp_path / f"one.{ending}").sha256 for ending in WRITABLE}
    time.sleep(2.1)  # the coarsest clock among the formats counts in two seconds
    assert {ending: mv.write(release, tmp_path / f"two.{ending}").sha256 for ending in WRITABLE} == first


def test_gzip_header_has_no_name_and_no_time(tmp_path: Path) -> None:
    mv.write(released(pandas_source()), tmp_path / "out.csv.gz")
    head = (tmp_path / "out.csv.gz").read_bytes()[:10]
    assert head[3] == 0
    assert head[4:8] == bytes(4)


def test_xlsx_properties_are_neutral(tmp_path: Path) -> None:
    from openpyxl import load_workbook

    mv.write(released(pandas_source()), tmp_path / "out.xlsx")
    raw = all_bytes(tmp_path / "out.xlsx")
    assert b"openpyxl" not in raw
    assert b"dcterms:created" not in raw
    assert load_workbook(tmp_path / "out.xlsx").sheetnames == ["data"]
