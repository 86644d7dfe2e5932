"""Column names: what a file may call its columns."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from microveil.core.errors import BadInput


def check_column_names(path: Path, names: Iterable[object], where: str = "the header") -> None:
    """Every column needs a name of its own."""
    seen: dict[object, int] = {}
    for place, name in enumerate(names, start=1):
        if name is None or not str(name).strip():
            raise BadInput(
                f"{str(path)!r}, {where}: column {place} has no name (row numbers?); name it or remove the column"
            )
        if name in seen:
            raise BadInput(
                f"{str(path)!r}, {where}: the column name {name!r} occurs more than once "
                f"(columns {seen[name]} and {place}); rename one of them"
            )
        seen[name] = place
