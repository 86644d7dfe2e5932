"""Containers: what workbooks, packings, labels and lines hold beside cells is named, each by a planted fault."""

from __future__ import annotations

import gzip
import io
import re
import shutil
import struct
import zipfile

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pyreadstat
import pytest
from openpyxl.workbook.defined_name import DefinedName

import microveil as mv
from microveil.package import audit
from tests.package.releases import released


def frame() -> pd.DataFrame:
    """Records in an order that says nothing."""
    return pd.DataFrame({"sex": [1, 2, 2, 1] * 10, "pay": [(37 * i * i + 11) % 101 + 0.5 for i in range(40)]})


def traces(path) -> str:
    """What an audit of one file holds against what it tells beside its cells."""
    found = audit(path).findings
    return "\n".join(str(one) for one in found if one.check in ("traces", "files") and one.state == "broken")


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "feather", "sav", "zsav", "dta", "xlsx"])
def test_what_this_package_writes_holds_nothing_beside_its_cells(tmp_path, ending):
    path = tmp_path / f"data.{ending}"
    mv.write(released(), path)
    assert traces(path) == ""


# -- workbooks -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sound_book(tmp_path_factory):
    path = tmp_path_factory.mktemp("sound") / "data.xlsx"
    mv.write(released(), path)
    assert traces(path) == ""
    return path


@pytest.fixture
def book(sound_book, tmp_path):
    return shutil.copy(sound_book, tmp_path / "data.xlsx")


def change_book(path, change) -> str:
    opened = openpyxl.load_workbook(path)
    change(opened)
    opened.properties.creator = None
    opened.save(path)
    return traces(path)


def add_name(opened) -> None:
    opened.defined_names["secret"] = DefinedName("secret", attr_text="'x'!$A$1")


def add_header(opened) -> None:
    opened.active.oddHeader.left.text = "from the payroll"


def add_list(opened) -> None:
    rule = openpyxl.worksheet.datavalidation.DataValidation(type="list", formula1='"north,canary"')
    opened.active.add_data_validation(rule)
    rule.add("A2")


def add_link(opened) -> None:
    opened.active["A2"].hyperlink = "file://server/payroll.xlsx"


def hide_very_well(opened) -> None:
    opened.create_sheet("staff").sheet_state = "veryHidden"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (add_name, "it defines names"),
        (add_header, "its sheet has headerFooter"),
        (add_list, "its sheet has dataValidations"),
        (add_link, "its sheet has hyperlinks"),
        (hide_very_well, "it has 2 sheets, of which 1 is hidden"),
    ],
)
def test_what_a_workbook_says_beside_its_cells_is_named(book, change, told):
    assert told in change_book(book, change)


def rezip(path, more: dict[str, bytes], comment: bytes = b"", change=lambda name, raw: raw) -> None:
    """The same workbook with further parts."""
    handle = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(handle, "w") as new:
        for name in sorted(set(old.namelist()) - set(more)):
            new.writestr(name, change(name, old.read(name)))
        for name, raw in more.items():
            new.writestr(name, raw)
        new.comment = comment
    path.write_bytes(handle.getvalue())


@pytest.mark.parametrize(
    "part",
    [
        "xl/pivotCache/pivotCacheRecords1.xml",
        "xl/worksheets/sheet2.xml",
        "docProps/custom.xml",
        "canary.txt",
    ],
)
def test_a_part_that_no_sheet_needs_is_named(book, part):
    rezip(book, {part: b"<x/>"})
    assert f"it holds {part}" in traces(book)


def test_comments_and_bytes_of_the_packing_are_named(book):
    rezip(book, {}, b"made by Jane")
    assert "its packing holds a comment" in traces(book)


def test_texts_that_no_cell_shows_are_named(tmp_path):
    path = tmp_path / "data.xlsx"
    opened = openpyxl.Workbook()
    for row in [("sex", "pay"), *[(i % 2, (37 * i * i) % 101) for i in range(30)]]:
        opened.active.append(row)
    opened.properties.creator = None
    opened.save(path)
    assert traces(path) == ""

    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    listed = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s"/></Types>' % kind

    def share(name: str, raw: bytes) -> bytes:
        """The name of the first column as the first text that cells share."""
        if name == "[Content_Types].xml" and kind not in raw:
            return raw.replace(b"</Types>", listed)
        return re.sub(rb'<c r="A1" [^>]*>.*?</c>', b'<c r="A1" t="s"><v>0</v></c>', raw) if "sheet1" in name else raw

    kept = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>sex</t></si>%s</sst>'
    rezip(path, {"xl/sharedStrings.xml": kept % b""}, change=share)
    assert traces(path) == ""
    rezip(path, {"xl/sharedStrings.xml": kept % b"<si><t>canary</t></si>"}, change=share)
    assert "it keeps texts that no cell shows" in traces(path)


