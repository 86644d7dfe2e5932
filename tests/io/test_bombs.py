"""Files made to exhaust memory or time end in one clear line, in a process that has little of both."""

from __future__ import annotations

import gzip
import io
import json
import os
import struct
import subprocess
import sys
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.io import limits
from microveil.io.unpacking import VARIABLE
from tools.fuzz.seeds import sound_files

MEMORY = 6 * 2**30  # addresses, of which libraries reserve gigabytes; what is used is measured
UNPACKED = 2**26  # bytes to which files may unpack here; by themselves a gigabyte and more, which takes time
MOST_USED = 2**30
UNPACKS = "unpacks to more than"
SHEET = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>%s</sheetData></worksheet>'
TITLE = b'<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>'


def with_sheet(path: Path, cells: bytes, parts: int = 0) -> None:
    """A workbook with other cells, and empty parts."""
    with zipfile.ZipFile(io.BytesIO(sound_files()["xlsx"][0])) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            content = SHEET % cells if name.endswith("sheet1.xml") else source.read(name)
            target.writestr(name, content, zipfile.ZIP_DEFLATED)
        for number in range(parts):
            target.writestr(f"x/{number}", b"")


def packed_csv(path: Path) -> None:
    with gzip.open(path, "wb", 1) as handle:
        handle.write(b"a\n")
        for _ in range(70):
            handle.write(b"1\n" * (1 << 19))


def long_parquet(path: Path) -> None:
    batch = pa.table({"x": np.zeros(2_000_000)})
    with parquet.ParquetWriter(path, batch.schema) as writer:
        for _ in range(7):
            writer.write_table(batch)


def wide_parquet(path: Path) -> None:
    """Two gigabytes of text, all the same."""
    once = pa.DictionaryArray.from_arrays(pa.array(np.zeros(2_000, dtype=np.int32)), pa.array(["y" * 1_000_000]))
    parquet.write_table(pa.table({"x": once}), path, store_schema=False)


def long_feather(path: Path) -> None:
    batch = pa.record_batch({"x": np.zeros(2_000_000)})
    with ipc.new_file(path, batch.schema, options=ipc.IpcWriteOptions(compression="zstd")) as writer:
        for _ in range(7):
            writer.write_batch(batch)


def entities(path: Path) -> None:
    told = b"".join(b'<!ENTITY a%d "%s">' % (n, (b"&a%d;" % (n - 1) if n else b"a") * 10) for n in range(12))
    with_sheet(path, b"")
    with zipfile.ZipFile(path) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    with zipfile.ZipFile(path, "w") as target:
        for name, part in parts.items():
            bomb = b"<!DOCTYPE l [%s]>" % told + SHEET % TITLE.replace(b">a<", b">&a11;<")
            target.writestr(name, bomb if name.endswith("sheet1.xml") else part)


def sav_of_records(path: Path) -> None:
    content = bytearray(sound_files()["sav"][0])
    content[80:84] = struct.pack("<i", 2**31 - 1)
    path.write_bytes(content)


def dta_of_records(path: Path) -> None:
    content = sound_files()["dta"][0]
    place = content.index(b"<N>") + 3
    path.write_bytes(content[:place] + struct.pack("<q", 2**60) + content[place + 8 :])


def dta_of_columns(path: Path) -> None:
    content = sound_files()["dta"][0]
    place = content.index(b"<K>") + 3
    path.write_bytes(content[:place] + b"\xff\xff" + content[place + 2 :])


def merged(path: Path) -> None:
    """Nine times nine times ... entries, merged into one another."""
    names = "abcdefghijkl"
    lines = [f"{new}: &{new} {{<<: [{', '.join([f'*{old}'] * 9)}]}}" for old, new in pairwise(names)]
    path.write_text("\n".join(["a: &a {x: 1}", *lines]))


def aliases(path: Path) -> None:
    names = "abcdefghijkl"
    lines = [f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]" for old, new in pairwise(names)]
    path.write_text("\n".join(["a: &a [x]", *lines]))


BOMBS = {
    "ratio.csv.gz": (packed_csv, UNPACKS),
    "nested.csv.gz": (lambda path: path.write_bytes(gzip.compress(gzip.compress(b"a\n1\n"))), "is not UTF-8"),
    "columns.csv": (
        lambda path: path.write_bytes(b",".join(b"c%d" % n for n in range(100_000)) + b"\n" + b"1," * 99_999 + b"1\n"),
        f"has 100,000 columns, and {limits.MOST_COLUMNS:,} is the most",
    ),
    "line.csv": (
        lambda path: path.write_bytes(b"a\n" + b"x" * (1 << 25)),
        "a row has 33,554,432 bytes",
    ),
    "records.parquet": (long_parquet, UNPACKS),
    "text.parquet": (wide_parquet, UNPACKS),
    "records.feather": (long_feather, UNPACKS),
    "parts.xlsx": (lambda path: with_sheet(path, TITLE, 10_001), "parts, and 10,000 is the most"),
    "far_row.xlsx": (
        lambda path: with_sheet(path, TITLE + b'<row r="2000000000"><c r="A2000000000"><v>1</v></c></row>'),
        "has a cell in row 2,000,000,000",
    ),
    "far_cells.xlsx": (
        lambda path: with_sheet(
            path, TITLE + b"".join(b'<row r="%d"><c r="XFD%d"><v>1</v></c></row>' % (n, n) for n in range(2, 600))
        ),
        UNPACKS,
    ),
    "entities.xlsx": (entities, "is damaged or cut short"),
    "records.dta": (dta_of_records, "is damaged or cut short"),
    "columns.dta": (dta_of_columns, "is damaged or cut short"),
    "depth.yaml": (lambda path: path.write_text("a: " + "[" * 20_000), "nested more than 50 levels deep"),
    "length.yaml": (
        lambda path: path.write_text("a: [" + "x, " * 1_000_000 + "]"),
        "2,097,152 is the most",
    ),
    "merged.yaml": (merged, "a project has no field 'a'"),
    "aliases.yaml": (aliases, "a project has no field 'a'"),
}
READ = """
import json, resource, sys
from pathlib import Path
import microveil as mv
from microveil.core.errors import MicroveilError
from microveil.plan import Project
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
for path in sys.argv[2:]:
    try:
        told = repr((Project.load if path.endswith("yaml") else mv.read)(path))
    except MicroveilError as problem:
        told = str(problem)
    # of this program alone: ru_maxrss begins with what the process that started it had
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(json.dumps([told, int(peak.split()[1]) << 10]), flush=True)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited and measured here")
@pytest.mark.long
def test_bombs_end_in_one_line_within_bounds(tmp_path: Path) -> None:
    for name, (make, _) in BOMBS.items():
        make(tmp_path / name)
    words = [sys.executable, "-c", READ, str(MEMORY), *(str(tmp_path / name) for name in BOMBS)]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, VARIABLE: str(UNPACKED)})
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    for (name, (_, message)), (told, used) in zip(BOMBS.items(), found, strict=True):
        assert message in told, f"{name}: {told}"
        assert "\n" not in told, name
        assert used < MOST_USED, f"{name}: {used:,}"


def test_a_header_that_lies_about_records_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """SPSS files may say any number; the records that are there count."""
    sav_of_records(tmp_path / "in.sav")
    assert mv.read(tmp_path / "in.sav").n == 12
