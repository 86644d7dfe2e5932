"""Numbers with their words."""

from __future__ import annotations


def counted(n: int, word: str, several: str = "") -> str:
    """A number with its word in the right form.

    >>> counted(1, "record"), counted(3, "record"), counted(2, "category", "categories")
    ('1 record', '3 records', '2 categories')
    """
    return f"{n} {word if n == 1 else several or word + 's'}"


_ONE = {"records": "record", "people": "person", "values": "value"}


def unit_for(value: float, unit: str) -> str:
    """The unit of a figure in the right form.

    >>> unit_for(1.0, "records"), unit_for(2.0, "records"), unit_for(1.0, "%")
    ('record', 'records', '%')
    """
    return _ONE.get(unit, unit) if value == 1 else unit
