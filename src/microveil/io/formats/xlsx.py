"""XLSX: one sheet of a workbook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from microveil.data.codebook import Codebook
from microveil.io.formats.format import Contents, Format, Option, Options, Settings

if TYPE_CHECKING:
    from microveil.io.cleaning import Clean


class Xlsx(Format):
    """Names in the first row of a sheet; formulas give the result that the file keeps."""

    name = "xlsx"
    title = "XLSX"
    endings = (".xlsx",)
    magic = (b"PK\x03\x04",)
    reading = (Option("sheet", lambda value: isinstance(value, str), "the name of a sheet"),)

    def read(self, path: Path, options: Options) -> Contents:
        """The sheet that was stated, else the first that is not hidden."""
        from microveil.io.xlsx_read import read_xlsx

        table, read_as = read_xlsx(path, self, options.stated.get("sheet"), options.missing, options.categories)
        return Contents(table, Codebook(source=path.resolve(), read_as=read_as))

    def adapt(self, clean: Clean, stated: Settings) -> Clean:
        """Sheets hold so many records, short text, and days from 1900 on."""
        from microveil.io.xlsx_write import for_xlsx

        return for_xlsx(clean)

    def write(self, clean: Clean, handle: BinaryIO, target: Path, stated: Settings) -> None:
        """Text that begins like a formula is text."""
        from microveil.io.xlsx_write import write_xlsx

        write_xlsx(clean.table, handle)


XLSX = Xlsx()
