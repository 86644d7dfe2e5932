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
from microveil.io.holding import is_strange_link
from microveil.io.unpacking import check_sheet_size, unpack

UNREADABLE = (BadInput, OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError)
_GZIP, _ZIP, _PDF = b"\x1f\x8b", b"PK\x03\x04", b"%PDF-"
_PAYLOAD = re.compile(rb'"payload"\s*:\s*"([A-Za-z0-9+/_=-]+)"')
_STREAM = re.compile(rb"stream\r?\n(.*?)endstream", re.DOTALL)
_LARGEST_STREAM = 1 << 26


def unpacked(path: Path) -> Iterator[bytes]:
    """The bytes of a file, and those inside where it is packed; too much to unpack is an error.

    Looked into are gzip files, the parts and names of zip files (workbooks are such), what an envelope holds, and the
    streams of a PDF. A packed file inside a packed one is an error: nobody knows what is in it.
    """
    if is_strange_link(path):
        return
    raw = path.read_bytes()
    yield raw
    if raw.startswith(_GZIP):
        yield _opened(unpack(path))
    if zipfile.is_zipfile(path):
        check_sheet_size(path)
        with zipfile.ZipFile(path) as packed:
            for name in packed.namelist():
                yield name.encode() + b"\n" + _opened(packed.read(name))
    if raw.startswith(_PDF):
        yield from _streams(raw)
    yield from _payloads(raw)


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
