"""Texts as people read them: without markup, entities, escapes and packings that a search for words would not see."""

from __future__ import annotations

import base64
import binascii
import gzip
import html
import io
import re
import zlib
from collections.abc import Iterator

_LARGEST = 1 << 26  # bytes of one text
_TAG = re.compile(r"<[^<>]*>")
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})|%([0-9A-Fa-f]{2})")
_PACKED = re.compile(r"[A-Za-z0-9+/_-]{40,}={0,2}")
_BITS = 0b11  # of a last group in base64, of which some may be missing


def decoded(raw: bytes) -> Iterator[str]:
    """The forms of a text beside its bytes; nothing for what is no text.

    With its entities and escapes in letters; without its tags, so that a word that they tear is whole; with a line for
    each tag, so that a cell stands alone; and what long runs of base64 hold.
    """
    text = _text(raw)
    if text is None:
        return
    plain = _ESCAPE.sub(_letter, html.unescape(text))
    if plain != text or not raw.isascii():
        yield plain
    if "<" in text:
        yield html.unescape(_TAG.sub("", text))
        yield html.unescape(_TAG.sub("\n", text))
    for found in _PACKED.findall(text):
        inside = _opened(found)
        if inside is not None:
            yield inside


def _text(raw: bytes) -> str | None:
    """Bytes as text in the encodings of text files; None for anything else."""
    if len(raw) > _LARGEST:
        return None
    try:
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            return raw.decode("utf-16")
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None if b"\0" in raw else raw.decode("latin-1")


def _letter(found: re.Match[str]) -> str:
    sign = chr(int(next(one for one in found.groups() if one), 16))
    return found[0] if "\ud800" <= sign <= "\udfff" else sign


def _opened(packed: str) -> str | None:
    """What a run of base64 holds, unpacked where it is packed; None where it is none."""
    body = packed.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        raw = base64.b64decode(body + "=" * (-len(body) & _BITS))
    except (binascii.Error, ValueError):
        return None
    try:
        if raw.startswith(b"\x1f\x8b"):
            raw = gzip.GzipFile(fileobj=io.BytesIO(raw)).read(_LARGEST)
        elif raw.startswith(b"x"):
            raw = zlib.decompressobj().decompress(raw, _LARGEST)
    except (OSError, EOFError, zlib.error):
        pass
    return raw.decode("utf-8", errors="replace")
