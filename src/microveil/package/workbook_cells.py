"""How the cells of a workbook are stored: what reads the same and stands there in other ways can mark records."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import pyarrow as pa

from microveil.package.number_forms import odd_forms

_ROW = re.compile(rb"<(?:\w+:)?row\b([^>]*?)(?:/>|>(.*?)</(?:\w+:)?row>)", re.DOTALL)
_CELL = re.compile(rb"<(?:\w+:)?c\b([^>]*?)(?:/>|>(.*?)</(?:\w+:)?c>)", re.DOTALL)
_DATA = re.compile(rb"<(?:\w+:)?sheetData\b[^>]*>(.*)</(?:\w+:)?sheetData>", re.DOTALL)
_ATTRIBUTE = re.compile(rb"([\w:]+)\s*=\s*(\"[^\"]*\"|'[^']*')")
_COLUMN, _VALUE = re.compile(rb"[A-Z]+"), re.compile(rb"<(?:\w+:)?v\b[^>]*>([^<]*)</")
_BETWEEN = re.compile(rb">[^<]*(?=<|$)")
_KEPT_BLANKS = re.compile(rb"\s+xml:space\s*=\s*[\"']preserve[\"']")  # which texts with blanks at their ends need
_BLANK_ENDS = re.compile(rb">\s|\s<|\n|\s\s")
_BY_NUMBER = re.compile(rb"&#(x[0-9a-fA-F]+|[0-9]+);")
_RUN = re.compile(rb"<(?:\w+:)?r\b")  # words with a format of their own
_TEXTS = (b"s", b"inlineStr", b"str")
# places, what Excel finds out by itself, and what is looked at as formats
_OF_ROW = (b"r", b"spans", b"ht", b"s", b"customHeight", b"customFormat", b"hidden", b"x14ac:dyDescent")
_ITEM = re.compile(rb"<(?:\w+:)?si\b[^>]*?(?:/>|>(.*?)</(?:\w+:)?si>)", re.DOTALL)


def look_at_cells(sheet: bytes, shared: bytes) -> Iterator[str]:
    """Cells of one column and kind that are stored in several ways, rows too, and texts that stand there twice."""
    body = _DATA.search(sheet)
    if body is None:
        return
    forms: dict[tuple[bytes, str], set[bytes]] = defaultdict(set)
    numbers: dict[bytes, list[str]] = defaultdict(list)
    present, rows, between = Counter[bytes](), set[bytes](), set[bytes]()
    count, texts, letters = 0, 0, False
    for row in _ROW.finditer(body[1]):
        count += 1
        if count > 1:  # the names stand in one of their own
            rows.add(_form_of_row(row[1]))
        between.add(_CELL.sub(b"", row[2] or b""))
        for cell in _CELL.finditer(row[2] or b""):
            column, kind, form, value = _read(cell[1], cell[2] or b"")
            present[column] += 1
            texts += kind == "texts"
            letters = letters or any(_is_letter(one) for one in _BY_NUMBER.findall(cell[2] or b""))
            if count > 1 and form:  # below the names, and not by formats
                forms[column, kind].add(form)
                if kind == "numbers":
                    numbers[column].append(value)
    # what stands before the first row and behind the last one may differ
    apart = set(_ROW.sub(b"\0", body[1]).split(b"\0")[1:-1])
    if max(map(len, (rows, between, apart))) > 1:
        yield "its rows are stored in different ways"
    for (column, kind), found in sorted(forms.items()):
        if len(found) > 1:
            yield f"{kind} of column {column.decode()} are stored in different ways"
        if kind == "gaps" and present[column] < count:
            yield f"some gaps of column {column.decode()} are cells and others are none"
    for column, written in sorted(numbers.items()):
        yield from (f"numbers of column {column.decode()} {form}" for form in odd_forms(pa.chunked_array([written])))
    if letters:
        yield "letters of some texts are stored by their numbers"
    yield from _twice(shared, texts)


def _read(attributes: bytes, inner: bytes) -> tuple[bytes, str, bytes, str]:
    """The column of a cell, its kind, how it is stored, and its number.

    Formats of gaps and of single words are looked at elsewhere: such cells have no form here.
    """
    stated = dict(_ATTRIBUTE.findall(attributes))
    place = _COLUMN.search(stated.pop(b"r", b""))
    column, kind = place[0] if place is not None else b"", stated.get(b"t", b'"n"')[1:-1]
    style = stated.pop(b"s", b'"0"')[1:-1]
    what = "gaps" if not inner else "texts" if kind in _TEXTS else "numbers" if kind == b"n" else "cells"
    if _BLANK_ENDS.search(inner):
        inner = _KEPT_BLANKS.sub(b"", inner)
    if (style != b"0" and what == "gaps") or _RUN.search(inner):
        return column, what, b"", ""
    form = b"|".join(
        (what.encode(), *(name + b"=" + value for name, value in sorted(stated.items())), _BETWEEN.sub(b">", inner))
    )
    value = _VALUE.search(inner) if what == "numbers" else None
    return column, what, form, value[1].decode("ascii", "replace").strip() if value is not None else ""


def _form_of_row(attributes: bytes) -> bytes:
    stated = (one for one in _ATTRIBUTE.findall(attributes) if one[0] not in _OF_ROW)
    return b"|".join(name + b"=" + value for name, value in sorted(stated))


def _is_letter(number: bytes) -> bool:
    """Whether a sign that is written by its number is one that nobody needs to write so."""
    code = int(number[1:], 16) if number.startswith(b"x") else int(number)
    return code < 128 and chr(code).isalnum()


def _twice(shared: bytes, texts: int) -> Iterator[str]:
    """Texts that a workbook keeps several times, unless it keeps one for each cell."""
    items = [found[1] for found in _ITEM.finditer(shared)]
    if len(set(items)) < len(items) != texts:
        yield "it keeps the same text several times"
