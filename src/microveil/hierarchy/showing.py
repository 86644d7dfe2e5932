"""A hierarchy as a tree, for the terminal, notebooks and the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import islice
from typing import Any

from microveil.core.cards import Html
from microveil.core.open_types import Cell
from microveil.core.open_types import Hierarchy as Paths
from microveil.core.words import counted
from microveil.hierarchy.checking import TOP
from microveil.hierarchy.files import value_text

MOST_NODES = 200
_MOST_LINES = 40


class Node:
    """A node of the tree: what is below it by name (None: a value), and how many values it is itself."""

    __slots__ = ("below", "own")

    def __init__(self, own: int = 0) -> None:
        self.own, self.below = own, dict[str, Node | None]()

    @property
    def values(self) -> int:
        """How many values it stands for."""
        return self.own + sum(1 if child is None else child.values for child in self.below.values())

    def inner(self, name: str) -> Node:
        """The node of that name below; a value of that name is counted as part of it."""
        found = self.below.get(name)
        if found is None:
            found = self.below[name] = Node(int(name in self.below))
        return found

    def add(self, value: str) -> None:
        """A value below."""
        found = self.below.setdefault(value, None)
        if found is not None:
            found.own += 1


def tree_of(paths: Paths) -> tuple[str, Node]:
    """The tree of a hierarchy from its top, and the name of that; a node that repeats the one above is left out."""
    root = Node()
    last: dict[Sequence[Cell], tuple[str, Node]] = {}
    for value, path in paths.items():
        steps = tuple(path)
        if steps not in last:
            last[steps] = _walk(root, steps)
        name, node = last[steps]
        text = value_text(value)
        if text == name:
            node.own += 1
        else:
            node.add(text)
    if len(root.below) == 1:
        ((name, only),) = root.below.items()
        if only is not None and only.below:
            return name, only
    return TOP, root


def _walk(root: Node, path: Sequence[Cell]) -> tuple[str, Node]:
    """The nearest node above values of this path, made where it is new."""
    name, node = "", root
    for step in map(str, reversed(path)):
        if step != name:
            name, node = step, node.inner(step)
    return name, node


def sizes_of(paths: Paths) -> tuple[int, ...]:
    """How many different values each level has, the original ones first."""
    height = max(len(path) for path in paths.values())
    levels: list[set[str]] = [set() for _ in range(height)]
    for path in paths.values():
        for level in range(height):
            levels[level].add(str(path[min(level, len(path) - 1)]))
    return (len(paths), *map(len, levels))


def tell_size(paths: Paths) -> str:
    """How many values there are on each level, in words."""
    sizes = sizes_of(paths)
    return f"{counted(sizes[0], 'value')}, then {', '.join(f'{size:,}' for size in sizes[1:])}"


def tree_text(paths: Paths) -> str:
    """The tree as lines for a terminal; of a large one the upper part, with counts."""
    name, root = tree_of(paths)
    lines = [f"Hierarchy: {tell_size(paths)}", name]
    _add_lines(root, "", lines, _depth_shown(root, _MOST_LINES))
    return "\n".join(lines)


def _add_lines(node: Node, indent: str, lines: list[str], depth: int) -> None:
    more = len(node.below) - _MOST_LINES
    for place, (name, child) in enumerate(islice(node.below.items(), _MOST_LINES)):
        last = place == len(node.below) - 1
        folded = f" ({counted(child.values, 'value')})" if child is not None and depth <= 1 else ""
        lines.append(f"{indent}{'└─ ' if last else '├─ '}{name}{folded}")
        if child is not None and depth > 1:
            _add_lines(child, f"{indent}{'   ' if last else '│  '}", lines, depth - 1)
    if more > 0:
        lines.append(f"{indent}└─ {more:,} more")


def _depth_shown(root: Node, most: int) -> int:
    """How many levels below the root can be shown with no more nodes than that; one at least."""
    depth, nodes, level = 1, len(root.below), [root]
    while True:
        level = [child for node in level for child in node.below.values() if child is not None]
        nodes += sum(len(node.below) for node in level)
        if not level or nodes > most:
            return depth
        depth += 1


def tree_html(paths: Paths) -> Html:
    """The tree as nested lists to fold, escaped, without script; of a large one the upper part, with counts."""
    name, root = tree_of(paths)
    return Html(_node_html(name, root, _depth_shown(root, MOST_NODES), open_=True))


def _node_html(name: str, node: Node | None, depth: int, *, open_: bool = False) -> str:
    if node is None:
        return f"<div>{escape(name)}</div>"
    label = f"{escape(name)} <small>({counted(node.values, 'value')})</small>"
    if depth < 1:
        return f"<div>{label}</div>"
    inside = "".join(_node_html(below, child, depth - 1) for below, child in islice(node.below.items(), MOST_NODES))
    more = len(node.below) - MOST_NODES
    if more > 0:
        inside += f"<div>{more:,} more</div>"
    summary = f'<summary style="cursor:pointer">{label}</summary>'
    return f'<details{" open" * open_}>{summary}<div style="margin-left:1.4em">{inside}</div></details>'


def levels_table(paths: Paths, most: int = 10) -> tuple[Sequence[str], list[tuple[str, ...]]]:
    """Headings and rows: for each level how many values it has, and the first of them."""
    sizes = sizes_of(paths)
    names: list[Mapping[str, Any]] = [dict.fromkeys(value_text(value) for value in paths)]
    names += [
        dict.fromkeys(str(path[min(level, len(path) - 1)]) for path in paths.values())
        for level in range(len(sizes) - 1)
    ]
    rows: list[tuple[str, ...]] = [
        (str(level), f"{size:,}", ", ".join(list(found)[:most]) + (", ..." if len(found) > most else ""))
        for level, (size, found) in enumerate(zip(sizes, names, strict=True))
    ]
    return ("level", "values", "such as"), rows