def test_remarks_in_the_parts_of_a_workbook_are_found(book):
    rezip(book, {}, change=lambda name, raw: raw + b"<!-- row 7 is Jane -->" if "sheet1" in name else raw)
    assert "remarks that no program shows stand in xl/worksheets/sheet1.xml" in traces(book)


# -- text files and packing ------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
@pytest.mark.parametrize("comment", ["# from the payroll of 2026\n", "// from the payroll\n"])
def test_comment_lines_are_named(tmp_path, ending, comment):
    text = frame().to_csv(index=False)
    for with_comment in (text + comment, comment + text):
        raw = with_comment.encode()
        (tmp_path / f"data.{ending}").write_bytes(gzip.compress(raw, mtime=0) if ending.endswith("gz") else raw)
        told = traces(tmp_path / f"data.{ending}")
        assert "comments" in told or "cannot be read" in told


def test_texts_that_look_like_comments_are_cells(tmp_path):
    frame().assign(text=["#1", "b"] * 20)[["text", "sex", "pay"]].to_csv(tmp_path / "data.csv", index=False)
    assert traces(tmp_path / "data.csv") == ""


def test_names_in_the_header_of_a_packing_are_named(tmp_path):
    path = tmp_path / "data.csv.gz"
    for name, told in (("payroll-2026.csv", "names 'payroll-2026.csv'"), ("data.csv", "")):
        with path.open("wb") as raw, gzip.GzipFile(name, "wb", fileobj=raw, mtime=0) as packed:
            packed.write(frame().to_csv(index=False).encode())
        assert told in traces(path)
        assert bool(traces(path)) == bool(told)
    body = gzip.compress(frame().to_csv(index=False).encode(), mtime=0)
    path.write_bytes(body[:3] + bytes([16]) + body[4:10] + b"by Jane\0" + body[10:])
    assert "the header of its packing holds a comment" in traces(path)


# -- frames and statistical packages ---------------------------------------------------------------


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_metadata_of_files_and_columns_are_named(tmp_path, ending):
    write = pyarrow.parquet.write_table if ending == "parquet" else pyarrow.feather.write_feather
    table = pa.Table.from_pandas(frame(), preserve_index=False).replace_schema_metadata(None)
    path = tmp_path / f"data.{ending}"
    write(table, path)
    assert traces(path) == ""
    write(table.replace_schema_metadata({"source": "payroll"}), path)
    assert "its metadata hold source" in traces(path)
    field = table.schema.field("pay").with_metadata({"from": "payroll"})
    write(table.cast(table.schema.set(1, field)), path)
    assert "the columns pay have metadata of their own" in traces(path)


@pytest.mark.parametrize("ending", ["sav", pytest.param("zsav", marks=pytest.mark.full), "dta"])
def test_labels_and_notes_of_statistical_packages_are_named(tmp_path, ending):
    path = tmp_path / f"data.{ending}"
    if ending == "dta":
        pyreadstat.write_dta(frame(), str(path))
        assert traces(path) == ""
        pyreadstat.write_dta(frame(), str(path), file_label="payroll")
    else:
        pyreadstat.write_sav(frame(), str(path), compress=ending == "zsav")
        assert traces(path) == ""
        pyreadstat.write_sav(frame(), str(path), file_label="payroll", compress=ending == "zsav")
    assert "notes or a label of the file" in traces(path)
    labels = {"sex": {1: "men", 2: "women", 9: "canary"}}
    write = pyreadstat.write_dta if ending == "dta" else pyreadstat.write_sav
    write(frame(), str(path), variable_value_labels=labels)
    assert "the column 'sex' has labels of codes that no record has" in traces(path)


