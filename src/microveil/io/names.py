"""Column names: what a file may call its columns."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from microveil.core.errors import BadInput
from microveil.io.limits import check_number_of_columns


def check_column_names(path: Path, names: Iterable[object], where: str = "the header") -> None:
    """Every column needs a name of its own, and nobody knows more columns than a few thousand."""
    seen: dict[object, int] = {}
    called = list(names)
    check_number_of_columns(path, len(called))
    for place, name in enumerate(called, start=1):
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
