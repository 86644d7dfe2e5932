"""Ideas that have one owner in the package, and definitions elsewhere that would be a second one.

`python -m tools.concepts` prints them; the list is `tools/concepts.toml`.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONCEPTS = ROOT / "tools" / "concepts.toml"
SOURCE = ROOT / "src"
ANEW = "microveil.testing"  # checks others by definitions of its own


@dataclass(frozen=True)
class Concept:
    """An idea, the module that owns it, and patterns of names that nobody else may define."""

    idea: str
    owner: str
    names: tuple[str, ...]

    def covers(self, name: str) -> bool:
        """Whether a definition of this name says that it is this idea."""
        return any(fnmatchcase(name.lstrip("_"), pattern) for pattern in self.names)


@dataclass(frozen=True)
class Definition:
    """A function or class at the top of a module."""

    module: str
    name: str
    line: int


def read_concepts(path: Path = CONCEPTS) -> list[Concept]:
    """The concepts of a file."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["concept"]
    return [Concept(entry["idea"], entry["owner"], tuple(entry["names"])) for entry in entries]


def definitions(source: Path = SOURCE) -> Iterator[Definition]:
    """All functions and classes at the top of the modules below a folder."""
    for path in sorted(source.rglob("*.py")):
        module = ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield Definition(module, node.name, node.lineno)


def second_owners(concepts: list[Concept], found: list[Definition]) -> list[str]:
    """One line for each definition that a concept gives to another module."""
    return [
        f"{one.module}:{one.line} defines {one.name}; {concept.owner} owns {concept.idea}"
        for concept in concepts
        for one in found
        if one.module != concept.owner and concept.covers(one.name) and not one.module.startswith(ANEW)
    ]


def absent_names(concepts: list[Concept], found: list[Definition]) -> list[str]:
    """Concepts whose owner defines none of their names: the list has gone stale."""
    return [
        f"{concept.owner} defines nothing of {concept.idea}: {', '.join(concept.names)}"
        for concept in concepts
        if not any(one.module == concept.owner and concept.covers(one.name) for one in found)
    ]


def main() -> int:
    """Print what is wrong; 1 if anything is."""
    concepts, found = read_concepts(), list(definitions())
    problems = second_owners(concepts, found) + absent_names(concepts, found)
    print("\n".join(problems) or f"{len(concepts)} concepts, each with one owner")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
