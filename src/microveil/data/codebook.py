"""What a file says about its columns beside their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_ENCODINGS = {"utf-8": "", "utf-8-sig": "UTF-8 with BOM", "utf-16": "UTF-16"}
_DELIMITERS = {",": "", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class ReadAs:
    """How a text file was read, found or told; as text, what is unusual about it in words.

    >>> str(ReadAs("cp1252", ";", ","))
    'read as cp1252, with semicolons and decimal commas'
    """

    encoding: str = "utf-8"
    delimiter: str = ","
    decimal: str = "."

    def __str__(self) -> str:
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
        return {name: getattr(self, name) for name, values in usual.items() if getattr(self, name) not in values}


@dataclass(frozen=True)
class Codebook:
    """Value labels and variable labels of a file, how its text was read, and where (private).

    `labels` maps a column to the text of its codes, `titles` maps a column to its description. Files
    without labels (CSV, Parquet) have none. `reading` holds the options with which `mv.read` gives the same data
    again, where the file does not tell by itself.
    """

    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict, hash=False)
    titles: Mapping[str, str] = field(default_factory=dict, hash=False)
    source: Path | None = field(default=None, repr=False)
    read_as: ReadAs | None = None
    reading: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)

    def of_levels(self, name: str, levels: Mapping[Any, Any] | set[Any]) -> dict[Any, str]:
        """The labels of one column for the levels named, and no other."""
        return {code: text for code, text in self.labels.get(name, {}).items() if code in levels}
