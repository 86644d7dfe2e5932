"""Tamper cases about what stands in files beside their cells, in every format."""

from __future__ import annotations

import gzip
import io
import re
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pyreadstat
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import PatternFill
from openpyxl.workbook.defined_name import DefinedName

import microveil as mv
from tests.frozen._tampers.cases import audit, each, frame, released

Change = Callable[[bytes], bytes]


# -- files that microveil writes -------------------------------------------------------------------------


@each("file as it is written", ["csv", "csv.gz", "parquet", "feather", "sav", "zsav", "dta", "xlsx"])
def _(folder: Path, ending: str) -> Any:
    mv.write(released(), folder / f"data.{ending}", reproducible=True)
    return audit(folder / f"data.{ending}")


# -- workbooks -------------------------------------------------------------------------------------------


def _list_of_values(book: Any) -> None:
    rule = openpyxl.worksheet.datavalidation.DataValidation(type="list", formula1='"north,canary"')
    book.active.add_data_validation(rule)
    rule.add("A2")


def _cell(name: str, value: Any) -> Callable[[Any], None]:
    return lambda book: book.active.__setitem__(name, value)


_BOOKS: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda book: None,
    "defined name": lambda book: book.defined_names.update(secret=DefinedName("secret", attr_text="'x'!$A$1")),
    "header": lambda book: setattr(book.active.oddHeader.left, "text", "from the payroll"),
    "list of values": _list_of_values,
    "link": lambda book: setattr(book.active["A2"], "hyperlink", "file://server/payroll.xlsx"),
    "hidden sheet": lambda book: setattr(book.create_sheet("staff"), "sheet_state", "hidden"),
    "very hidden sheet": lambda book: setattr(book.create_sheet("staff"), "sheet_state", "veryHidden"),
    "formula": _cell("B3", "=1+1"),
    "comment": lambda book: setattr(book.active["B3"], "comment", openpyxl.comments.Comment("Jane", "Jane")),
    "hidden column": lambda book: setattr(book.active.column_dimensions["B"], "hidden", True),
    "hidden row": lambda book: setattr(book.active.row_dimensions[5], "hidden", True),
    "author": lambda book: setattr(book.properties, "lastModifiedBy", "Jane"),
    "format of a cell": lambda book: setattr(book.active["B5"], "number_format", '"Zyx Quor"0'),
    "fill of a cell": lambda book: setattr(book.active["A7"], "fill", PatternFill("solid", fgColor="FF0000")),
    "height of a row": lambda book: setattr(book.active.row_dimensions[9], "height", 33),
    "words formatted by themselves": _cell("A7", CellRichText(TextBlock(InlineFont(b=True), "flu"))),
}


@each("workbook", _BOOKS.items())
def _(folder: Path, change: Callable[[Any], Any]) -> Any:
    frame().to_excel(folder / "data.xlsx", index=False)
    book = openpyxl.load_workbook(folder / "data.xlsx")
    change(book)
    book.properties.creator = None
    book.save(folder / "data.xlsx")
    return audit(folder)


def _rezip(path: Path, more: dict[str, bytes], comment: bytes = b"", change: Any = lambda name, raw: raw) -> None:
    handle = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(handle, "w") as new:
        for name in sorted(set(old.namelist()) - set(more)):
            new.writestr(name, change(name, old.read(name)))
        for name, raw in more.items():
            new.writestr(name, raw)
        new.comment = comment
    path.write_bytes(handle.getvalue())


@each(
    "workbook, further part",
    [
        "xl/pivotCache/pivotCacheRecords1.xml",
        "xl/worksheets/sheet2.xml",
        "xl/theme/theme2.xml",
        "xl/externalLinks/externalLink1.xml",
        "xl/vbaProject.bin",
        "docProps/custom.xml",
        "xl/printerSettings/printerSettings1.bin",
        "customXml/item1.xml",
        "xl/comments1.xml",
        "canary.txt",
    ],
)
def _(folder: Path, part: str) -> Any:
    mv.write(released(), folder / "data.xlsx", reproducible=True)
    _rezip(folder / "data.xlsx", {part: b"<x/>"})
    return audit(folder)


