"""The digits of a column: the unit to which its released values are rounded."""

from __future__ import annotations

from microveil.data.microdata import Microdata


def unit_of(source: Microdata, name: str) -> float:
    """The unit to which new values of the column are rounded, 0 where they are not."""
    whole = source.narwhal.get_column(name).dtype.is_integer()
    return 1.0 if whole and source.integers == "round" else 0.0
