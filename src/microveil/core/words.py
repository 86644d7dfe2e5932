"""Numbers with their words."""

from __future__ import annotations


def counted(n: int, word: str, several: str = "") -> str:
    """A number with its word in the right form.

    >>> counted(1, "record"), counted(3, "record"), counted(2, "category", "categories")
    ('1 record', '3 records', '2 categories')
    """
    return f"{n} {word if n == 1 else several or word + 's'}"
