"""The mark of a frame: a hash over names, kinds of type and values of all columns, in blocks of rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from microveil.data.frames import Frame

if TYPE_CHECKING:
    from microveil.data.canonical import Canonical

BLOCK = 1 << 17  # rows hashed together: a file larger than memory is marked block by block


def mark_of(frame: Frame) -> str:
    """SHA-256 of a frame; the same for every frame library."""
    from microveil.data.canonical import arrow_of, canonical

    blocks = [hashlib.sha256() for _ in range(0, len(frame), BLOCK)]
    kinds = {}
    for name in frame.columns:
        form = canonical(arrow_of(frame.get_column(name)), name)
        kinds[name] = form.kind
        for number, block in enumerate(blocks):
            _add(block, form, slice(number * BLOCK, (number + 1) * BLOCK))
    return mark_of_blocks(len(frame), kinds, (block.digest() for block in blocks))


def digest_of(forms: Iterable[Canonical]) -> bytes:
    """What a block of rows, its columns in their canonical forms, adds to the mark of its file."""
    block = hashlib.sha256()
    for form in forms:
        _add(block, form, slice(None))
    return block.digest()


def mark_of_blocks(rows: int, kinds: Mapping[str, str], digests: Iterable[bytes]) -> str:
    """The mark of a file of so many rows, from the kind of each column and the digests of its blocks in their order."""
    whole = hashlib.sha256(f"{rows} {len(kinds)}\n".encode())
    for name, kind in kinds.items():
        title = str(name).encode()
        whole.update(f"{len(title)} {kind} ".encode() + title)
    for digest in digests:
        whole.update(digest)
    return whole.hexdigest()


def _add(block: hashlib._Hash, form: Canonical, rows: slice) -> None:
    block.update(np.packbits(form.valid[rows]).tobytes())
    if form.kind == "text":
        for part in _text_parts(form.values[rows]):
            block.update(part)
    else:
        block.update(np.ascontiguousarray(form.values[rows]).data)


def _text_parts(values: Any) -> tuple[Any, Any]:
    """Lengths and characters of all texts: together they say each text."""
    import pyarrow.compute as pc

    lengths = np.asarray(pc.binary_length(values).to_numpy(zero_copy_only=False), dtype="<i8")
    offsets, characters = values.buffers()[1:3]
    bounds = np.frombuffer(offsets, dtype="<i8")[values.offset : values.offset + len(values) + 1]
    text = memoryview(characters)[int(bounds[0]) : int(bounds[-1])] if characters is not None else b""
    return lengths, text
