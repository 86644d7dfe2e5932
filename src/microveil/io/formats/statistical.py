"""What the formats of statistical packages have in common, and the facts in which they differ."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from microveil.data.codebook import Codebook
from microveil.io.formats.format import Contents, Format, Options
from microveil.io.formats.options import ENCODING


class Statistical(Format):
    """A format that pyreadstat reads: codes stay codes, labels go into the codebook.

    Numbers are dates, moments or times of day by the way in which they are to be shown; `meanings` holds
    a pattern for each of these.
    """

    knows_missing_text = False
    reading = (ENCODING,)

    reader: str  # the function of pyreadstat
    meanings: Mapping[str, str]
    epoch_days: int  # from the first day of its calendar to 1 January 1970
    units_of_day: int = 1  # in which dates are counted
    units_of_second: int = 1  # in which moments and times are counted
    microseconds: int = 1  # in a step of its moments: what is finer is noise
    declares_missing: bool = False  # a file may say which values mean missing
    shown_whole: str = ""  # the pattern by which whole numbers are told where they are stored like others
    most_cells_per_byte: int = 1  # a cell takes a byte at least, unless the format packs them
    card: int = 1  # the length of a file is a multiple of so many bytes

    def read(self, path: Path, options: Options) -> Contents:
        """Values that the file declares missing are listed as missing codes."""
        from microveil.io.statistical import read_statistical

        found = read_statistical(path, self, options.stated.get("encoding"), options.ours)
        return Contents(found.table, Codebook(found.labels, found.titles, path.resolve()), found.missing, found.kinds)
