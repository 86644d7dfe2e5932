"""Trees of nodes, each with the node above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, Self

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell, Stated
from microveil.core.parameters import Example
from microveil.hierarchy.checking import TOP
from microveil.hierarchy.files import labels_of, read_fields, value_text
from microveil.hierarchy.rule import HierarchyRule


@dataclass(frozen=True, kw_only=True)
class Tree(HierarchyRule, name="tree"):
    """A tree of countries, occupations or products, from a text file with a line `node;parent` for each node.

    Values may be leaves or inner nodes. A node without a line of its own is a root. A value of a short branch stays
    itself at first, so that nodes of one depth stand on one level. Further fields of a line, such as labels, are not
    read.

    >>> Tree(parents={"Vienna": "Austria", "Austria": "Europe", "Malta": "Europe"}).whole_path("Malta")
    ('Malta', 'Europe', '*')
    """

    file: Annotated[str | None, Example("countries.csv"), "the text file, in UTF-8"] = None
    delimiter: Annotated[
        str | None, Example(";", {"file": "a.csv"}), "what stands between node and parent; left out, found"
    ] = None
    parents: Annotated[
        Mapping[str, str] | None, Example({"Vienna": "Austria"}), "the tree itself instead of a file: node to parent"
    ] = None

    takes = "nodes of the tree"
    samples = ("Vienna", "Austria", "Malta")
    example: ClassVar[Stated] = {"parents": {"Vienna": "Austria", "Austria": "Europe", "Malta": "Europe"}}

    def validate(self) -> None:
        """The tree is in a file or stated."""
        if (self.file is None) == (self.parents is None):
            raise BadInput("tree needs either the file of the tree or its parents; give one of them")
        if self.delimiter is not None and self.file is None:
            raise BadInput(f"delimiter={self.delimiter!r} is that of a file; give the file too")

    def bound(self, values: Sequence[Cell]) -> Self:
        """With what the file says, which may change later."""
        return self if self.file is None else replace(self, file=None, delimiter=None, parents=self._parents)

    @cached_property
    def _parents(self) -> Mapping[str, str]:
        if self.file is None:
            return self.parents or {}
        name = Path(self.file).name
        fields, lines, mark = read_fields(Path(self.file), self.delimiter)
        parents: dict[str, str] = {}
        for row, line in zip(map(labels_of, fields), lines, strict=True):
            if len(row) < 2 or not row[0]:
                raise BadInput(f"{name!r} has no node and parent in line {line}; write node{mark}parent in each line")
            if parents.setdefault(row[0], row[1]) != row[1]:
                raise BadInput(
                    f"{name!r} gives {row[0]!r} two parents, {parents[row[0]]!r} and in line {line} {row[1]!r}; "
                    "give it one"
                )
        return parents

    @cached_property
    def _nodes(self) -> dict[str, tuple[str, ...]]:
        """The nodes above each node."""
        found: dict[str, tuple[str, ...]] = {}
        for node in dict.fromkeys((*self._parents, *self._parents.values())):
            self._climb(node, found)
        return {node: above for node, above in found.items() if node not in ("", TOP)}

    def _climb(self, node: str, found: dict[str, tuple[str, ...]]) -> None:
        """Add what is above a node, and above all that are on its way."""
        way: dict[str, None] = {}
        while node not in found and node not in ("", TOP):
            if node in way:
                raise BadInput(f"the tree leads from {node!r} back to itself; take the circle out")
            way[node] = None
            node = self._parents.get(node, "")
        above = (node, *found[node]) if node in found else ()
        for below in reversed(way):
            found[below] = above
            above = (below, *above)

    @cached_property
    def _height(self) -> int:
        return max((len(above) for above in self._nodes.values()), default=0)

    def steps(self, value: Cell) -> tuple[str, ...] | None:
        """The nodes above, on the levels of their depth."""
        node = value_text(value)
        above = self._nodes.get(node)
        return None if above is None else (*(node,) * (self._height - len(above)), *above)
