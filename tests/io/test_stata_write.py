"""Stata files to the byte, beside Stata's own description of format 118 (`help dta_118`)."""

from __future__ import annotations

import datetime as dt
import io
import re
import struct
from typing import Any

import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem
from microveil.io import stata_write
from microveil.io.cleaning import Clean
from microveil.io.stata_write import for_stata, write_stata

# the missing value "." of each type
GAP_BYTE, GAP_INT, GAP_LONG = struct.pack("<b", 101), struct.pack("<h", 32_741), struct.pack("<i", 2_147_483_621)
GAP_FLOAT, GAP_DOUBLE = bytes.fromhex("0000007f"), bytes.fromhex("000000000000e07f")


def clean(columns: dict[str, Any], **told: Any) -> Clean:
    return Clean(pa.table(columns), dict.fromkeys(columns, "continuous"), **told)


def written(table: Clean) -> bytes:
    handle = io.BytesIO()
    write_stata(table, handle)
    return handle.getvalue()


def fixed(texts: list[str], width: int) -> bytes:
    return b"".join(text.encode().ljust(width, b"\0") for text in texts)


def expected(
    names: list[str],
    types: list[int],
    formats: list[str],
    records: list[bytes],
    *,
    labelled: tuple[str, ...] = (),
    titles: tuple[str, ...] = (),
    long_texts: bytes = b"",
    label_tables: bytes = b"",
) -> bytes:
    """A file as it is described, its map counted from where its sections are."""
    k = len(names)
    head = b"<stata_dta><header><release>118</release><byteorder>LSF</byteorder>"
    head += b"<K>" + struct.pack("<H", k) + b"</K><N>" + struct.pack("<Q", len(records)) + b"</N>"
    head += b"<label>\0\0</label><timestamp>\0</timestamp></header>"
    sections = {
        "variable_types": struct.pack(f"<{k}H", *types),
        "varnames": fixed(names, 129),
        "sortlist": bytes(2 * k + 2),
        "formats": fixed(formats, 57),
        "value_label_names": fixed([name if name in labelled else "" for name in names], 129),
        "variable_labels": fixed([*titles, *[""] * (k - len(titles))], 321),
        "characteristics": b"",
        "data": b"".join(records),
        "strls": long_texts,
        "value_labels": label_tables,
    }
    body = b"".join(f"<{name}>".encode() + content + f"</{name}>".encode() for name, content in sections.items())
    blank = head + b"<map>" + bytes(112) + b"</map>" + body + b"</stata_dta>"
    places = [0, *(blank.index(f"<{name}>".encode()) for name in ("map", *sections))]
    places += [len(blank) - len("</stata_dta>"), len(blank)]
    return blank.replace(bytes(112), struct.pack("<14Q", *places), 1)


def label_table(name: bytes, codes: list[int], texts: list[bytes]) -> bytes:
    places = [sum(len(text) + 1 for text in texts[:j]) for j in range(len(texts))]
    raw = b"".join(text + b"\0" for text in texts)
    body = struct.pack("<ii", len(codes), len(raw)) + struct.pack(f"<{2 * len(codes)}i", *places, *codes) + raw
    return b"<lbl>" + struct.pack("<i", len(body)) + name.ljust(129, b"\0") + b"\0\0\0" + body + b"</lbl>"


def test_numbers_dates_and_times_to_the_byte() -> None:
    moment = dt.datetime(1960, 1, 2, 0, 0, 0, 500_000)  # noqa: DTZ001 - files know no zone
    table = clean(
        {
            "small": pa.array([-5, None]),
            "wide": pa.array([2**40, None]),
            "single": pa.array([0.5, None], pa.float32()),
            "amount": pa.array([None, 0.25]),
            "day": pa.array([dt.date(1960, 1, 3), None]),
            "clock": pa.array([None, dt.time(0, 1, 2, 500_000)], pa.time64("us")),
            "seen": pa.array([moment, None], pa.timestamp("us")),
        },
        titles={"wide": "Title"},
        labels={"small": {-5: "minus", 3: "é", -7: "x", 1.5: "no whole number"}, "amount": {0.25: "a quarter"}},
    )
    first = struct.pack("<bdf", -5, 2.0**40, 0.5) + GAP_DOUBLE + struct.pack("<d", 2) + GAP_DOUBLE
    second = struct.pack("<b", 101) + GAP_DOUBLE + GAP_FLOAT + struct.pack("<d", 0.25) + GAP_DOUBLE
    assert written(table) == expected(
        list(table.table.column_names),
        [65530, 65526, 65527, 65526, 65526, 65526, 65526],
        ["%12.0g", "%20.0f", "%9.0g", "%10.0g", "%td", "%tcHH:MM:SS", "%tc"],
        [first + struct.pack("<d", 86_400_500), second + struct.pack("<d", 62_500) + GAP_DOUBLE],
        labelled=("small",),
        titles=("", "Title"),
        label_tables=label_table(b"small", [-7, -5, 3], [b"x", b"minus", "é".encode()]),
    )


