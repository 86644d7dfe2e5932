"""What a file says about its columns beside their values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from microveil.core.open_types import Cell, Labels, Stated

_ENCODINGS = {"utf-8": "", "utf-8-sig": "UTF-8 with BOM", "utf-16": "UTF-16"}
_DELIMITERS = {",": "", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class ReadAs:
    """How a text file or a workbook was read, found or told; as text, what is unusual about it in words.

    >>> str(ReadAs("cp1252", ";", ","))
    'read as cp1252, with semicolons and decimal commas'
    >>> str(ReadAs(sheet="2024", other_sheets=("2023",)))
    "read from the sheet '2024'; the sheet '2023' was left out"
    """

    encoding: str = "utf-8"
    delimiter: str = ","
    decimal: str = "."
    sheet: str | None = None
    other_sheets: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.other_sheets:
            names = ", ".join(map(repr, self.other_sheets))
            were = f"the sheet {names} was" if len(self.other_sheets) == 1 else f"the sheets {names} were"
            return f"read from the sheet {self.sheet!r}; {were} left out"
        encoding = _ENCODINGS.get(self.encoding, self.encoding)
        marks = [_DELIMITERS.get(self.delimiter, f"{self.delimiter!r} between fields")]
        marks += ["decimal commas"] if self.decimal == "," else []
        said = " and ".join(filter(None, marks))
        parts = [f"as {encoding}"] * bool(encoding) + [f"with {said}"] * bool(said)
        return f"read {', '.join(parts)}" if parts else ""

    @property
    def options(self) -> dict[str, str]:
        """The options that read the file so again, without those that are usual."""
        usual = {"encoding": ("utf-8", "utf-8-sig"), "delimiter": (",",), "decimal": (".",)}
        found = {name: getattr(self, name) for name, values in usual.items() if getattr(self, name) not in values}
        return {**found, "sheet": self.sheet} if self.sheet is not None and self.other_sheets else found


@dataclass(frozen=True)
class Codebook:
    """Value labels and variable labels of a file, how its text was read, and where (private).

    `labels` maps a column to the text of its codes, `titles` maps a column to its description. Files
    without labels (CSV, Parquet) have none. `reading` holds the options with which `mv.read` gives the same data
    again, where the file does not tell by itself.
    """

    labels: Mapping[str, Labels] = field(default_factory=dict, hash=False)
    titles: Mapping[str, str] = field(default_factory=dict, hash=False)
    source: Path | None = field(default=None, repr=False)
    read_as: ReadAs | None = None
    reading: Stated = field(default_factory=dict, hash=False, repr=False)

    def of_levels(self, name: str, levels: Collection[Cell]) -> dict[Cell, str]:
        """The labels of one column for the levels named, and no other."""
        return {code: text for code, text in self.labels.get(name, {}).items() if code in levels}
