"""CSV files as files that blocks are taken from: converted once, out of sight."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from microveil.core.errors import FileProblem, MicroveilError
from microveil.data.codebook import Codebook, ReadAs
from microveil.engines.files import Files
from microveil.engines.held_folder import HeldFolder, hidden_in
from microveil.io.csv_convert import csv_to_parquet
from microveil.io.formats.format import Options


@dataclass(frozen=True)
class CsvFiles(Files):
    """The records of CSV files, as they were converted; there as long as somebody refers to them."""

    sources: tuple[Path, ...]
    read_as: ReadAs
    options: Options
    held: HeldFolder = field(compare=False, repr=False)

    @property
    def named(self) -> tuple[Path, ...]:
        """The CSV files."""
        return self.sources

    @property
    def codebook(self) -> Codebook:
        """The files that were named, and how they were read."""
        reading = {**self.read_as.options, **self.options.stated}
        return Codebook(source=self.sources[0].resolve(), read_as=self.read_as, reading=reading)

    def __reduce__(self) -> tuple[type[Files], tuple[Any, ...]]:
        return Files, (self.paths, self.counts, self.schema)  # who gets this with a task reads, and removes nothing


def files_of_csv(paths: Sequence[Path], options: Options, folder: str | os.PathLike[str] | None) -> CsvFiles:
    """Records of CSV files with the same columns, in a hidden folder inside `folder` or that for temporary files."""
    place = Path(tempfile.gettempdir() if folder is None else folder)
    stage = hidden_in(place, "the file")
    try:
        stage.new.mkdir()
        target = stage.new / "records.parquet"
        read_as = csv_to_parquet(paths, options, target)
        found = Files.of_paths([target])
    except BaseException as problem:
        stage.remove()
        if isinstance(problem, OSError) and not isinstance(problem, MicroveilError):
            raise FileProblem(
                f"the records cannot be kept in {str(place)!r}: {problem.strerror or type(problem).__name__}; nothing "
                "is left there; name a place with three times the room of the text (folder)"
            ) from None
        raise
    return CsvFiles(found.paths, found.counts, found.schema, tuple(paths), read_as, options, HeldFolder(stage))
