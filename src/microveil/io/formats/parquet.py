"""Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from microveil.data.codebook import Codebook
from microveil.io.formats.format import Contents, Format, Options, Settings

if TYPE_CHECKING:
    from microveil.io.cleaning import Clean


class Parquet(Format):
    """Columns with their types, as Arrow reads and writes them."""

    name = "parquet"
    title = "Parquet"
    endings = (".parquet",)
    magic = (b"PAR1",)

    def read(self, path: Path, options: Options) -> Contents:
        """The unnamed row index of a pandas frame is left out."""
        from microveil.io.arrow_files import parquet_table, read_arrow

        return Contents(read_arrow(path, self, parquet_table), Codebook(source=path.resolve()))

    def write(self, clean: Clean, handle: BinaryIO, target: Path, stated: Settings) -> None:
        """Without the Arrow schema and any metadata."""
        from microveil.io.arrow_files import write_parquet

        write_parquet(clean.table, handle)


PARQUET = Parquet()
