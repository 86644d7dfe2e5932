"""Search: numbers of identifiers and the key are found however they are written, and chance finds are none."""

from __future__ import annotations

import base64
import gzip
import io
import struct
import zipfile
import zlib

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.package.audit_files import Place, open_files
from microveil.package.audit_search import audit_search
from microveil.package.known import Known
from microveil.package.searched_numbers import long_numbers, numbers_standing_in
from tests.package.releases import KEY

IDS = [4_812_345_671 + 7_919 * i for i in range(40)]
CANARY = IDS[7]


def known(**more: object) -> Known:
    """An original with numbers that identify people, some of them short."""
    frame = pd.DataFrame({"id": IDS, "nr": range(40), "pay": [float(i % 7) for i in range(40)]})
    return Known(original=mv.Microdata(frame, roles={"id": "identifier", "nr": "identifier"}), **more)


def search(with_data, about: Known) -> str:
    """What the search says of a with_data."""
    place = Place.of(with_data)
    return "\n".join(map(str, audit_search(place, open_files(place)[0], about, ())))


@pytest.fixture
def with_data(tmp_path):
    pd.DataFrame({"pay": [float(i % 7) for i in range(40)]}).to_csv(tmp_path / "data.csv", index=False)
    return tmp_path


def test_what_was_searched_for_and_what_was_not_is_told(with_data):
    told = search(with_data, known())
    assert "holds: none of what was searched for stands in any file: 40 numbers of 7 digits or more" in told
    assert "and 40 values that no record has any more." in told
    assert "not checked: nr: numbers of fewer than 7 digits stand in any file, and were not searched for." in told
    assert "holds: no file holds a private log, a private key or an internal certificate." in told


def zipped(text: bytes) -> bytes:
    handle = io.BytesIO()
    with zipfile.ZipFile(handle, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.txt", text)
    return handle.getvalue()


@pytest.mark.parametrize(
    "raw",
    [
        f"<td>{CANARY}</td>".encode(),
        f"{CANARY}.0,".encode(),
        str(CANARY).encode("utf-16-le"),
        b"xyz" + struct.pack("<q", CANARY) + b"abc",
        b"x" + struct.pack("<d", CANARY),
        gzip.compress(f"id {CANARY}".encode()),
        zipped(f"id {CANARY}".encode()),
        b"%PDF-1.7\nstream\n" + zlib.compress(f"({CANARY})".encode()) + b"\nendstream",
        b'{"payload": "' + base64.b64encode(f"id {CANARY}".encode()) + b'"}',
    ],
    ids=["text", "decimals", "utf-16", "whole", "double", "gzip", "zip", "pdf", "envelope"],
)
def test_a_number_is_found_however_it_is_written(with_data, raw):
    (with_data / "more.bin").write_bytes(raw)
    assert "BROKEN: more.bin holds 1 word of the source that must not be in it." in search(with_data, known())


@pytest.mark.parametrize("text", [f"1{CANARY}", f"{CANARY}7", f"a{CANARY}", f"{CANARY}.25", f"0.{CANARY}", "4812345"])
def test_a_part_of_something_longer_is_no_find(with_data, text):
    (with_data / "more.bin").write_text(text)
    assert "must not be in it" not in search(with_data, known())


def test_numbers_that_cells_show_are_no_find_but_a_column_of_them_is(with_data):
    pays = [CANARY, *range(1_000, 1_039)]
    pd.DataFrame({"pay": pays}).to_csv(with_data / "data.csv", index=False)
    assert "BROKEN" not in search(with_data, known())
    pd.DataFrame({"pay": IDS}).to_csv(with_data / "data.csv", index=False)
    assert "BROKEN: data.csv: the column 'pay' holds numbers of an identifier." in search(with_data, known())


def test_random_bytes_hold_none_of_many_numbers():
    # 8 windows of each of a million places and 10,000 of 2**63 numbers: a find has a chance of 1e-9
    raw = np.arange(10**6, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    wanted = long_numbers(np.arange(10**10, 10**10 + 10**4))
    assert len(numbers_standing_in(raw.tobytes(), wanted)) == 0
    assert numbers_standing_in(raw.tobytes() + struct.pack("<q", 10**10 + 5), wanted).tolist() == [10**10 + 5]


LOG = {"key": KEY, "seal": "5ea1" * 16, "input": {"fingerprint": "f17e" * 16}}


@pytest.mark.parametrize(
    "raw",
    [
        KEY.encode(),
        KEY.upper().encode(),
        bytes.fromhex(KEY),
        base64.b64encode(bytes.fromhex(KEY)),
        str(int(KEY, 16)).encode(),
        KEY.encode("utf-16-le"),
        LOG["seal"].encode(),
        LOG["input"]["fingerprint"].encode(),
    ],
    ids=["hex", "upper", "bytes", "base64", "decimal", "utf-16", "seal", "fingerprint"],
)
def test_the_key_and_marks_of_the_log_are_found_in_any_form(with_data, raw):
    (with_data / "more.bin").write_bytes(b"<" + raw + b">")
    assert "BROKEN: more.bin holds 1 word of the source" in search(with_data, Known(log=LOG))
    (with_data / "more.bin").write_bytes(b"<" + KEY[:-1].encode() + b">")
    assert "BROKEN" not in search(with_data, Known(log=LOG))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"what": "private log of a microveil release: keep it"}', "a private log"),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\n", "a private key"),
        ('{"predicateType": "urn:microveil:internal:1"}', "an internal certificate"),
    ],
)
def test_what_stays_inside_is_found_by_anybody(with_data, text, what):
    (with_data / "more.json").write_text(text)
    assert f"BROKEN: more.json holds {what}, which stays inside." in search(with_data, Known())


def test_a_packed_file_in_a_packed_one_is_told(with_data):
    (with_data / "more.zip").write_bytes(zipped(gzip.compress(b"x")))
    assert "BROKEN: more.zip cannot be unpacked" in search(with_data, Known())


def test_the_name_of_the_source_is_no_end_of_another_name(with_data):
    source = with_data.parent / "a.csv"
    source.write_text("pay\n1\n")
    (with_data / "report.html").write_text("what stands in data.csv")
    assert "report.html" not in search(with_data, Known(source=source))
    (with_data / "report.html").write_text("made of a.csv")
    assert "BROKEN: report.html holds 1 word" in search(with_data, Known(source=source))


def test_the_source_itself_is_told_by_its_hash(with_data):
    source = with_data.parent / "survey.csv"
    source.write_text("pay\n1\n")
    (with_data / "report.html").write_text(mv.io.sha256_of(source))
    assert "BROKEN: report.html holds 1 word" in search(with_data, Known(source=source))
