"""A fingerprint of data: for the private log, to tell later whether a file is the one that was used."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from microveil.data.microdata import AnyData, Microdata

BLOCK = 1 << 17  # rows hashed together: a file larger than memory is marked block by block


def fingerprint(data: AnyData) -> str:
    """SHA-256 over the names, kinds of type and values of all columns, in blocks of rows.

    The same for every frame library; it changes with any value, name or order of rows. Use it in the
    private log only: who has a guess of the whole file can test the guess.

    >>> import pyarrow as pa
    >>> one = fingerprint(pa.table({"a": [1, 2]}))
    >>> one == fingerprint(pa.table({"a": [1.0, 2.0]})), one == fingerprint(pa.table({"a": ["1", "2"]}))
    (True, False)
    """
    from microveil.data.canonical import arrow_of, canonical

    data = Microdata.of(data)
    blocks = [hashlib.sha256() for _ in range(0, data.n, BLOCK)]
    whole = hashlib.sha256(f"{data.n} {len(data.columns)}\n".encode())
    for name in data.columns:
        form = canonical(arrow_of(data.narwhal.get_column(name)), name)
        title = str(name).encode()
        whole.update(f"{len(title)} {form.kind} ".encode() + title)
        for number, block in enumerate(blocks):
            rows = slice(number * BLOCK, (number + 1) * BLOCK)
            block.update(np.packbits(form.valid[rows]).tobytes())
            if form.kind == "text":
                for part in _text_parts(form.values[rows]):
                    block.update(part)
            else:
                block.update(np.ascontiguousarray(form.values[rows]).data)
    for block in blocks:
        whole.update(block.digest())
    return whole.hexdigest()


def _text_parts(values: Any) -> tuple[Any, Any]:
    """Lengths and characters of all texts: together they say each text."""
    import pyarrow.compute as pc

    lengths = np.asarray(pc.binary_length(values).to_numpy(zero_copy_only=False), dtype="<i8")
    offsets, characters = values.buffers()[1:3]
    bounds = np.frombuffer(offsets, dtype="<i8")[values.offset : values.offset + len(values) + 1]
    text = memoryview(characters)[int(bounds[0]) : int(bounds[-1])] if characters is not None else b""
    return lengths, text
