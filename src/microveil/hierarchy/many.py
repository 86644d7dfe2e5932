"""Hierarchies of several columns in one text file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from microveil.core.errors import BadInput
from microveil.hierarchy.files import Rows, labels_of, read_fields, write_rows
from microveil.hierarchy.hierarchy import Hierarchy


def read_hierarchies(path: str | Path, *, delimiter: str | None = None) -> dict[str, Hierarchy]:
    """The hierarchies of a file with a line `column;value;coarser;...;*` for each value of each column.

    They can be given to `mv.read` and `mv.Microdata` as `hierarchies=` as they are.
    """
    file = Path(path)
    fields, lines, mark = read_fields(file, delimiter)
    bare = [line for row, line in zip(fields, lines, strict=True) if len(row) < 3]
    if bare:
        raise BadInput(
            f"{file.name!r} has fewer than three fields in line {bare[0]}"
            + (f" and {len(bare) - 1} more" if len(bare) > 1 else "")
            + f"; write column{mark}value{mark}coarser{mark}* in each line"
        )
    found: dict[str, tuple[list[list[str]], list[int]]] = {}
    for row, line in zip(fields, lines, strict=True):
        rows, numbers = found.setdefault(row[0], ([], []))
        rows.append(row[1:])
        numbers.append(line)
    return {
        name: Hierarchy.of_rows(
            Rows([row[0] for row in rows], [labels_of(row[1:]) for row in rows], numbers, mark),
            f"the hierarchy of {name!r} in {file.name!r}",
        )
        for name, (rows, numbers) in found.items()
    }


def write_hierarchies(path: str | Path, hierarchies: Mapping[str, Hierarchy], *, delimiter: str = ";") -> None:
    """Write the file that `read_hierarchies` reads."""
    rows = ([name, value, *steps] for name, tree in hierarchies.items() for value, steps in tree.items())
    write_rows(Path(path), rows, delimiter)
