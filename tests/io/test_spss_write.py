"""SPSS files to the byte, beside the description of the system file format in the PSPP developers' manual."""

from __future__ import annotations

import datetime as dt
import io
import re
import struct
import zlib
from typing import Any

import numpy as np
import pyarrow as pa
import pyreadstat
import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem
from microveil.io import spss_write
from microveil.io.cleaning import Clean
from microveil.io.spss_write import for_spss, write_spss

GAP = struct.pack("<d", -1.7976931348623157e308)
EMPTY = b" " * 8


def clean(columns: dict[str, Any], **told: Any) -> Clean:
    return Clean(pa.table(columns), told.pop("kinds", dict.fromkeys(columns, "continuous")), **told)


def written(table: Clean, compress: bool = False) -> bytes:
    handle = io.BytesIO()
    write_spss(table, handle, compress)
    assert handle.tell() == len(handle.getvalue())
    return handle.getvalue()


def header(cells: int, rows: int, magic: bytes = b"$FL2", compression: int = 0) -> bytes:
    return (
        magic
        + b"@(#) SPSS DATA FILE                                         "
        + struct.pack("<iiiii", 2, cells, compression, 0, rows)
        + struct.pack("<d", 100.0)
        + b"01 Jan 70"
        + b"00:00:00"
        + b" " * 64
        + b"\0\0\0"
    )


def variable(width: int, shown: tuple[int, int, int], short: bytes, title: bytes | None = None, more: int = 0) -> bytes:
    kind, wide, decimals = shown
    code = struct.pack("<BBBB", decimals, wide, kind, 0)
    label = b"" if title is None else title
    continued = struct.pack("<iiiiii", 2, -1, 0, 0, 0, 0) + EMPTY
    return struct.pack("<iiii", 2, width, title is not None, 0) + code * 2 + short.ljust(8) + label + continued * more


def extension(subtype: int, size: int, count: int, content: bytes) -> bytes:
    return struct.pack("<iiii", 7, subtype, size, count) + content


def extensions(display: list[int], names: bytes, rows: int, long: bytes = b"", labels: bytes = b"") -> bytes:
    return b"".join(
        [
            extension(3, 4, 8, struct.pack("<8i", 20, 0, 0, -1, 1, 1, 2, 65001)),
            extension(
                4, 8, 3, struct.pack("<3d", -1.7976931348623157e308, 1.7976931348623157e308, -1.7976931348623155e308)
            ),
            extension(11, 4, len(display), struct.pack(f"<{len(display)}i", *display)),
            extension(13, 1, len(names), names),
            extension(14, 1, len(long), long) if long else b"",
            extension(16, 8, 2, struct.pack("<qq", 1, rows)),
            extension(20, 1, 5, b"UTF-8"),
            extension(21, 1, len(labels), labels) if labels else b"",
            struct.pack("<ii", 999, 0),
        ]
    )


def test_numbers_dates_and_times_to_the_byte() -> None:
    moment = dt.datetime(1970, 1, 2, 0, 0, 0, 500_000)  # noqa: DTZ001 - files know no zone
    table = clean(
        {
            "whole": pa.array([7, None], pa.int64()),
            "amount": pa.array([None, 0.25]),
            "day": pa.array([dt.date(1970, 1, 2), None]),
            "clock": pa.array([None, dt.time(0, 1, 2, 500_000)], pa.time64("us")),
            "seen": pa.array([moment, None], pa.timestamp("us")),
        },
        kinds={"whole": "nominal", "amount": "continuous", "day": "ordinal", "clock": "nominal", "seen": "nominal"},
        titles={"whole": "Title"},
        labels={"whole": {7: "seven", -2: "x" * 8}},
    )
    title = struct.pack("<i", 5) + b"Title   "
    display = [1, 8, 1, 3, 8, 1, 2, 8, 1, 1, 8, 1, 1, 8, 1]
    day = 141_429 * 86_400.0  # from 14 October 1582 to 2 January 1970
    assert written(table) == b"".join(
        [
            header(5, 2),
            variable(0, (5, 12, 0), b"V1", title),
            variable(0, (5, 12, 2), b"V2"),
            variable(0, (23, 11, 0), b"V3"),
            variable(0, (21, 11, 0), b"V4"),
            variable(0, (22, 23, 2), b"V5"),
            struct.pack("<ii", 3, 2),
            struct.pack("<d", 7) + b"\5seven  ",
            struct.pack("<d", -2) + b"\10xxxxxxxx       ",
            struct.pack("<iii", 4, 1, 1),
            extensions(display, b"V1=whole\tV2=amount\tV3=day\tV4=clock\tV5=seen", 2),
            struct.pack("<d", 7) + GAP + struct.pack("<d", day) + GAP + struct.pack("<d", day + 0.5),
            GAP + struct.pack("<d", 0.25) + GAP + struct.pack("<d", 62.5) + GAP,
        ]
    )


