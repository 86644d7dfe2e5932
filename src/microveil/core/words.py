"""Numbers of things in words that agree."""

from __future__ import annotations


def counted(number: int, what: str, several: str = "") -> str:
    """How many of something, with the word in the right form.

    >>> counted(1, "record"), counted(1200, "record"), counted(2, "category", "categories")
    ('1 record', '1,200 records', '2 categories')
    """
    return f"{number:,} {what if number == 1 else several or what + 's'}"


def unit_for(shown: str, unit: str) -> str:
    """The unit beside a number as it is shown: one of something has no plural.

    >>> unit_for("1", "records"), unit_for("3", "records"), unit_for("1", "%")
    ('record', 'records', '%')
    """
    return unit.removesuffix("s") if shown == "1" else unit
