"""Stata files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from microveil.io.formats.calendar import SINCE_1960
from microveil.io.formats.format import Settings
from microveil.io.formats.statistical import Statistical

if TYPE_CHECKING:
    from microveil.io.cleaning import Clean


# %tC counts leap seconds and stays a number
_MEANINGS = {"time": r"^%tcHH:MM(:SS)?$", "date": r"^%-?t?d", "moment": r"^%-?tc"}


class Stata(Statistical):
    """Numbers of several widths and text with labels; dates are days, moments milliseconds since 1960."""

    name = "stata"
    title = "Stata"
    endings = (".dta",)
    magic = (b"<stata_dta>",)
    weak_magic = tuple(bytes([version]) for version in range(0x68, 0x74))  # with which older files begin

    reader = "read_dta"
    meanings = _MEANINGS
    epoch_days = SINCE_1960
    units_of_second = 1000
    # whole numbers are stored as such, or in a format without decimals when they are long
    shown_whole = r"^%-?\d+\.0fc?$"

    def adapt(self, clean: Clean, stated: Settings) -> Clean:
        """Names and values that Stata cannot hold are refused."""
        from microveil.io.stata_write import for_stata

        return for_stata(clean)

    def write(self, clean: Clean, handle: BinaryIO, target: Path, stated: Settings) -> None:
        """Without label and time stamp."""
        from microveil.io.stata_write import write_stata

        write_stata(clean, handle)


STATA = Stata()
