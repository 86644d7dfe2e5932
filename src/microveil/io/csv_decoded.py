"""The text of a CSV file as UTF-8 on disk, for files that are not taken into memory as a whole."""

from __future__ import annotations

import codecs
import gzip
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from microveil.core.errors import FileProblem
from microveil.io.csv_encoding import (
    WESTERN,
    encoded,
    holds_zeros,
    looks_western,
    no_text,
    not_this_encoding,
    not_western,
    unknown_encoding,
)
from microveil.io.formats.format import Format, tell_damage
from microveil.io.unpacking import unpacked_parts

_AT_ONCE = 1 << 24
_SEEN_TOGETHER = 2  # characters before a piece that tell together with it whether it is western


class Decoded(NamedTuple):
    """A file that holds UTF-8 behind its first bytes, and the encoding that the source has."""

    path: Path
    skipped: int
    encoding: str


def decoded(path: Path, kind: Format, packed: bool, encoding: str | None, target: Path) -> Decoded:
    """The file itself if it is plain UTF-8; else its text as UTF-8 in `target`."""
    first = next(_bytes(path, kind, packed), b"")
    if encoding is None and first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
        return _written(_recoded(path, _bytes(path, kind, packed), encoding), target, encoding)
    if encoding is not None:
        return _written(_recoded(path, _bytes(path, kind, packed), encoding), target, encoding)
    marked = first.startswith(codecs.BOM_UTF8)
    skipped = len(codecs.BOM_UTF8) if marked else 0
    bad = _first_bad_byte(_behind(_bytes(path, kind, packed), skipped))
    if bad is not None:
        return _written(_western(path, _behind(_bytes(path, kind, packed), skipped), bad), target, WESTERN)
    _refuse_zeros(path, _behind(_bytes(path, kind, packed), skipped))
    told = "utf-8-sig" if marked else "utf-8"
    return _written(_bytes(path, kind, packed), target, told, skipped) if packed else Decoded(path, skipped, told)


def _written(pieces: Iterable[bytes], target: Path, encoding: str, skipped: int = 0) -> Decoded:
    with target.open("xb") as handle:
        for piece in pieces:
            handle.write(piece)
    return Decoded(target, skipped, encoding)


def _bytes(path: Path, kind: Format, packed: bool) -> Iterator[bytes]:
    try:
        if packed:
            yield from unpacked_parts(path)
        else:
            with path.open("rb") as handle:
                yield from _pieces(handle)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise tell_damage(path, kind) from None
    except OSError as problem:
        raise FileProblem(f"{str(path)!r} cannot be read: {problem.strerror or 'refused'}") from None


def _pieces(handle: BinaryIO) -> Iterator[bytes]:
    while piece := handle.read(_AT_ONCE):
        yield piece


def _behind(pieces: Iterator[bytes], skipped: int) -> Iterator[bytes]:
    yield next(pieces, b"")[skipped:]
    yield from pieces


def _first_bad_byte(pieces: Iterable[bytes]) -> int | None:
    """Where the bytes are no UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    before = 0
    try:
        for piece in pieces:
            held = len(decoder.getstate()[0])
            before -= held
            decoder.decode(piece)
            before += held + len(piece)
        before -= len(decoder.getstate()[0])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as problem:
        return before + problem.start
    return None


def _refuse_zeros(path: Path, pieces: Iterable[bytes]) -> None:
    before = 0
    for piece in pieces:
        if b"\0" in piece:
            raise no_text(path, before + piece.index(b"\0"))
        before += len(piece)


def _western(path: Path, pieces: Iterable[bytes], bad: int) -> Iterator[bytes]:
    lines, before, end = 0, 0, ""
    found = True
    for piece in pieces:
        lines += piece.count(b"\n", 0, max(0, bad - before))
        before += len(piece)
        try:
            text = piece.decode(WESTERN)
        except UnicodeDecodeError:
            found = False
        else:
            found = found and looks_western(end + text)
            end = text[-_SEEN_TOGETHER:]
            if found:
                yield text.encode("utf-8")
        if not found and before > bad:
            raise not_western(path, bad, lines + 1)


def _recoded(path: Path, pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    try:
        name = codecs.lookup(encoding).name
        with suppress(UnicodeError):
            b"a".decode(encoding)  # what is no encoding of text is told so
    except LookupError:
        raise unknown_encoding(encoding) from None
    decoder, before, begun = None, 0, False
    for piece, last in _with_last(pieces):
        decoder = decoder or codecs.getincrementaldecoder(_ordered(name, piece))()
        held = len(decoder.getstate()[0])
        try:
            text = decoder.decode(piece, final=last)
        except UnicodeError as problem:
            raise not_this_encoding(path, encoding, before - held + getattr(problem, "start", 0)) from None
        before += len(piece)
        if "\0" in text:
            raise holds_zeros(path, encoding)
        if text:
            yield encoded(path, text if begun else text.removeprefix("\ufeff"), encoding)
            begun = True


def _ordered(name: str, first: bytes) -> str:
    """The encoding with the order of bytes of this machine, where neither its name nor a mark tells that order."""
    marked = first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE))
    return f"{name}-{sys.byteorder[:1]}e" if name in ("utf-16", "utf-32") and not marked else name


def _with_last(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    held = None
    for piece in pieces:
        if held is not None:
            yield held, False
        held = piece
    if held is not None:
        yield held, True
