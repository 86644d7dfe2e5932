"""CSV: text with a delimiter, also compressed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from microveil.data.codebook import Codebook
from microveil.io.csv_delimiter import DELIMITERS, PLAIN_CHARACTER, is_delimiter, is_tab_separated
from microveil.io.formats.format import Contents, Format, Option, Options, Settings, is_gzip
from microveil.io.formats.options import ENCODING

if TYPE_CHECKING:
    from microveil.io.cleaning import Clean

FORMULAS = ("keep", "refuse")
_DECIMAL = Option("decimal", lambda value: value in (".", ","), '"," or "."', {"enum": [",", ".", None]})
_DELIMITER = Option("delimiter", is_delimiter, PLAIN_CHARACTER, {"minLength": 1, "maxLength": 1})


class Csv(Format):
    """Fields between delimiters, one header row; only an empty field is missing."""

    name = "csv"
    title = "CSV"
    endings = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
    reading = (ENCODING, _DECIMAL, _DELIMITER)
    writing = (_DELIMITER, Option("formulas", lambda value: value in FORMULAS, f"one of {list(FORMULAS)}"))

    def read(self, path: Path, options: Options) -> Contents:
        """The types of the columns are decided over the whole file."""
        from microveil.io.csv_read import read_csv

        packed = is_gzip(path) if options.packed is None else options.packed
        table, read_as = read_csv(
            path, self, packed, **options.stated, missing=options.missing, categories=options.categories
        )
        return Contents(table, Codebook(source=path.resolve(), read_as=read_as))

    def adapt(self, clean: Clean, stated: Settings) -> Clean:
        """Notes say where other programs would see something else, such as a formula."""
        from microveil.io.csv_write import for_csv

        return for_csv(clean, stated.get("formulas", FORMULAS[0]))

    def write(self, clean: Clean, handle: BinaryIO, target: Path, stated: Settings) -> None:
        """Text in quotes, numbers without, missing cells empty."""
        from microveil.io.csv_write import write_csv

        write_csv(clean.table, handle, _separator(target, stated), is_gzip(target))

    def read_back_with(self, target: Path, stated: Settings) -> Settings:
        """A delimiter that everyone has to find is found here as well; tabs are told by the ending."""
        separator = _separator(target, stated)
        told = separator not in DELIMITERS or is_tab_separated(target)
        return {"decimal": ".", **({"delimiter": separator} if told else {})}


def _separator(target: Path, stated: Settings) -> str:
    return stated.get("delimiter", "\t" if is_tab_separated(target) else ",")


CSV = Csv()