@each(
    "workbook, packing",
    ["comment", "remark", "bytes between parts", "fields of parts", "part twice", "text of no cell"],
)
def _(folder: Path, what: str) -> Any:
    path = folder / "data.xlsx"
    mv.write(released(), path, reproducible=True)
    if what == "comment":
        _rezip(path, {}, b"made by Jane")
    elif what == "remark":
        _rezip(path, {}, change=lambda name, raw: raw + b"<!-- row 7 is Jane -->" if "sheet1" in name else raw)
    elif what == "bytes between parts":
        raw = path.read_bytes()
        end = raw.rindex(b"PK\5\6")
        (start,) = struct.unpack_from("<I", raw, end + 16)
        moved = raw[end : end + 16] + struct.pack("<I", start + 4) + raw[end + 20 :]
        path.write_bytes(raw[:start] + b"Jane" + raw[start:end] + moved)
    elif what == "fields of parts":
        kept = path.read_bytes()
        with zipfile.ZipFile(io.BytesIO(kept)) as old, zipfile.ZipFile(path, "w") as new:
            for part in old.namelist():
                named = zipfile.ZipInfo(part)
                named.extra = struct.pack("<2H4s", 0x9999, 4, b"Jane")
                new.writestr(named, old.read(part))
    elif what == "part twice":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with zipfile.ZipFile(path, "a") as new:
                new.writestr("xl/styles.xml", new.read("xl/styles.xml"))
    else:
        _share_a_text(path)
    return audit(folder)


def _share_a_text(path: Path) -> None:
    """A workbook with a text that no cell shows."""
    book = openpyxl.Workbook()
    for row in [("sex", "pay"), *[(place % 2, (37 * place * place) % 101) for place in range(30)]]:
        book.active.append(row)
    book.properties.creator = None
    book.save(path)
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    listed = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s"/></Types>' % kind

    def share(name: str, raw: bytes) -> bytes:
        if name == "[Content_Types].xml" and kind not in raw:
            return raw.replace(b"</Types>", listed)
        return re.sub(rb'<c r="A1" [^>]*>.*?</c>', b'<c r="A1" t="s"><v>0</v></c>', raw) if "sheet1" in name else raw

    kept = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>sex</t></si>%s</sst>'
    _rezip(path, {"xl/sharedStrings.xml": kept % b"<si><t>canary</t></si>"}, change=share)


# -- text files and packing ------------------------------------------------------------------------------


@each(
    "text file, comment",
    [
        (f"{comment[:2]} {where} {ending}", ending, comment, where)
        for ending in ("csv", "csv.gz")
        for comment in ("# from the payroll of 2026\n", "// from the payroll\n")
        for where in ("first", "last")
    ],
)
def _(folder: Path, ending: str, comment: str, where: str) -> Any:
    text = frame().to_csv(index=False)
    raw = (comment + text if where == "first" else text + comment).encode()
    (folder / f"data.{ending}").write_bytes(gzip.compress(raw, mtime=0) if ending.endswith("gz") else raw)
    return audit(folder)


@each("text file", ["plain", "index", "sorted", "formulas", "cells like comments", "bomb", "README"])
def _(folder: Path, what: str) -> Any:
    data = frame()
    if what == "sorted":
        data = data.sort_values("pay", ascending=False)
    elif what == "formulas":
        data = data.assign(text=["=cmd()", "b"] * 20)
    elif what == "cells like comments":
        data = data.assign(text=["#1", "b"] * 20)[["text", "sex", "pay"]]
    data.to_csv(folder / "data.csv", **({"index_label": "nr"} if what == "index" else {"index": False}))
    if what == "README":
        (folder / "README.txt").write_text("To whom it may concern:\nread it.\n")
    if what == "bomb":
        inner = gzip.compress(b"x\n" + b"1\n" * 100_000, mtime=0)
        (folder / "more.csv.gz").write_bytes(gzip.compress(inner, mtime=0))
    return audit(folder, words=["canary"])


@each("packed text file", ["name of another file", "own name", "comment in the head"])
def _(folder: Path, what: str) -> Any:
    path, text = folder / "data.csv.gz", frame().to_csv(index=False).encode()
    if what == "comment in the head":
        body = gzip.compress(text, mtime=0)
        path.write_bytes(body[:3] + bytes([16]) + body[4:10] + b"by Jane\0" + body[10:])
        return audit(folder)
    name = "data.csv" if what == "own name" else "payroll-2026.csv"
    with path.open("wb") as raw, gzip.GzipFile(name, "wb", fileobj=raw, mtime=0) as packed:
        packed.write(text)
    return audit(folder)


# -- Parquet and Feather ---------------------------------------------------------------------------------


