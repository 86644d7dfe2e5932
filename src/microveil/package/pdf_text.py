"""The words that are set in a PDF, as far as its fonts say which signs stand for which characters.

Text in a PDF is a row of numbers of glyphs; a table in the file (ToUnicode) says what they mean. Every row is read by
every table: what comes out of the wrong one is no word, and what comes out of the right one is all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_CODE = re.compile(rb"<([0-9A-Fa-f\s]*)>")
_SINGLE = re.compile(rb"beginbfchar(.*?)endbfchar", re.DOTALL)
_RANGES = re.compile(rb"beginbfrange(.*?)endbfrange", re.DOTALL)
_RANGE = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*(?:<([0-9A-Fa-f]+)>|\[(.*?)\])", re.DOTALL)
_SHOWN = re.compile(rb"<([0-9A-Fa-f\s]*)>|\(((?:[^()\\]|\\.)*)\)", re.DOTALL)
_ESCAPED = re.compile(rb"\\([0-7]{1,3}|\r\n|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b"", b"\r": b"", b"\r\n": b""}
_OCTAL = tuple(b"%d" % digit for digit in range(8))  # \8 and \9 stand for themselves
_LINE_ENDS = re.compile(rb"\b(?:ET|T\*|Td|TD|Tm)\b")
_LARGEST_RANGE = 1 << 16
# parts that hide what is in them from whoever looks, or that hold further files
_CLOSED = {
    b"/Encrypt": "encrypted parts",
    b"/EmbeddedFile": "attached files",
    b"/JavaScript": "a program",
    b"/LZWDecode": "parts packed by LZW",
    b"/ASCII85Decode": "parts packed by ASCII85",
    b"/ASCIIHexDecode": "parts packed by ASCIIHex",
    b"/RunLengthDecode": "parts packed by run lengths",
}


def words_in_pdf(streams: Sequence[bytes]) -> Iterator[str]:
    """The text of all pages, once by each table of characters, and once as plain bytes."""
    tables = [table for stream in streams if b"begincmap" in stream for table in (_table(stream),) if table]
    for stream in streams:
        if b"begincmap" in stream or not re.search(rb"\bTJ?\b|Tj", stream):
            continue
        lines = [list(_strings(line)) for line in _LINE_ENDS.split(stream)]
        for table in tables:
            yield "\n".join("".join(_read(string, table) for string in line) for line in lines)
        yield "\n".join("".join(string.decode("latin-1") for string in line) for line in lines)


def closed_parts(streams: Sequence[bytes]) -> list[str]:
    """What nobody can look into, in words."""
    return [what for mark, what in _CLOSED.items() if any(mark in stream for stream in streams)]


def _table(stream: bytes) -> dict[int, str]:
    found: dict[int, str] = {}
    for block in _SINGLE.findall(stream):
        codes = _CODE.findall(block)
        for code, text in zip(codes[::2], codes[1::2], strict=False):
            found[_number(code)] = _text(text)
    for block in _RANGES.findall(stream):
        for first, last, start, several in _RANGE.findall(block):
            low, high = _number(first), min(_number(last), _number(first) + _LARGEST_RANGE)
            if several:
                found.update(zip(range(low, high + 1), map(_text, _CODE.findall(several)), strict=False))
            else:
                begin = _text(start)
                ends = (chr((ord(begin[-1]) + step) % 0x110000) for step in range(high - low + 1)) if begin else ()
                found.update({low + step: begin[:-1] + end for step, end in enumerate(ends)})
    return found


def _strings(line: bytes) -> Iterator[bytes]:
    for hexadecimal, literal in _SHOWN.findall(line):
        if literal:
            yield _ESCAPED.sub(_unescape, literal)
        else:
            digits = re.sub(rb"\s", b"", hexadecimal).decode()
            yield bytes.fromhex(digits + "0" * (len(digits) % 2))  # a last digit that is alone counts as if 0 followed


def _unescape(found: re.Match[bytes]) -> bytes:
    """A sign of a string in round brackets, where it is written by its number or by a letter."""
    said = found[1]
    return bytes([int(said, 8) & 0xFF]) if said[:1] in _OCTAL else _LETTERS.get(said, said)


def _read(string: bytes, table: dict[int, str]) -> str:
    """The characters of a row of glyphs of two bytes each."""
    codes = (int.from_bytes(string[place : place + 2], "big") for place in range(0, len(string) - 1, 2))
    return "".join(table.get(code, "") for code in codes)


def _number(code: bytes) -> int:
    return int(re.sub(rb"\s", b"", code) or b"0", 16)


def _text(code: bytes) -> str:
    digits = re.sub(rb"\s", b"", code).decode()
    return bytes.fromhex(digits + "0" * (-len(digits) % 4)).decode("utf-16-be", errors="replace")