def test_text_to_the_byte() -> None:
    long, other = "x" * 2046, "y"
    table = clean(
        {
            "n": pa.array([1, 2, 3, 4]),
            "short": pa.array(["ab", None, "c", "é"]),
            "none": pa.array([None] * 4, pa.string()),
            "long": pa.array([other, long, None, other]),
            "fits": pa.array(["z" * 2045, "", None, "q"]),
        },
        labels={"short": {"ab": "text has no labels"}},
    )

    def record(n: int, short: bytes, reference: tuple[int, int], fits: bytes) -> bytes:
        column, row = reference
        return bytes([n]) + short + b"\0" + struct.pack("<HIH", column, row, 0) + fits.ljust(2045, b"\0")

    assert written(table) == expected(
        list(table.table.column_names),
        [65530, 2, 1, 32768, 2045],
        ["%12.0g", "%2s", "%1s", "%9s", "%2045s"],
        [
            record(1, b"ab", (4, 1), b"z" * 2045),
            record(2, b"\0\0", (4, 2), b""),
            record(3, b"c\0", (0, 0), b""),
            record(4, "é".encode(), (4, 1), b"q"),
        ],
        long_texts=(
            b"GSO" + struct.pack("<IQBI", 4, 1, 130, 2) + b"y\0"
            b"GSO" + struct.pack("<IQBI", 4, 2, 130, 2047) + long.encode() + b"\0"
        ),
    )


@pytest.mark.parametrize(
    ("low", "high", "code", "record"),
    [
        (-127, 100, 65530, struct.pack("<bb", -127, 100) + GAP_BYTE),
        (-128, 100, 65529, struct.pack("<hh", -128, 100) + GAP_INT),
        (-127, 101, 65529, struct.pack("<hh", -127, 101) + GAP_INT),
        (-32_767, 32_740, 65529, struct.pack("<hh", -32_767, 32_740) + GAP_INT),
        (-32_768, 0, 65528, struct.pack("<ii", -32_768, 0) + GAP_LONG),
        (0, 32_741, 65528, struct.pack("<ii", 0, 32_741) + GAP_LONG),
        (-(2**31) + 1, 2_147_483_620, 65528, struct.pack("<ii", -(2**31) + 1, 2_147_483_620) + GAP_LONG),
        (-(2**31), 0, 65526, struct.pack("<dd", -(2**31), 0) + GAP_DOUBLE),
        (0, 2_147_483_621, 65526, struct.pack("<dd", 0, 2_147_483_621) + GAP_DOUBLE),
    ],
)
def test_whole_numbers_take_the_narrowest_type_that_holds_them(low: int, high: int, code: int, record: bytes) -> None:
    raw = written(clean({"a": pa.array([low, high, None])}))
    assert b"<variable_types>" + struct.pack("<H", code) + b"</variable_types>" in raw
    assert b"<data>" + record + b"</data>" in raw


def test_columns_without_any_value_are_bytes() -> None:
    raw = written(clean({"a": pa.array([None, None], pa.int64())}))
    assert b"<data>" + GAP_BYTE * 2 + b"</data>" in raw


def test_labels_reach_as_far_as_the_widest_whole_type() -> None:
    lowest, highest = -2_147_483_647, 2_147_483_620
    usable = stata_write._usable_labels({lowest: "a", highest: "b", lowest - 1: "c", highest + 1: "d", "x": "e"})
    assert usable == {lowest: "a", highest: "b"}


def test_labels_without_a_usable_code_are_left_out() -> None:
    raw = written(clean({"a": pa.array([1, 2])}, labels={"a": {1.5: "half"}}))
    assert raw == written(clean({"a": pa.array([1, 2])}))