def _table(rows: int = 40) -> pa.Table:
    data = frame(rows).assign(town=["a", "b", "b", "a"] * (rows // 4))[["sex", "town", "pay"]]
    return pa.Table.from_pandas(data, preserve_index=False).replace_schema_metadata(None)


def _hidden(name: str) -> pa.Table:
    """Missing cells below which values stand."""
    column = _table()[name].combine_chunks()
    mask = pa.array([place % 3 > 0 for place in range(40)])
    hidden = pa.Array.from_buffers(column.type, 40, [mask.buffers()[1], *column.buffers()[1:]])
    return pa.table({name: hidden, "x": _table()["pay"]})


def _wider() -> pa.Table:
    towns = pa.array(_table()["town"].to_pylist(), pa.string())
    _, places, texts = towns.buffers()
    wider = pa.StringArray.from_buffers(40, places, pa.py_buffer(texts.to_pybytes() + b"Jane Doe"))
    return pa.table({"town": wider, "pay": _table()["pay"]})


def _with_field() -> pa.Table:
    table = _table()
    place = table.column_names.index("pay")
    return table.cast(table.schema.set(place, table.schema.field("pay").with_metadata({"from": "payroll"})))


_TABLES: dict[str, Callable[[], pa.Table]] = {
    "plain": _table,
    "pandas": lambda: pa.Table.from_pandas(frame()),
    "metadata": lambda: _table().replace_schema_metadata({"source": "payroll"}),
    "metadata of a column": _with_field,
    "categories of no record": lambda: pa.table(
        {"region": pa.DictionaryArray.from_arrays([0, 1] * 20, ["north", "south", "canary"])}
    ),
    "values under gaps of texts": lambda: _hidden("town"),
    "values under gaps of numbers": lambda: _hidden("pay"),
    "bytes beside cells": _wider,
}


@each(
    "table",
    [(f"{name}, {ending}", make, ending) for name, make in _TABLES.items() for ending in ("parquet", "feather", "lz4")],
)
def _(folder: Path, make: Callable[[], pa.Table], ending: str) -> Any:
    if ending == "parquet":
        pyarrow.parquet.write_table(make(), folder / "data.parquet")
    else:
        packing = "lz4" if ending == "lz4" else "uncompressed"
        pyarrow.feather.write_feather(make(), folder / "data.feather", compression=packing)
    return audit(folder)


@each("Parquet, bytes", ["between pages", "who wrote it", "list below a plain column"])
def _(folder: Path, what: str) -> Any:
    path = folder / "data.parquet"
    if what.startswith("list"):
        listed = pa.DictionaryArray.from_arrays([0, 1] * 20, ["a", "b", "canary"])
        pyarrow.parquet.write_table(pa.table({"town": listed}), path, store_schema=False)
        return audit(folder)
    pyarrow.parquet.write_table(_table(), path)
    raw = path.read_bytes()
    size = int.from_bytes(raw[-8:-4], "little")
    between = raw[: -8 - size] + b"Jane Doe, 4,711 a month" + raw[-8 - size :]
    path.write_bytes(between if what == "between pages" else raw.replace(b"parquet-cpp-arrow", b"jane-doe-of-berne"))
    return audit(folder)


@each("Feather, batches", ["metadata of their own"])
def _(folder: Path, what: str) -> Any:
    with pa.ipc.new_file(str(folder / "data.feather"), _table().schema) as writer:
        writer.write_batch(_table().to_batches()[0], custom_metadata={"source": "secret-survey"})
    return audit(folder)


# -- SPSS and Stata --------------------------------------------------------------------------------------

_END = struct.pack("<ii", 999, 0)


def _record(kind: int, text: bytes) -> bytes:
    return struct.pack("<iiii", 7, kind, 1, len(text)) + text


@each(
    "SPSS, record",
    [
        ("none", b""),
        ("multiple responses", _record(7, b"$jobs=C 4 Jane 2 v1 v2\n")),
        ("further multiple responses", _record(19, b"$jobs=E 1 1 1 4 Jane 2 v1 v2\n")),
        ("sets of variables", _record(5, b"staff=Jane Doe\n")),
        ("words on the program", _record(10, b"written for Jane Doe")),
        ("description in XML", _record(24, b"<xml>Jane</xml>")),
        ("unknown type", _record(77, b"Jane Doe")),
        ("attributes of the file", _record(17, b"owner('Jane Doe'\n)")),
        ("attributes of a column", _record(18, b"sex:$@Role('0'\n)/town:owner('Jane'\n)")),
        ("role of a column", _record(18, b"sex:$@Role('0'\n)")),
        ("documents", struct.pack("<ii", 6, 1) + b"from the register of Berne".ljust(80)),
    ],
)
def _(folder: Path, record: bytes) -> Any:
    path = folder / "data.sav"
    labels = {"sex": {1: "men", 2: "women"}}
    data = frame().assign(town=["a", "b"] * 20)
    pyreadstat.write_sav(data, str(path), variable_value_labels=labels, column_labels=["", "", "the town"])
    path.write_bytes(path.read_bytes().replace(_END, record + _END))
    return audit(folder)


@each(
    "labels and notes",
    [
        (f"{what}, {ending}", ending, what)
        for ending in ("sav", "zsav", "dta")
        for what in ("plain", "label of the file", "codes of no record")
    ],
)
def _(folder: Path, ending: str, what: str) -> Any:
    settings: dict[str, Any] = {"compress": True} if ending == "zsav" else {}
    if what == "label of the file":
        settings["file_label"] = "payroll"
    elif what.startswith("codes"):
        settings["variable_value_labels"] = {"sex": {1: "men", 2: "women", 9: "canary"}}
    write = pyreadstat.write_dta if ending == "dta" else pyreadstat.write_sav
    write(frame(), str(folder / f"data.{ending}"), **settings)
    return audit(folder)


def _behind(mark: bytes, shift: int, more: bytes) -> Change:
    def change(raw: bytes) -> bytes:
        place = raw.index(mark) + len(mark) + shift
        return raw[:place] + more + raw[place + len(more) :]

    return change


def _note(raw: bytes) -> bytes:
    note = b"<ch>" + struct.pack("<I", 264) + b"_dta".ljust(129, b"\0") + b"note1".ljust(129, b"\0") + b"canary</ch>"
    head, tail = raw.split(b"<characteristics>")
    place = head.index(b"<map>") + 5
    marks = [mark + len(note) * (mark > len(head)) for mark in struct.unpack_from("<14q", head, place)]
    return head[:place] + struct.pack("<14q", *marks) + head[place + 112 :] + b"<characteristics>" + note + tail


def _older_note(raw: bytes) -> bytes:
    place = 109 + 2 * (1 + 33 + 2 + 49 + 33 + 81) + 2
    said = b"_dta".ljust(33, b"\0") + b"note1".ljust(33, b"\0") + b"Jane Doe of Berne\0"
    return raw[:place] + b"\x01" + struct.pack("<i", len(said)) + said + raw[place:]


@each(
    "statistical file, bytes",
    [
        ("plain, dta", "dta", lambda raw: raw),
        ("plain, sav", "sav", lambda raw: raw),
        ("names of columns, dta", "dta", _behind(b"<varnames>", 6, b"Jane")),
        ("texts, dta", "dta", _behind(b"<data>", 3, b"Jane")),
        ("gaps, dta", "dta", _behind(struct.pack("<Q", 0x7FE0 << 48), -8, b"Jane")),
        ("formats, dta", "dta", _behind(b"<formats>", 10, b"Jane")),
        ("behind the end, dta", "dta", lambda raw: raw + b"Jane Doe,4711\n"),
        ("note, dta", "dta", _note),
        ("note, older dta", "dta114", _older_note),
        ("plain, older dta", "dta114", lambda raw: raw),
        ("behind the end, sav", "sav", lambda raw: raw + b"Jane"),
        ("behind the end, zsav", "zsav", lambda raw: raw + b"Jane"),
        ("head, sav", "sav", _behind(b"$FL2", 169, b"Jan")),
        ("who wrote it, sav", "sav", lambda raw: raw[:4] + b"@(#) Jane Doe, Main Street 4".ljust(60) + raw[64:]),
    ],
)
def _(folder: Path, ending: str, change: Change) -> Any:
    table = pd.DataFrame({"name": ["a", "bcdefghi"] * 20, "rate": [None, 0.5, 1.5, 2.5] * 10})
    path = folder / f"data.{ending[:3] if ending.startswith('dta') else ending}"
    if ending == "dta114":
        frame().to_stata(path, version=114, write_index=False)
    elif ending == "dta":
        table.to_stata(path, version=118, write_index=False)
    else:
        pyreadstat.write_sav(table, str(path), compress=ending == "zsav")
    path.write_bytes(change(path.read_bytes()))
    return audit(folder)


# -- files of one package beside one another ---------------------------------------------------------------


@each(
    "files beside one another",
    [
        (f"{what}, {ending}", ending, what)
        for ending in ("sav", "dta", "xlsx", "parquet", "feather")
        for what in ("the same", "another truth value", "another number", "other reader's names")
    ],
)
def _(folder: Path, ending: str, what: str) -> Any:
    names = (
        ('a "b" c', "d, e") if what.startswith("other") and ending in ("xlsx", "parquet", "feather") else ("ill", "x")
    )
    ill, amounts = [True, False, None, True], [2752.0825, None, 0.1, 3]
    first = pa.table({"n": [1, 2, 3, 4], names[0]: ill, names[1]: pa.array(amounts, pa.float32())})
    if what == "another truth value":
        ill = [False, *ill[1:]]
    if what == "another number":
        amounts = [2752.0825, None, 0.1 + 1e-7, 3]
    second = pa.table({"n": [1, 2, 3, 4], names[0]: ill, names[1]: pa.array(amounts, pa.float32())})
    for table, name in ((first, "data.csv"), (second, f"data.{ending}")):
        mv.write(mv.Microdata(table), folder / name, shuffle=False, unprotected=True)
    return audit(folder)
