"""The files that somebody names to be scanned, whatever their format."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from microveil.core.errors import BadInput
from microveil.core.open_types import Stated
from microveil.data.schema import check_codes
from microveil.engines.csv_files import files_of_csv
from microveil.engines.files import Files, named_files
from microveil.io.formats import format_of, reading_options
from microveil.io.formats.csv import CSV
from microveil.io.formats.format import Options
from microveil.io.stating import state_options


def files_named(
    place: Path,
    how: Mapping[str, str | None],
    stated: Stated,
    folder: str | os.PathLike[str] | None,
    elsewhere: bool,
    where: Any,
) -> Files:
    """The files of a path or a pattern; `how` they are read, and what is `stated` of their columns.

    `elsewhere`: others than this process read what is written here. `where` is the function whose arguments these are.
    """
    paths = named_files(place)
    kind = format_of(paths[0])
    options = state_options(how, kind, kind.reading, reading_options(), where)
    if kind.name != CSV.name:
        if folder is not None:
            raise BadInput(
                "folder is where the records of a Spark frame or of CSV files are kept meanwhile; leave it out for "
                f"{kind.title} files"
            )
        return Files.of_paths(paths)
    if elsewhere and folder is None:
        raise BadInput(
            "CSV files are converted once before Spark can work on them: give a folder that all of its machines see, "
            "in which the records may be kept meanwhile"
        )
    missing = stated["missing"]
    if isinstance(missing, str) or not isinstance(missing, Mapping | Sequence | None):
        raise BadInput(f"missing is {missing!r}; give a list of codes, or a list for each column")
    for name, codes in missing.items() if isinstance(missing, Mapping) else ():
        check_codes(name, codes)
    kinds = {name for name, kind in (stated["kinds"] or {}).items() if kind != "continuous"}
    return files_of_csv(paths, Options(options, missing or (), frozenset({*(stated["levels"] or ()), *kinds})), folder)
