"""A file that was written is read back before it takes its place."""

from __future__ import annotations

from pathlib import Path

from microveil.core.errors import BadInput, FileProblem
from microveil.data.canonical import canonical
from microveil.io.cleaning import Clean
from microveil.io.formats.format import Format, Options, Settings, is_gzip
from microveil.io.reading import read_contents


def verify(written: Clean, temporary: Path, path: Path, kind: Format, stated: Settings) -> None:
    """Read the file back as anyone would; every column must hold the same values."""
    try:
        everything = frozenset(written.table.column_names)
        options = Options(kind.read_back_with(path, stated), categories=everything, packed=is_gzip(path), ours=True)
        found = read_contents(temporary, options, kind).table
    except (BadInput, FileProblem):
        raise FileProblem(f"{str(path)!r} could not be read back after writing; nothing was written") from None
    names = written.table.column_names
    if found.column_names != names or found.num_rows != written.table.num_rows:
        raise FileProblem(f"{str(path)!r} did not come back with the same columns and records; nothing was written")
    for name in names:
        if not canonical(written.table[name]).equals(canonical(found[name])):
            raise FileProblem(
                f"{kind.title} cannot hold column {name!r}: its values would come back differently; "
                "write Parquet, or simplify the values; nothing was written"
            )