def test_notes_of_stata_are_named(tmp_path):
    path = tmp_path / "data.dta"
    pyreadstat.write_dta(frame(), str(path), version=14)
    raw = path.read_bytes()
    note = (
        b"<ch>" + struct.pack("<I", 264) + b"_dta".ljust(129, b"\0") + b"note1".ljust(129, b"\0") + b"canary" + b"</ch>"
    )
    head, tail = raw.split(b"<characteristics>")
    place = re.search(rb"<map>", head).end()
    marks = [mark + len(note) * (mark > len(head)) for mark in struct.unpack_from("<14q", head, place)]
    head = head[:place] + struct.pack("<14q", *marks) + head[place + 112 :]
    path.write_bytes(head + b"<characteristics>" + note + tail)
    assert "notes or a label of the file" in traces(path)


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [(17, b"source('payroll'\n)", True), (18, b"pay:from('payroll'\n)", True), (18, b"sex:$@Role('0'\n)", False)],
)
def test_attributes_of_spss_are_named(tmp_path, kind, text, told):
    path = tmp_path / "data.sav"
    pyreadstat.write_sav(frame(), str(path))
    raw = path.read_bytes()
    place = raw.index(struct.pack("<ii", 999, 0))  # where the dictionary ends
    path.write_bytes(raw[:place] + struct.pack("<iiii", 7, kind, 1, len(text)) + text + raw[place:])
    assert ("attributes of its own" in traces(path)) == told
    assert "cannot be read" not in traces(path)


def behind(mark: bytes, shift: int, more: bytes):
    """Other bytes where nobody looks, so far behind a mark."""

    def change(raw: bytes) -> bytes:
        place = raw.index(mark) + len(mark) + shift
        return raw[:place] + more + raw[place + len(more) :]

    return change


@pytest.mark.parametrize(
    ("ending", "change", "told"),
    [
        ("dta", behind(b"<varnames>", 6, b"Jane"), "behind the ends of the names of its columns"),
        ("dta", behind(b"<data>", 3, b"Jane"), "behind the ends of texts of 'name'"),
        ("dta", behind(struct.pack("<Q", 0x7FE0 << 48), -8, b"Jane"), "missing cells of 'rate' hold numbers"),
        ("dta", behind(b"<formats>", 10, b"Jane"), "behind the ends of the formats of its columns"),
        ("sav", lambda raw: raw + b"Jane", "bytes stand behind its data"),
        ("zsav", lambda raw: raw + b"Jane", "bytes stand behind its data"),
        ("sav", behind(b"$FL2", 169, b"Jan"), "its head holds bytes that no reader looks at"),
    ],
)
def test_bytes_that_no_reader_of_statistics_shows_are_found(tmp_path, ending, change, told):
    path = tmp_path / f"data.{ending}"
    table = pd.DataFrame({"name": ["a", "bcdefghi"] * 20, "rate": [None, 0.5, 1.5, 2.5] * 10})
    if ending == "dta":
        table.to_stata(path, version=118, write_index=False)
    else:
        pyreadstat.write_sav(table, str(path), compress=ending == "zsav")
    assert traces(path) == ""
    path.write_bytes(change(path.read_bytes()))
    assert told in traces(path)


def test_bytes_between_parts_of_a_workbook_are_found(book):
    raw = book.read_bytes()
    end = raw.rindex(b"PK\5\6")
    (start,) = struct.unpack_from("<I", raw, end + 16)
    moved = raw[end : end + 16] + struct.pack("<I", start + 4) + raw[end + 20 :]
    book.write_bytes(raw[:start] + b"Jane" + raw[start:end] + moved)
    assert "bytes stand between the parts of its packing" in traces(book)


def test_fields_and_names_of_parts_of_a_workbook_are_looked_at(book):
    kept = book.read_bytes()
    with zipfile.ZipFile(io.BytesIO(kept)) as old, zipfile.ZipFile(book, "w") as new:
        for part in old.namelist():
            named = zipfile.ZipInfo(part)
            named.extra = struct.pack("<2H4s", 0x9999, 4, b"Jane")
            new.writestr(named, old.read(part))
    assert "parts of its packing have fields of their own" in traces(book)
    book.write_bytes(kept)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(book, "a") as new:
        new.writestr("xl/styles.xml", new.read("xl/styles.xml"))
    assert "its packing holds several parts of one name" in traces(book)
