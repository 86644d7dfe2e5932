"""Feather: Arrow's own files, also in the form of a stream."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from microveil.data.codebook import Codebook
from microveil.io.formats.format import Contents, Format, Options, Settings

if TYPE_CHECKING:
    from microveil.io.cleaning import Clean


class Feather(Format):
    """Columns with their types and categories."""

    name = "feather"
    title = "Feather"
    endings = (".feather", ".arrow")
    magic = (b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")  # the last one is the stream form

    def read(self, path: Path, options: Options) -> Contents:
        """The unnamed row index of a pandas frame is left out."""
        from microveil.io.arrow_files import feather_table, read_arrow

        return Contents(read_arrow(path, self, feather_table), Codebook(source=path.resolve()))

    def write(self, clean: Clean, handle: BinaryIO, target: Path, stated: Settings) -> None:
        """Categories are encoded anew from the values that occur."""
        from microveil.io.arrow_files import write_feather

        write_feather(clean.table, handle, clean.levels, clean.ordered)


FEATHER = Feather()
