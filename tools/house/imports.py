"""Who imports whom, at any level: imports inside functions count, those for type checkers alone do not."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from functools import cache

from tools.house.tree import Module

Edges = Mapping[str, frozenset[str]]


def edges_of(modules: Mapping[str, Module]) -> dict[str, frozenset[str]]:
    """The modules that each module imports, itself and the folders around them left out."""
    return {
        name: frozenset(target for target in _targets(module, modules) if target != name)
        for name, module in modules.items()
    }


def _targets(module: Module, known: Collection[str]) -> Iterator[str]:
    for node in _at_run_time(module.syntax):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            base = _base(module, node)
            for alias in node.names:
                inside = f"{base}.{alias.name}"
                if inside in known:
                    yield inside
                elif base in known:
                    yield base


def _base(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    above = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*above, *([node.module] if node.module else [])])


def _at_run_time(node: ast.AST) -> Iterator[ast.AST]:
    """All statements but those that only a type checker sees; an expression holds no import."""
    waiting = [node]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if isinstance(child, ast.expr):
                continue
            kept: list[ast.AST] = [child]
            if isinstance(child, ast.If) and _asks_for_checking(child.test):
                kept = [*child.orelse]
            yield from kept
            waiting += kept


def _asks_for_checking(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return name.lstrip("_") == "TYPE_CHECKING"


def cycles_in(edges: Edges) -> list[tuple[str, ...]]:
    """Modules that import one another in a circle, each such set once (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[tuple[str, ...]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for target in sorted(edges.get(name, ())):
            if target not in index:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], index[target])
        if low[name] == index[name]:
            at = stack.index(name)
            circle = tuple(sorted(stack[at:]))
            del stack[at:]
            if len(circle) > 1:
                found.append(circle)

    for name in sorted(edges):
        if name not in index:
            visit(name)
    return sorted(found)


def longest_chain(edges: Edges) -> tuple[str, ...]:
    """The longest way down from one module to the next that it imports; a circle is passed once."""
    circle_of = {name: circle for circle in cycles_in(edges) for name in circle}

    @cache
    def below(name: str) -> tuple[str, ...]:
        circle = circle_of.get(name, (name,))
        ways = {target for member in circle for target in edges.get(member, ()) if target not in circle}
        return (name, *max((below(target) for target in sorted(ways)), key=len, default=()))

    return max((below(name) for name in sorted(edges)), key=len, default=())


def fan_in(edges: Edges) -> dict[str, int]:
    """How many modules import each one."""
    counts = dict.fromkeys(edges, 0)
    for targets in edges.values():
        for target in targets:
            counts[target] += 1
    return counts


def between_rooms(edges: Edges, modules: Mapping[str, Module]) -> list[tuple[str, str]]:
    """The rooms of both ends of every import that leaves a room."""
    pairs = [(modules[name].room, modules[target].room) for name, targets in edges.items() for target in targets]
    return [pair for pair in pairs if pair[0] != pair[1]]
