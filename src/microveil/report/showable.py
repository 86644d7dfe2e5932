"""Which characters the fonts of a PDF do not have, and how they are written then."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache

from microveil.report.typesetting import FONTS, set_pdf

_SET = ", ".join(f'"{name}"' for name in FONTS)
_PROBE = f'#set document(title: "p")\n#set text(font: ({_SET}))\n#text(sys.inputs.signs)'.encode()


def characters_not_shown(text: str) -> frozenset[str]:
    """The characters of a text that would be empty boxes, or that archives do not take.

    Fonts are asked by setting the characters, all at once and then by halves: mostly there is nothing to find.
    """
    halves = {sign for sign in text if "\ud800" <= sign <= "\udfff"}  # of a character: no text may hold them
    asked = sorted(sign for sign in set(text) - halves if not (" " <= sign <= "~" or sign in "\n\r\t"))
    return frozenset((*halves, *_failing(tuple(asked))))


def by_numbers(text: str, signs: Collection[str]) -> str:
    """The text with some characters written by their numbers.

    >>> by_numbers("a中b", "中")
    'a[U+4E2D]b'
    """
    return "".join(f"[U+{ord(sign):04X}]" if sign in signs else sign for sign in text) if signs else text


def _failing(signs: tuple[str, ...]) -> Iterable[str]:
    if not signs or _can_show("".join(signs)):
        return ()
    if len(signs) == 1:
        return signs
    half = len(signs) // 2
    return (*_failing(signs[:half]), *_failing(signs[half:]))


@cache
def _can_show(signs: str) -> bool:
    import typst

    try:
        set_pdf(_PROBE, signs=signs)
    except typst.TypstError:
        return False
    return True