def test_names_and_titles_are_cut_between_characters() -> None:
    assert stata_write._fixed("é" * 80, 129) == ("é" * 64).encode() + b"\0"
    assert stata_write._fixed("x" + "é" * 80, 129) == ("x" + "é" * 63).encode() + b"\0\0"
    assert stata_write._fixed("x" * 129, 129) == b"x" * 128 + b"\0"


def test_records_are_written_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    table = clean({"a": pa.array(range(40), pa.float64()), "t": [str(j) for j in range(40)]})
    whole = written(table)
    monkeypatch.setattr(stata_write, "_ROWS_AT_ONCE", 16)
    assert written(table) == whole


@pytest.mark.parametrize("name", ["a", "_a", "a1", "é", "x" * 32, "str", "_N1", "all", "stringent"])
def test_names_that_stata_knows(name: str) -> None:
    assert for_stata(clean({name: [1]})).table.column_names == [name]


@pytest.mark.parametrize("name", ["", "1a", "a.b", "a b", "x" * 33, "str5", "strL", "_all", "if", "double"])
def test_names_that_stata_does_not_know(name: str) -> None:
    with pytest.raises(BadInput, match=re.escape(f"{name!r} cannot be a name in Stata: up to 32 letters")):
        for_stata(clean({name: [1]}))


@pytest.mark.long
def test_so_many_columns_and_no_more() -> None:
    columns = {f"{j}": [1] for j in range(32_767)}
    with pytest.raises(BadInput, match="'0' cannot be a name in Stata"):  # their number is right
        for_stata(clean(columns))
    with pytest.raises(BadInput, match="32768 columns; a Stata file holds at most 32767: write Parquet or CSV"):
        for_stata(clean({**columns, "more": [1]}))


@pytest.mark.parametrize(
    ("kind", "most", "shown"), [(pa.float64(), 8.9e307, "8.9e+307"), (pa.float32(), 1.699999976e38, "1.7e+38")]
)
def test_numbers_beyond_those_of_stata_are_refused(kind: Any, most: float, shown: str) -> None:
    for sign in (1, -1):
        fits = clean({"x": pa.array([sign * most, 0.0, None], kind)})
        assert for_stata(fits).table == fits.table
        with pytest.raises(BadInput, match=re.escape(f"column 'x' holds numbers beyond {shown}, which Stata")):
            for_stata(clean({"x": pa.array([0.0, sign * most * 1.00001], kind)}))


def test_columns_of_gaps_fit() -> None:
    table = clean({"x": pa.array([None], pa.float64()), "n": pa.array([None], pa.int64())})
    assert for_stata(table).table == table.table


def test_what_stata_holds_differently_is_noted() -> None:
    noon = dt.datetime(2020, 7, 1, 12, tzinfo=dt.UTC)
    columns = {"b": [True, None], "t": ["a", None], "m": pa.array([noon, None], pa.timestamp("us", "Asia/Tokyo"))}
    table = for_stata(clean(columns))
    assert table.table.schema.types == [pa.int8(), pa.string(), pa.timestamp("us")]
    assert table.table.to_pydict() == {"b": [1, None], "t": ["a", None], "m": [noon.replace(tzinfo=None), None]}
    assert table.notes == (
        "true and false in 'b' were written as 1 and 0",
        (
            "missing text in 't' (1 cell) was written as empty text: Stata knows no difference, and many readers "
            "take it for a value"
        ),
        "moments in 'm' were written in UTC",
    )


@pytest.mark.parametrize("kind", [pa.timestamp("ns"), pa.time64("ns")])
def test_nanoseconds_do_not_come_back(tmp_path: Any, kind: Any) -> None:
    with pytest.raises(FileProblem, match="Stata cannot hold column 'm': its values would come back differently"):
        mv.write(pa.table({"m": pa.array([1001], kind)}), tmp_path / "out.dta", unprotected=True)


def test_values_that_stata_does_not_hold() -> None:
    with pytest.raises(BadInput, match="has both empty text and missing values, which Stata cannot tell apart"):
        for_stata(clean({"t": ["", None]}))
    with pytest.raises(BadInput, match=r"column 'n' holds whole numbers beyond 2\^53, which Stata cannot keep"):
        for_stata(clean({"n": [2**53 + 1]}))


def test_zero_characters_are_refused() -> None:
    with pytest.raises(BadInput, match="text in column 't' holds zero characters, which Stata cannot keep"):
        for_stata(clean({"t": ["a\0b", "c"]}))
