"""Ways to damage bytes and structures, each drawn from a `random.Random`, so that a number tells a damaged file."""

from __future__ import annotations

import copy
import datetime as dt
import gzip
import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import yaml

_NUMBERS = (0, 1, 7, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**62, 2**63 - 1, 2**64 - 1)
_WORDS = (
    b'"',
    b'""',
    b",",
    b";",
    b"\t",
    b"\r",
    b"\n",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"sep=,\n",
    b"NaN",
    b"1e999",
    b"-0",
    b"00",
    b"9" * 400,
    b"1,234.5",
    b"1.234,5",
    b"0x1F",
    b"2020-02-31",
    b"=1+1",
    b"#DIV/0!",
    "é日\u202e".encode(),
    b"\xed\xa0\x80",
)
_HEAD = 400  # where most formats say how much there is
Change = Callable[[bytearray, random.Random], None]


def damaged(ending: str, sound: bytes, other: bytes, seed: int) -> bytes:
    """A file of this ending with some damage; what is packed is sometimes damaged before it is packed again."""
    draw = random.Random(seed)
    if draw.random() < 0.7:
        if ending.endswith("gz"):
            return gzip.compress(_changed(gzip.decompress(sound), gzip.decompress(other), draw), 1, mtime=0)
        if ending == "xlsx":
            return _part_changed(sound, draw)
    if ending == "zsav" and draw.random() < 0.3:
        return _block_changed(sound, draw)
    return _changed(sound, other, draw)


def _changed(sound: bytes, other: bytes, draw: random.Random) -> bytes:
    found = bytearray(sound)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        draw.choice(_CHANGES)(found, draw)
        if draw.random() < 0.05:
            start = draw.randrange(len(other) or 1)
            found[_place(found, draw) :] = other[start:]
    return bytes(found)


def _place(found: bytearray, draw: random.Random) -> int:
    """Anywhere, or near the beginning or the end, where headers and footers are."""
    size = len(found)
    if not size:
        return 0
    where = draw.random()
    if where < 0.4:
        return draw.randrange(min(size, _HEAD))
    if where < 0.6:
        return size - 1 - draw.randrange(min(size, _HEAD))
    return draw.randrange(size)


def _flip(found: bytearray, draw: random.Random) -> None:
    if found:
        found[_place(found, draw)] ^= 1 << draw.randrange(8)


def _byte(found: bytearray, draw: random.Random) -> None:
    if found:
        found[_place(found, draw)] = draw.choice((0, 1, 0x20, 0x7F, 0x80, 0xFE, 0xFF, draw.randrange(256)))


def _number(found: bytearray, draw: random.Random) -> None:
    width, order = draw.choice((2, 4, 8)), draw.choice(("little", "big"))
    place = _place(found, draw)
    number = draw.choice(_NUMBERS) % 256**width
    found[place : place + width] = number.to_bytes(width, order)  # type: ignore[arg-type]


def _real(found: bytearray, draw: random.Random) -> None:
    place = _place(found, draw)
    found[place : place + 8] = struct.pack(
        "<d", draw.choice((float("nan"), float("inf"), -1e308, 1e300, -0.0, 2.0**63))
    )


def _cut(found: bytearray, draw: random.Random) -> None:
    del found[_place(found, draw) :]


def _take_out(found: bytearray, draw: random.Random) -> None:
    place = _place(found, draw)
    del found[place : place + draw.choice((1, 2, 4, 8, 80, 1000))]


def _repeat(found: bytearray, draw: random.Random) -> None:
    start = _place(found, draw)
    part = found[start : start + draw.choice((1, 4, 16, 80, 500))]
    place = _place(found, draw)
    found[place:place] = part * draw.choice((1, 1, 2, 50))


def _word(found: bytearray, draw: random.Random) -> None:
    place = _place(found, draw)
    found[place : place + draw.choice((0, 0, 1, 4))] = draw.choice(_WORDS)


_CHANGES: tuple[Change, ...] = (_flip, _flip, _byte, _byte, _number, _number, _real, _cut, _take_out, _repeat, _word)


def _part_changed(sound: bytes, draw: random.Random) -> bytes:
    """A workbook, one of whose parts is damaged, left out or there twice."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(sound)) as source, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        names = source.namelist()
        chosen, way = draw.choice(names), draw.random()
        for name in names:
            content = source.read(name)
            if name == chosen and way < 0.05:
                continue
            if name == chosen:
                content = _changed(content, source.read(draw.choice(names)), draw)
            target.writestr(zipfile.ZipInfo(name), content)
    return made.getvalue()


def _block_changed(sound: bytes, draw: random.Random) -> bytes:
    """Something else in the place of the first stretch that zlib packed."""
    place = sound.find(b"\x78")
    packed = zlib.compress(bytes(draw.randrange(256) for _ in range(draw.choice((1, 100, 5000)))))
    return sound[:place] + packed + sound[place + draw.choice((0, len(packed))) :]


# -- projects ---------------------------------------------------------------------------------------


def damaged_project(sound: dict[str, Any], seed: int) -> str:
    """The text of a project in which some entries are something else, or lines are damaged."""
    draw = random.Random(seed)
    found = copy.deepcopy(sound)
    for _ in range(draw.choice((1, 1, 2, 4))):
        _change_entry(found, draw)
    text = yaml.safe_dump(
        found, allow_unicode=True, sort_keys=False, default_flow_style=draw.choice((None, True, False))
    )
    if draw.random() < 0.3:
        return _changed(text.encode(), text.encode(), draw).decode("utf-8", "replace")
    return _tagged(text, draw) if draw.random() < 0.2 else text


_TAGS = ["bool", "int", "float", "null", "timestamp", "binary", "str", "seq", "map", "set", "omap", "merge", "no"]


def _tagged(text: str, draw: random.Random) -> str:
    """The text with the tag of some kind before some values."""
    parts = text.split(": ")
    for _ in range(draw.choice((1, 1, 3))):
        place = draw.randrange(len(parts))
        parts[place] = f"!!{draw.choice(_TAGS)} {parts[place]}"
    return ": ".join(parts)


def _change_entry(found: Any, draw: random.Random) -> None:
    """Walk down to some entry, and put another value or another name there."""
    node = found
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = draw.choice(keys)
        inner = node[key]
        if isinstance(inner, dict | list) and inner and draw.random() < 0.8:
            node = inner
            continue
        way = draw.random()
        if way < 0.15:
            del node[key]
        elif way < 0.3 and isinstance(node, dict):
            node[_odd_name(key, draw)] = node.pop(key)
        else:
            node[key] = _odd_value(inner, found, draw)
        return


def _odd_name(name: object, draw: random.Random) -> Any:
    return draw.choice((f"{name}s", str(name).upper(), "", None, 1, 1.5, True, "\u202e", "a" * 300, "x\ny"))


def _odd_value(value: Any, whole: Any, draw: random.Random) -> Any:
    deep: Any = value
    for _ in range(60):
        deep = [deep]
    return draw.choice(
        (
            None,
            True,
            -1,
            0,
            2**70,
            1e308,
            float("nan"),
            float("inf"),
            "",
            "x" * 2000,
            "../../etc",
            "/",
            "\0",
            "a\nb",
            "income >= ",
            "income == (((income",
            "1 / 0 <= income",
            "9 ** 9 ** 9 <= income",
            [],
            {},
            [None],
            [[value]],
            {"a": value},
            deep,
            [value] * 50,
            copy.deepcopy(whole),
            bytes([0, 255]),
            dt.date(2020, 1, 1),
            draw.choice(("key", "income", "region", "mdav", "microaggregation", "nominal", "weight", "household")),
        )
    )