def test_text_to_the_byte() -> None:
    long = "a" * 255 + "b" * 255 + "c" * 100
    table = clean(
        {
            "long": pa.array([long, None]),
            "eight": pa.array(["12345678", "x"]),
            "nine": pa.array(["123456789", None]),
            "none": pa.array([None, None], pa.string()),
            "n": pa.array([1.0, 2.0]),
        },
        titles={"long": "t", "eight": "four"},
        labels={"n": {1: "one"}, "eight": {"x": "ex"}, "nine": {"123456789": "to nine"}},
    )
    # 610 bytes: three pieces, of which 252 bytes each count but for the last
    rest = 610 - 2 * 252
    labels = struct.pack("<i", 4) + b"nine" + struct.pack("<ii", 9, 1)
    labels += struct.pack("<i", 9) + b"123456789" + struct.pack("<i", 7) + b"to nine"
    display = [3, 40, 0] * 3 + [3, 8, 0] + [3, 9, 0] + [3, 8, 0] + [3, 8, 1]
    assert written(table) == b"".join(
        [
            header(32 + 32 + 14 + 1 + 2 + 1 + 1, 2),
            variable(255, (1, 255, 0), b"V1", struct.pack("<i", 1) + b"t   ", more=31),
            variable(255, (1, 255, 0), b"W1", more=31),
            variable(rest, (1, rest, 0), b"W2", more=13),
            variable(8, (1, 8, 0), b"V2", struct.pack("<i", 4) + b"four"),
            variable(9, (1, 9, 0), b"V3", more=1),
            variable(1, (1, 1, 0), b"V4"),
            variable(0, (5, 12, 2), b"V5"),
            struct.pack("<ii", 3, 1) + b"x       \2ex     " + struct.pack("<iii", 4, 1, 79),
            struct.pack("<ii", 3, 1) + struct.pack("<d", 1) + b"\3one    " + struct.pack("<iii", 4, 1, 83),
            extensions(display, b"V1=long\tV2=eight\tV3=nine\tV4=none\tV5=n", 2, b"V1=00610\0\t", labels),
            b"a" * 255 + b" " + b"b" * 255 + b" " + b"c" * 100 + b" " * 12,
            b"12345678" + b"123456789       " + EMPTY + struct.pack("<d", 1),
            b" " * 624 + b"x       " + b" " * 16 + EMPTY + struct.pack("<d", 2),
        ]
    )


@pytest.mark.parametrize(
    ("width", "pieces"),
    [(255, [255]), (256, [255, 4]), (504, [255, 252]), (505, [255, 255, 1]), (756, [255, 255, 252])],
)
def test_pieces_of_long_text(width: int, pieces: list[int]) -> None:
    one = spss_write._Variable("t", "V1", pa.chunked_array([["x" * width]]))
    assert one.segments == pieces
    assert one.values[0].rstrip().replace(b" ", b"") == b"x" * width


def test_compressed_files_to_the_byte() -> None:
    """Eight codes before eight cells; 253 says that a cell follows as it is, 0 fills the last group."""
    raw = written(clean({"a": pa.array(range(9), pa.float64())}), compress=True)
    start = raw.index(struct.pack("<ii", 999, 0)) + 8
    assert raw[:176] == header(1, 9, b"$FL3", 2)
    ends = struct.unpack_from("<qqq", raw, start)
    assert (ends[0], ends[1] + ends[2]) == (start, len(raw))
    packed = raw[start + 24 : ends[1]]
    plain = b"\xfd" * 8 + struct.pack("<8d", *range(8)) + b"\xfd\0\0\0\0\0\0\0" + struct.pack("<d", 8)
    assert zlib.decompress(packed) == plain
    assert raw[ends[1] :] == (
        struct.pack("<qqii", -100, 0, 0x3FF000, 1) + struct.pack("<qqii", start, start + 24, len(plain), len(packed))
    )


def test_blocks_of_compressed_files_follow_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spss_write, "_ZLIB_BLOCK", 100)
    monkeypatch.setattr(spss_write, "_ROWS_AT_ONCE", 16)
    raw = written(clean({"a": pa.array(range(40), pa.float64())}), compress=True)
    start = raw.index(struct.pack("<ii", 999, 0)) + 8
    _, trailer, _ = struct.unpack_from("<qqq", raw, start)
    blocks = [struct.unpack_from("<qqii", raw, place) for place in range(trailer + 24, len(raw), 24)]
    assert [size for _, _, size, _ in blocks] == [100, 100, 100, 60]
    assert [place for place, *_ in blocks] == [start, start + 100, start + 200, start + 300]
    plain = b"".join(zlib.decompress(raw[place : place + size]) for _, place, _, size in blocks)
    monkeypatch.setattr(spss_write, "_ZLIB_BLOCK", 72)
    full = written(clean({"a": pa.array(range(8), pa.float64())}), compress=True)
    assert full.endswith(struct.pack("<ii", 72, len(full) - struct.unpack_from("<qqq", full, start)[2] - start - 24))
    cells = b"".join(plain[72 * j + 8 : 72 * j + 72] for j in range(5))
    assert np.frombuffer(cells, "<f8").tolist() == list(range(40))


