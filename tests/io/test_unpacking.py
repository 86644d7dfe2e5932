"""Files that unpack to more than memory holds are refused before they do."""

from __future__ import annotations

import gzip
import os
import tracemalloc
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Self

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.io import unpacking

REFUSED = r"has \d+ bytes and unpacks to more than \d+, .*set the environment variable MICROVEIL_MOST_UNPACKED"


def bomb(path: Path, size: int) -> Path:
    with gzip.open(path, "wb") as handle:
        handle.write(b"a\n")
        for _ in range(size >> 20):
            handle.write(b"1\n" * (1 << 19))
    return path


def sheet_bomb(path: Path) -> Path:
    mv.write(pa.table({"a": [1, 2]}), path, unprotected=True)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/media/image1.png", b"\0" * (1 << 26))
    return path


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same ratios for files of a few kilobytes, so that no test unpacks gigabytes."""
    monkeypatch.setattr(unpacking, "_TEXT", (1 << 20, 200))
    monkeypatch.setattr(unpacking, "_SHEET", (1 << 20, 100))
    monkeypatch.setattr(unpacking, "_AT_ONCE", 1 << 16)


@pytest.mark.usefixtures("small_limits")
def test_bombs_are_refused_before_they_are_unpacked(tmp_path: Path) -> None:
    packed = bomb(tmp_path / "in.csv.gz", 1 << 26)
    sheet = sheet_bomb(tmp_path / "in.xlsx")
    tracemalloc.start()
    for path in (packed, sheet):
        with pytest.raises(BadInput, match=REFUSED):
            mv.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 25  # half of what they unpack to


@pytest.mark.usefixtures("small_limits")
def test_who_knows_better_can_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed, sheet = bomb(tmp_path / "in.csv.gz", 1 << 21), sheet_bomb(tmp_path / "in.xlsx")
    monkeypatch.setenv(unpacking.VARIABLE, str(1 << 27))
    assert mv.read(packed).n == 1 << 20
    assert mv.read(sheet).n == 2
    monkeypatch.setenv(unpacking.VARIABLE, "1000")
    with pytest.raises(BadInput, match=REFUSED):
        mv.read(packed)
    monkeypatch.setenv(unpacking.VARIABLE, "lots")
    with pytest.raises(BadInput, match=r"MICROVEIL_MOST_UNPACKED is 'lots'; give a number of bytes, or leave it unset"):
        mv.read(packed)


def test_a_compressed_file_of_a_statistical_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mv.write(pa.table({"a": np.zeros(200_000)}), tmp_path / "in.zsav", unprotected=True)
    assert mv.read(tmp_path / "in.zsav").n == 200_000
    monkeypatch.setattr(unpacking, "_TEXT", (1 << 20, 200))
    with pytest.raises(BadInput, match=REFUSED):
        mv.read(tmp_path / "in.zsav")


def test_ordinary_files_unpack(tmp_path: Path) -> None:
    """Even a column of one value, as a release may have."""
    mv.write(pa.table({"a": np.zeros(300_000), "b": np.arange(300_000)}), tmp_path / "out.csv.gz", unprotected=True)
    assert mv.read(tmp_path / "out.csv.gz").n == 300_000


def test_a_sheet_is_as_large_as_its_cells_not_as_it_says(tmp_path: Path) -> None:
    path = tmp_path / "in.xlsx"
    pd.DataFrame({"a": range(1, 4), "b": range(3)}).to_excel(path, index=False)
    for said in (b'<dimension ref="A1:A2"/>', b'<dimension ref="A1:XFD1048576"/>'):
        changed = tmp_path / "changed.xlsx"
        with zipfile.ZipFile(path) as source, zipfile.ZipFile(changed, "w") as target:
            for part in source.namelist():
                content = source.read(part)
                if part == "xl/worksheets/sheet1.xml":
                    assert b'<dimension ref="A1:B4"' in content
                    content = content.replace(b'<dimension ref="A1:B4"/>', said).replace(
                        b'<dimension ref="A1:B4" />', said
                    )
                    assert said in content
                target.writestr(part, content)
        assert mv.read(changed).frame.to_pydict() == {"a": [1, 2, 3], "b": [0, 1, 2]}


def test_a_cell_far_away_costs_no_memory(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active["A1"], book.active["A2"], book.active["A50000"] = "a", 1, 2
    book.active["C3"] = 5
    book.active["C1"], book.active["B1"] = "c", "b"
    book.save(tmp_path / "in.xlsx")
    data = mv.read(tmp_path / "in.xlsx")
    assert (data.n, data.columns) == (49_999, ("a", "b", "c"))
    assert data.frame["c"].to_pylist()[1] == 5


# -- the limits themselves -------------------------------------------------------------------------


def sparse(folder: Path, size: int) -> Path:
    """A file of so many bytes that takes no room."""
    path = folder / "in.bin"
    path.touch()
    os.truncate(path, size)
    return path


@pytest.mark.parametrize(
    ("size", "most"), [(1_000_000, 2**30), (10_000_000, 2_000_000_000), (2**28, 2**35), (171_798_691, 34_359_738_200)]
)
def test_text_unpacks_to_a_gigabyte_or_two_hundred_times_its_size(tmp_path: Path, size: int, most: int) -> None:
    path = sparse(tmp_path, size)
    unpacking.check_cells(path, most // 8)
    with pytest.raises(BadInput, match=f"has {size} bytes and unpacks to more than {most}, as files made to exhaust"):
        unpacking.check_cells(path, most // 8 + 1)


@pytest.mark.parametrize(("size", "most"), [(1_000_000, 2**28), (10_000_000, 1_000_000_000)])
def test_sheets_unpack_to_a_quarter_of_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, most: int
) -> None:
    announced: list[int] = []

    class Announcing:
        def __init__(self, path: Path) -> None: ...

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *given: object) -> None: ...

        def infolist(self) -> list[SimpleNamespace]:
            return [SimpleNamespace(file_size=part) for part in announced]

    monkeypatch.setattr(zipfile, "ZipFile", Announcing)
    announced[:] = [most - 5, 5]
    unpacking.check_sheet_size(sparse(tmp_path, size))
    announced[:] = [most - 5, 6]
    with pytest.raises(BadInput, match=f"unpacks to more than {most},"):
        unpacking.check_sheet_size(sparse(tmp_path, size))


def test_the_limit_itself_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.gz").write_bytes(gzip.compress(b"x" * 1000))
    monkeypatch.setenv(unpacking.VARIABLE, "1000")
    assert unpacking.unpack(tmp_path / "in.gz") == b"x" * 1000
    monkeypatch.setenv(unpacking.VARIABLE, "999")
    with pytest.raises(BadInput, match="unpacks to more than 999,"):
        unpacking.unpack(tmp_path / "in.gz")


@pytest.mark.parametrize(("told", "fine"), [("1", True), ("0", False), ("-1", False), ("1e9", False), ("", False)])
def test_the_limit_is_a_number_of_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str, fine: bool) -> None:
    monkeypatch.setenv(unpacking.VARIABLE, told)
    if fine:
        unpacking.check_cells(sparse(tmp_path, 10), 0)
    else:
        with pytest.raises(BadInput, match=r"MICROVEIL_MOST_UNPACKED is '.*'; give a number of bytes"):
            unpacking.check_cells(sparse(tmp_path, 10), 0)
