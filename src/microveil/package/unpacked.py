"""The bytes of a file as they are stored, and those inside of it where it is packed."""

from __future__ import annotations

import base64
import binascii
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from microveil.core.errors import BadInput
from microveil.core.words import list_all
from microveil.io.holding import is_strange_link
from microveil.io.unpacking import check_sheet_size, unpack
from microveil.package.decoded import decoded
from microveil.package.pdf_text import closed_parts, words_in_pdf

UNREADABLE = (BadInput, OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError)
_GZIP, _ZIP, _PDF = b"\x1f\x8b", b"PK\x03\x04", b"%PDF-"
_PAYLOAD = re.compile(rb'"payload"\s*:\s*"([A-Za-z0-9+/_=-]+)"')
_STREAM = re.compile(rb"stream\r?\n(.*?)endstream", re.DOTALL)
_LARGEST_STREAM = 1 << 26
_HEAD_OF_PDF = 1024  # bytes among which a PDF says what it is


def unpacked(path: Path) -> Iterator[bytes]:
    """The bytes of a file, and those inside where it is packed; too much to unpack is an error.

    Looked into are gzip files, the parts and names of zip files (workbooks are such), what an envelope holds, and the
    streams of a PDF with the words set in it. Texts come a second time as people read them, without markup, entities
    and escapes. A packed file inside a packed one is an error, and so is a PDF with parts that nobody can look into.
    """
    if is_strange_link(path):
        return
    raw = path.read_bytes()
    parts = [raw]
    if raw.startswith(_GZIP):
        parts.append(_opened(unpack(path)))
    if zipfile.is_zipfile(path):
        check_sheet_size(path)
        with zipfile.ZipFile(path) as packed:
            parts += [name.encode() + b"\n" + _opened(packed.read(name)) for name in packed.namelist()]
    parts += _payloads(raw)
    yield from parts
    if _PDF in raw[:_HEAD_OF_PDF]:
        yield from _inside_pdf(raw)
        return
    for part in parts:
        yield from (text.encode(errors="replace") for text in decoded(part))


def is_closed(path: Path) -> bool:
    """Whether a file cannot be looked into: it is neither text nor PDF, nor packed in a way that is known."""
    if is_strange_link(path):
        return True
    raw = path.read_bytes()
    if _PDF in raw[:_HEAD_OF_PDF] or raw.startswith(_GZIP) or zipfile.is_zipfile(path):
        return False
    try:
        text = raw.decode("utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")  # texts of older programs, which have no control signs
    return any(sign < " " and sign not in "\t\n\r\f" for sign in text)


def _inside_pdf(raw: bytes) -> Iterator[bytes]:
    streams = [raw, *_streams(raw)]
    closed = closed_parts(streams)
    if closed:
        raise BadInput(f"it holds {list_all(closed)}")
    yield from streams[1:]
    for words in words_in_pdf(streams):
        yield words.encode(errors="replace")
        yield "".join(words.split()).encode(errors="replace")


def _opened(inside: bytes) -> bytes:
    if inside.startswith((_GZIP, _ZIP)):
        raise BadInput("a packed file stands inside a packed one")
    return inside


def _payloads(raw: bytes) -> Iterator[bytes]:
    """What the envelope of a certificate holds."""
    for found in _PAYLOAD.findall(raw):
        try:
            yield base64.b64decode(found.translate(bytes.maketrans(b"-_", b"+/")))
        except (binascii.Error, ValueError):
            continue  # no base64, so that its bytes are all there is


def _streams(raw: bytes) -> Iterator[bytes]:
    for found in _STREAM.findall(raw):
        try:
            yield zlib.decompressobj().decompress(found, _LARGEST_STREAM)
        except zlib.error:
            continue  # stored plainly, or packed otherwise