def test_records_are_written_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    table = clean({"a": pa.array(range(40), pa.float64()), "t": [str(j) for j in range(40)]})
    whole = written(table)
    monkeypatch.setattr(spss_write, "_ROWS_AT_ONCE", 16)
    assert written(table) == whole


@pytest.mark.parametrize(("rows", "told"), [(2**31 - 1, 2**31 - 1), (2**31, -1), (2**32 - 1, -1)])
def test_more_records_than_the_header_can_count_are_unknown_there(rows: int, told: int) -> None:
    assert spss_write._header(1, rows, compress=False) == header(1, told)


def test_titles_and_labels_are_cut_between_characters(tmp_path: Any) -> None:
    table = clean(
        {"a": pa.array([1, 2, 3]), "b": pa.array(["ninechars"] * 3), "c": pa.array([1, 2, 3])},
        titles={"a": "é" * 200, "c": "x" * 255},
        labels={"a": {1: "y" * 120, 2: "é" * 61, 3: "x" + "é" * 60}, "b": {"ninechars": "z" * 121}},
    )
    (tmp_path / "out.sav").write_bytes(written(table))
    _, meta = pyreadstat.read_sav(str(tmp_path / "out.sav"))
    assert meta.column_names_to_labels == {"a": "é" * 127, "b": None, "c": "x" * 255}
    assert meta.variable_value_labels["a"] == {1.0: "y" * 120, 2.0: "é" * 60, 3.0: "x" + "é" * 59}
    assert meta.variable_value_labels["b"] == {"ninechars": "z" * 120}


@pytest.mark.parametrize("name", ["a", "A.b", "a@#$_1", "é", "x" * 64, "é" * 32, "all_", "byte"])
def test_names_that_spss_knows(name: str) -> None:
    assert for_spss(clean({name: [1]})).table.column_names == [name]


@pytest.mark.parametrize("name", ["", "1a", "_a", "@a", "a b", "a.", "a-b", "x" * 65, "é" * 33, "all", "With"])
def test_names_that_spss_does_not_know(name: str) -> None:
    with pytest.raises(BadInput, match=re.escape(f"{name!r} cannot be a name in SPSS: a letter first")):
        for_spss(clean({name: [1]}))


def test_names_are_the_same_in_capitals() -> None:
    with pytest.raises(BadInput, match=r"'AGE' and 'age' are the same name to SPSS; rename one of them"):
        for_spss(clean({"age": [1], "b": [1], "AGE": [1]}))


def test_text_of_32767_bytes_is_held_and_no_longer_one() -> None:
    longest = clean({"t": ["é" * 16_383 + "x", None]})
    assert for_spss(longest).table == longest.table
    with pytest.raises(BadInput, match="text in column 't' is longer than 32767 bytes; write Parquet or CSV"):
        for_spss(clean({"t": ["a", "é" * 16_384]}))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a", "b "], "text in column 'c' ends in blanks or holds zero characters, which SPSS cannot keep"),
        (["", None], "column 'c' has both empty text and missing values, which SPSS cannot tell apart"),
        ([2**53 + 1], r"column 'c' holds whole numbers beyond 2\^53, which SPSS cannot keep"),
    ],
)
def test_values_that_spss_does_not_hold(cells: list[Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        for_spss(clean({"c": cells}))


@pytest.mark.parametrize("kind", [pa.timestamp("ns"), pa.time64("ns")])
def test_nanoseconds_do_not_come_back(tmp_path: Any, kind: Any) -> None:
    with pytest.raises(FileProblem, match="SPSS cannot hold column 'm': its values would come back differently"):
        mv.write(pa.table({"m": pa.array([1001], kind)}), tmp_path / "out.sav", unprotected=True)


def test_moments_lose_their_zone_and_large_amounts_are_held() -> None:
    noon = dt.datetime(2020, 7, 1, 12, tzinfo=dt.UTC)
    table = for_spss(clean({"m": pa.array([noon], pa.timestamp("us", "Asia/Tokyo")), "x": [1e300], "e": [""]}))
    assert table.table.to_pydict() == {"m": [noon.replace(tzinfo=None)], "x": [1e300], "e": [None]}
    assert table.notes == (
        "moments in 'm' were written in UTC",
        "empty text in 'e' was written as missing: SPSS knows no difference",
    )


def test_what_spss_holds_differently_is_noted() -> None:
    table = for_spss(clean({"b": [True, None], "t": ["a", None], "x": pa.array([0.1, None], pa.float32())}))
    assert table.table.schema.types == [pa.int8(), pa.string(), pa.float64()]
    assert table.table.to_pydict() == {"b": [1, None], "t": ["a", None], "x": [0.1, None]}
    assert table.notes == (
        "true and false in 'b' were written as 1 and 0",
        (
            "missing text in 't' (1 cell) was written as empty text: SPSS knows no difference, and many readers "
            "take it for a value"
        ),
    )
