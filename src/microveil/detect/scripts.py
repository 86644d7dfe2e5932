"""Cyrillic and Greek letters in Latin ones, so that names and words are known in either script."""

from __future__ import annotations

import unicodedata


def _pairs(letters: str, latin: str) -> dict[str, str]:
    return dict(zip(letters.split(), latin.split(), strict=True))


_LATIN = {
    **_pairs("а б в г д е з и й к л м н о п р с т у ф х ы э", "a b v g d e z i y k l m n o p r s t u f h y e"),
    **_pairs("ж ц ч ш щ ю я і є ґ ј ђ ћ љ њ џ", "zh ts ch sh shch yu ya i ye g j d c lj nj dz"),
    **_pairs("α β γ δ ε ζ η θ ι κ λ μ ν ξ ο π ρ σ", "a v g d e z i th i k l m n x o p r s"),
    **_pairs("τ υ φ χ ψ ω", "t y f ch ps o"),
    "ъ": "",
    "ь": "",
}
_TABLE = str.maketrans({"ς": "s", **_LATIN, **{letter.upper(): latin.capitalize() for letter, latin in _LATIN.items()}})


def without_accents(text: str) -> str:
    """The text without the marks on its letters."""
    if text.isascii():
        return text
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def in_latin(text: str) -> str:
    """The text with Cyrillic and Greek letters in Latin ones and their accents left out; other texts as they are.

    >>> in_latin("Ольга Лебедева"), in_latin("Κώστας"), in_latin("Müller")
    ('Olga Lebedeva', 'Kostas', 'Müller')
    """
    if text.isascii() or not any("\u0370" <= letter <= "\u052f" or "\u1f00" <= letter <= "\u1fff" for letter in text):
        return text
    return without_accents(text).translate(_TABLE)
