"""A package as it lies in a folder: its modules, their sources and their rooms."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

TOP = "(top)"  # the room of modules that lie in no folder of the package


@dataclass(frozen=True)
class Module:
    """One file of the package."""

    name: str
    path: Path
    is_package: bool

    @cached_property
    def text(self) -> str:
        """The source as it is written."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def syntax(self) -> ast.Module:
        """The source as a tree."""
        return ast.parse(self.text)

    @property
    def lines(self) -> int:
        """The lines of the file."""
        return len(self.text.splitlines())

    @property
    def room(self) -> str:
        """The folder of the package that it lies in."""
        parts = self.name.split(".")
        return parts[1] if len(parts) > 2 or (self.is_package and len(parts) == 2) else TOP


def modules_in(package: Path) -> dict[str, Module]:
    """All modules of the package in this folder, by their dotted names."""
    return {module.name: module for module in _found(package)}


def _found(package: Path) -> Iterator[Module]:
    for path in sorted(package.rglob("*.py")):
        parts = (package.name, *path.relative_to(package).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        yield Module(".".join(parts[:-1] if is_package else parts), path, is_package)
