"""SPSS system files, also compressed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from microveil.io.formats.calendar import DAY, SINCE_1582
from microveil.io.formats.format import Settings
from microveil.io.formats.statistical import Statistical

if TYPE_CHECKING:
    from microveil.io.cleaning import Clean


_MEANINGS = {"date": r"^[AEJS]?DATE\d*$", "moment": r"^(DATETIME|YMDHMS)[\d.]*$", "time": r"^D?TIME[\d.]*$"}


class Spss(Statistical):
    """Numbers and text with labels; dates are seconds since the beginning of the Gregorian calendar."""

    name = "spss"
    title = "SPSS"
    endings = (".sav", ".zsav")
    magic = (b"$FL2", b"$FL3")

    reader = "read_sav"
    meanings = _MEANINGS
    epoch_days = SINCE_1582
    units_of_day = DAY
    microseconds = 10  # seconds counted from 1582: beyond a hundred-thousandth of one they are noise
    declares_missing = True
    most_cells_per_byte = 1100  # .zsav packs a thousandfold at best

    def adapt(self, clean: Clean, stated: Settings) -> Clean:
        """Names and values that SPSS cannot hold are refused."""
        from microveil.io.spss_write import for_spss

        return for_spss(clean)

    def write(self, clean: Clean, handle: BinaryIO, target: Path, stated: Settings) -> None:
        """Without label, time stamp and documents."""
        from microveil.io.spss_write import write_spss

        write_spss(clean, handle, compress=target.name.lower().endswith(".zsav"))


SPSS = Spss()
