"""Tamper cases about marks on records, and about words and numbers that must not be there."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pyreadstat

import microveil as mv
from tests.frozen._tampers.cases import KEY, audit, each, small_run

# -- marks on single records -----------------------------------------------------------------------------

PROJECT = """
version: 2
dataset: {path: raw.csv}
columns:
  age: {role: key, kind: nominal}
  ill: {role: confidential, kind: nominal}
  income: {role: confidential, kind: continuous}
scenarios:
- {name: keys, keys: [age], thresholds: {risk: 0.5}}
"""
ROWS = [
    (["[20, 40)", "[40, 60)"][place % 2], ["flu", "gout", "NA"][place % 3], f"{(place * 37) % 41 * 100}")
    for place in range(41)
]


def _lines(change: Callable[[int, list[str]], list[str]] = lambda _, cells: cells) -> str:
    rows = [change(place, [f'"{age}"', ill, income]) for place, (age, ill, income) in enumerate(ROWS)]
    return "\n".join(map(",".join, [["age", "ill", "income"], *rows])) + "\n"


def _stated(folder: Path, name: str) -> Any:
    (folder / "project.yaml").write_text(PROJECT)
    return audit(folder / name, project=folder / "project.yaml")


@each(
    "marks in text",
    [
        ("none", _lines()),
        ("quotes around all texts", _lines(lambda _, c: [c[0], c[1] if c[1] == "NA" else f'"{c[1]}"', c[2]])),
        ("numbers to the right", _lines(lambda _, c: [c[0], c[1], f"{c[2]:>6}"])),
        ("other ends of lines", _lines().replace("\n", "\r\n")),
        ("quotes", _lines(lambda place, c: [c[0], f'"{c[1]}"' if place % 6 == 3 else c[1], c[2]])),
        ("one quote", _lines(lambda place, c: [c[0], c[1], f'"{c[2]}"' if place == 7 else c[2]])),
        ("blanks", _lines(lambda place, c: [c[0], c[1], c[2] + " " * (place % 4 == 1)])),
        ("points", _lines(lambda place, c: [c[0], c[1], c[2] + "." * (place % 4 == 1)])),
        ("some ends of lines", _lines().replace("\n", "\r\n", 5)),
        ("sign of no width", _lines().replace("flu", "flu\u200b", 3)),
        ("blank behind", _lines().replace("flu", "flu ", 3)),
        ("soft hyphen", _lines().replace("flu", "f\u00adlu", 3)),
        ("wide letter", _lines().replace("flu", "ｆlu", 3)),
        ("two blanks", _lines().replace("flu", "a cold").replace("a cold", "a  cold", 3)),
        ("another blank", _lines().replace("flu", "a cold").replace("a cold", "a\u00a0cold", 3)),
    ],
)
def _(folder: Path, text: str) -> Any:
    (folder / "data.csv").write_bytes(text.encode())
    return _stated(folder, "data.csv")


def _numbers() -> pa.Table:
    income = pa.array([None if place % 5 == 0 else float(one) for place, (*_, one) in enumerate(ROWS)])
    return pa.table({"age": [age for age, *_ in ROWS], "ill": [ill for _, ill, _ in ROWS], "income": income})


def _with_income(values: Any, path: Path) -> None:
    pyarrow.parquet.write_table(_numbers().set_column(2, "income", pa.array(values)), path)


def _other_gaps(path: Path) -> None:
    incomes = _numbers()["income"].to_pylist()
    _with_income([float("nan") if one is None and place % 2 else one for place, one in enumerate(incomes)], path)


def _other_zeros(path: Path) -> None:
    values = [0.0 if place % 3 == 1 else one for place, one in enumerate(_numbers()["income"].to_pylist())]
    values[4] = -0.0
    _with_income(values, path)


def _other_bits(path: Path) -> None:
    values = np.array([np.nan if one is None else one for one in _numbers()["income"].to_pylist()])
    values.view(np.uint64)[::10] |= 7
    _with_income(values, path)


def _last_digits(path: Path) -> None:
    incomes = _numbers()["income"].to_pylist()
    _with_income([None if one is None else np.nextafter(one, 1e9) for one in incomes[:20]] + incomes[20:], path)


def _letters(path: Path) -> None:
    data = _numbers().to_pandas()
    data["income"] = data["income"].astype(object)
    data.loc[data["income"].isna() & (data.index % 2 == 1), "income"] = "a"
    pyreadstat.write_dta(data, path, missing_user_values={"income": ["a"]})


def _declared(path: Path) -> None:
    data = _numbers().to_pandas()
    gaps = data["income"].isna()
    data.loc[gaps, "income"] = 90_000.0 + np.arange(gaps.sum())
    pyreadstat.write_sav(data, path, missing_ranges={"income": [{"lo": 90_000, "hi": 99_999}]})


@each(
    "marks in gaps and zeros",
    [
        ("none, parquet", "data.parquet", lambda path: pyarrow.parquet.write_table(_numbers(), path)),
        ("none, dta", "data.dta", lambda path: pyreadstat.write_dta(_numbers().to_pandas(), path)),
        ("no number", "data.parquet", _other_gaps),
        ("zeros", "data.parquet", _other_zeros),
        ("bits", "data.parquet", _other_bits),
        ("last digits", "data.parquet", _last_digits),
        ("letters of Stata", "data.dta", _letters),
        ("declared missing", "data.sav", _declared),
    ],
)
def _(folder: Path, name: str, write: Callable[[Path], Any]) -> Any:
    write(folder / name)
    return _stated(folder, name)


_CELL = '<c r="C9" t="n"><v>1300</v></c>'


@each(
    "marks in a workbook",
    [
        ("none", _CELL, _CELL),
        ("attribute", _CELL, _CELL.replace(" t=", ' ph="1" t=')),
        ("zero at the end", _CELL, _CELL.replace("1300", "1300.0")),
        ("blank behind a cell", _CELL, _CELL + " "),
        ("thick row", '<row r="9"', '<row r="9" thickBot="1"'),
        ("gap as a cell", _CELL, '<c r="C9"/>'),
        ("letter by its number", "<t>gout</t></is></c>" + _CELL, "<t>&#103;out</t></is></c>" + _CELL),
        ("words beside a word", "gout</t>", 'gout</t><rPh sb="0" eb="1"><t>Jane</t></rPh>'),
    ],
)
def _(folder: Path, was: str, now: str) -> Any:
    book = openpyxl.Workbook()
    for row in (("age", "ill", "income"), *((age, ill, int(income)) for age, ill, income in ROWS)):
        book.active.append(row)
    book.active["C10"] = None
    book.save(folder / "plain.xlsx")
    with zipfile.ZipFile(folder / "plain.xlsx") as old, zipfile.ZipFile(folder / "data.xlsx", "w") as new:
        for part in old.namelist():
            raw = old.read(part).decode()
            new.writestr(part, raw.replace(was, now) if "sheet1" in part else raw)
    return _stated(folder, "data.xlsx")


# -- words and numbers that must not be there ------------------------------------------------------------

IDS = [4_812_345_671 + 7_919 * place for place in range(40)]
CANARY = IDS[7]


def _known_people(folder: Path) -> dict[str, Path]:
    """An original with numbers that identify people, some of them short, and the project that says so."""
    raw = pd.DataFrame({"id": IDS, "nr": range(40), "pay": [float(place % 7) for place in range(40)]})
    raw.to_csv(folder / "original.csv", index=False)
    text = "version: 2\ndataset: {path: original.csv}\ncolumns: {id: {role: identifier}, nr: {role: identifier}}\n"
    (folder / "project.yaml").write_text(text)
    (folder / "package").mkdir()
    raw[["pay"]].to_csv(folder / "package" / "data.csv", index=False)
    return {"original": folder / "original.csv", "project": folder / "project.yaml"}


def _zipped(text: bytes) -> bytes:
    handle = io.BytesIO()
    with zipfile.ZipFile(handle, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.txt", text)
    return handle.getvalue()


_NUMBERS: dict[str, bytes] = {
    "none": b"",
    "text": f"<td>{CANARY}</td>".encode(),
    "decimals": f"{CANARY}.0,".encode(),
    "utf-16": str(CANARY).encode("utf-16-le"),
    "whole": b"xyz" + struct.pack("<q", CANARY) + b"abc",
    "double": b"x" + struct.pack("<d", CANARY),
    "gzip": gzip.compress(f"id {CANARY}".encode(), mtime=0),
    "zip": _zipped(f"id {CANARY}".encode()),
    "pdf": b"%PDF-1.7\nstream\n" + zlib.compress(f"({CANARY})".encode()) + b"\nendstream",
    "envelope": b'{"payload": "' + base64.b64encode(f"id {CANARY}".encode()) + b'"}',
    **{
        f"part of {text}": text.encode()
        for text in (f"1{CANARY}", f"{CANARY}7", f"a{CANARY}", f"{CANARY}.25", f"0.{CANARY}", "4812345")
    },
    "packed in packed": _zipped(gzip.compress(b"x", mtime=0)),
    "private log": b'{"what": "private log of a microveil release: keep it"}',
    "private key": b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n",
    "internal certificate": b'{"predicateType": "urn:microveil:internal:1"}',
    "name of the source": b"made of original.csv",
    "end of another name": b"made of unoriginal.csv",
}


@each("search, number of an identifier", _NUMBERS.items())
def _(folder: Path, raw: bytes) -> Any:
    known = _known_people(folder)
    if raw:
        (folder / "package" / "more.bin").write_bytes(raw)
    return audit(folder / "package", **known)


@each("search, column", ["numbers that cells show", "numbers of an identifier", "hash of the source"])
def _(folder: Path, what: str) -> Any:
    known = _known_people(folder)
    if what == "hash of the source":
        import hashlib

        (folder / "package" / "report.html").write_text(hashlib.sha256(known["original"].read_bytes()).hexdigest())
    else:
        pays = IDS if "identifier" in what else [CANARY, *range(1_000, 1_039)]
        pd.DataFrame({"pay": pays}).to_csv(folder / "package" / "data.csv", index=False)
    return audit(folder / "package", **known)


@each(
    "search, key",
    [
        ("hex", KEY.encode()),
        ("upper", KEY.upper().encode()),
        ("bytes", bytes.fromhex(KEY)),
        ("base64", base64.b64encode(bytes.fromhex(KEY))),
        ("decimal", str(int(KEY, 16)).encode()),
        ("utf-16", KEY.encode("utf-16-le")),
        ("all but one sign", KEY[:-1].encode()),
        ("seal", None),
        ("fingerprint", None),
    ],
)
def _(folder: Path, raw: bytes | None) -> Any:
    run = small_run(folder)
    package = Path(shutil.copytree(run / "package", folder / "package"))
    log = mv.plan.load_log(run / "internal" / "log.json")
    marks = [str(log["seal"]).encode(), str(log["input"]["fingerprint"]).encode()]
    (package / "more.bin").write_bytes(b"<" + (raw or b"> <".join(marks)) + b">")
    return audit(package, log=run / "internal" / "log.json")


# -- papers beside the data ------------------------------------------------------------------------------

REGIONS = ["coast", "Saint Claire", "Île-de-Ré", "private", "north"]
_PACKED = base64.b64encode(b"the regions are Saint Claire and others, as the table says").decode()
_PAPERS: dict[str, tuple[str, bytes | str]] = {
    "plain": ("codebook.txt", "Regions\n  Saint Claire: 12 records\n"),
    "entity": ("report.html", "<p>Saint&nbsp;Claire, or &#73;&#108;e; S&#97;int Cl&#x61;ire</p>"),
    "torn by tags": ("report.html", "<td>Saint <b>Cla</b>ire</td>"),
    "comment": ("report.html", "<!-- <td>Saint Claire</td> -->"),
    "attribute": ("codebook.xml", "<a title='Saint Claire'/>"),
    "another letter": ("notes.md", "a trip to Île-de-Ré is nice"),
    "escape": ("more.json", '{"a": "\\u00cele-de-R\\u00e9"}'),
    "utf-16": ("notes.txt", "the island of Île-de-Ré".encode("utf-16")),
    "base64": ("report.html", f"<img src='data:text/plain;base64,{_PACKED}'>"),
    "packed": ("notes.gz", gzip.compress(b"from Saint Claire", mtime=0)),
    "a plain word alone": ("report.html", "<td>north</td>"),
    "a plain word in a list": ("notes.txt", "Regions: coast, north, and others"),
    "some amounts": ("README.txt", "amounts"),
    "an extreme": ("report.html", "<p>The largest is 98,765.43 per month.</p>"),
    "a plain word in a sentence": ("notes.txt", "Drive north until private roads begin.\n"),
    "a word of our forms": ("report.html", "<td>public</td><td>nominal</td>"),
    "what cells show": ("notes.txt", "coast\n"),
    "part of a longer word": ("notes.txt", "northern\nnorthern, privateer\n"),
    "another number": ("notes.txt", "98765.437 and 198765.43\n"),
    "another packing": ("more.7z", b"7z\xbc\xaf\x27\x1c\x00\x04"),
    "packed page": ("report.html", bz2.compress(b"north")),
    "latin letters": ("README.txt", "Île".encode("latin-1")),
    "pdf with attached files": ("report.pdf", b"EmbeddedFile"),
    "pdf with encrypted parts": ("report.pdf", b"Encrypt"),
}


@each("papers", [(name, *paper) for name, paper in _PAPERS.items()])
def _(folder: Path, name: str, contents: bytes | str) -> Any:
    rng = np.random.default_rng(4)
    pay = np.round(rng.gamma(2.0, 1300.0, 60), 2)
    pay[3] = 98765.43
    raw = pd.DataFrame({"region": [REGIONS[place % 5] for place in range(60)], "pay": pay})
    raw.to_csv(folder / "original.csv", index=False)
    (folder / "package").mkdir()
    kept = pd.DataFrame({"region": ["coast"] * 60, "pay": np.round(np.minimum(pay[rng.permutation(60)], 5000.0), 0)})
    kept.to_csv(folder / "package" / "data.csv", index=False)
    if contents == "amounts":
        contents = "\n".join(map(str, pay))
    if name == "report.pdf":
        mark = {b"EmbeddedFile": b"/Type /EmbeddedFile", b"Encrypt": b"/Encrypt 3 0 R"}[contents]  # type: ignore[index]
        packed = zlib.compress(b"<< " + mark + b" >>")
        contents = b"%PDF-1.7\n1 0 obj\n<<>>\nstream\n" + packed + b"\nendstream\nendobj\n%%EOF\n"
    (folder / "package" / name).write_bytes(contents.encode() if isinstance(contents, str) else contents)
    return audit(folder / "package", original=folder / "original.csv")
