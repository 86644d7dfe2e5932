"""The encoding of a text file: told, or found where the bytes leave no doubt, and always known afterwards."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

import pyarrow as pa

from microveil.core.errors import BadInput

WESTERN = "cp1252"  # what offices with Windows write in western Europe and America

# Signs of another encoding read as the western one: Cyrillic or Greek words come out as runs of accented letters,
# Polish ones with signs inside words, those of old systems with capitals or quotation marks inside words.
_RUN = r"[^\W\d_a-zA-Z]{3}"
_SIGN_IN_WORD = r"[^\W\d_][^\w\s\x00-\x7f’‘´·\u00ad–—][^\W\d_]|[^\W\d_][¹²³¼½¾][^\W\d_]"
_CAPITAL_IN_WORD = r"[a-z][À-ÖØ-ÞŠŒŽŸ]"
_NOT_WESTERN = re.compile(f"{_RUN}|{_SIGN_IN_WORD}|{_CAPITAL_IN_WORD}")


def as_utf8(path: Path, data: bytes, encoding: str | None) -> tuple[bytes, str]:
    """The text as UTF-8 without a mark at its start, and the encoding it had."""
    if encoding is not None:
        return _recoded(path, data, encoding), encoding
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _recoded(path, data, "utf-16"), "utf-16"
    marked = data.startswith(codecs.BOM_UTF8)
    data = data.removeprefix(codecs.BOM_UTF8)
    if not _is_utf8(data):
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as problem:
            return _western(path, data, problem.start), WESTERN
    if b"\0" in data:
        raise no_text(path, data.index(b"\0"))
    return data, "utf-8-sig" if marked else "utf-8"


def _is_utf8(data: bytes) -> bool:
    """Whether the bytes are UTF-8, without a second copy of them as text."""
    ends = pa.array([0, len(data)], pa.int64()).buffers()[1]
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, ends, pa.py_buffer(data)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _western(path: Path, data: bytes, bad_byte: int) -> bytes:
    """The text in the western encoding, if it looks like it: another one would come out wrong without an error."""
    try:
        text = data.decode(WESTERN)
    except UnicodeDecodeError:
        text = None
    if text is None or not looks_western(text):
        raise not_western(path, bad_byte, data.count(b"\n", 0, bad_byte) + 1)
    return text.encode("utf-8")


def looks_western(text: str) -> bool:
    """Whether text that was read as western may be so; three characters tell."""
    return "\0" not in text and not _NOT_WESTERN.search(text)


def _recoded(path: Path, data: bytes, encoding: str) -> bytes:
    try:
        text = data.decode(encoding)
    except LookupError:
        raise unknown_encoding(encoding) from None
    except UnicodeError as problem:
        raise not_this_encoding(path, encoding, getattr(problem, "start", 0)) from None
    if "\0" in text:
        raise holds_zeros(path, encoding)
    return encoded(path, text.removeprefix("\ufeff"), encoding)


def encoded(path: Path, text: str, encoding: str) -> bytes:
    """Text as UTF-8; codes that stand for no character are refused."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadInput(
            f"{str(path)!r} read as {encoding} has codes that stand for no character; name its right encoding"
        ) from None


def no_text(path: Path, place: int) -> BadInput:
    """A byte of the file is zero."""
    return BadInput(f"{str(path)!r} is not text: byte {place + 1} is zero; check its format or its encoding")


def not_western(path: Path, bad_byte: int, line: int) -> BadInput:
    """A byte is no UTF-8, and the text does not look western."""
    return BadInput(
        f"{str(path)!r} is not UTF-8: byte {bad_byte + 1} (line {line}) does not fit; it does not look like "
        "cp1252 (western Windows) either: name its encoding, for example encoding='cp1250'"
    )


def unknown_encoding(encoding: str) -> BadInput:
    """Nobody knows the encoding that was stated."""
    return BadInput(f"encoding={encoding!r} is not known; common ones are 'utf-8', 'cp1252', 'latin-1', 'utf-16'")


def not_this_encoding(path: Path, encoding: str, place: int) -> BadInput:
    """A byte does not fit the encoding that was stated."""
    return BadInput(f"{str(path)!r} is not {encoding}: byte {place + 1} does not fit; name its right encoding")


def holds_zeros(path: Path, encoding: str) -> BadInput:
    """The text holds characters that no text has."""
    return BadInput(f"{str(path)!r} is not text in {encoding}: it holds zero characters; name its right encoding")
