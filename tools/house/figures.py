"""All figures of one tree."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tools.house.classes import asked_by_class, definitions_in, members
from tools.house.concepts import written_again
from tools.house.imports import between_rooms, cycles_in, edges_of, fan_in, longest_chain
from tools.house.tree import Module, modules_in


@dataclass(frozen=True)
class Function:
    """A function, where it stands and how long it is."""

    name: str
    lines: int


@dataclass(frozen=True)
class Figures:
    """What is counted in a tree."""

    files: int
    lines: int
    median_file: float
    largest_file: tuple[str, int]
    functions: tuple[Function, ...]  # the shortest first
    edges: int
    edges_between_rooms: int
    room_pairs: int
    fan_in: tuple[str, int]
    fan_out: tuple[str, int]
    cycles: tuple[tuple[str, ...], ...]
    chain: tuple[str, ...]
    asked_by_class: tuple[tuple[str, int, str], ...]
    written_again: Mapping[str, list[str]] | None
    families: Mapping[str, int]


def figures_of(package: Path, concepts: Path) -> Figures:
    """The figures of the package in this folder."""
    modules = modules_in(package)
    edges = edges_of(modules)
    crossing = between_rooms(edges, modules)
    concrete = members(definitions_in(modules))
    sizes = {name: module.lines for name, module in modules.items()}
    return Figures(
        files=len(modules),
        lines=sum(sizes.values()),
        median_file=median(sizes.values()),
        largest_file=_largest(sizes),
        functions=_functions(modules),
        edges=sum(map(len, edges.values())),
        edges_between_rooms=len(crossing),
        room_pairs=len(set(crossing)),
        fan_in=_largest(fan_in(edges)),
        fan_out=_largest({name: len(targets) for name, targets in edges.items()}),
        cycles=tuple(cycles_in(edges)),
        chain=longest_chain(edges),
        asked_by_class=tuple(asked_by_class(modules, concrete)),
        written_again=written_again(concepts, modules),
        families=dict(sorted(Counter(concrete.values()).items())),
    )


def percentile(functions: tuple[Function, ...], share: float) -> int:
    """The length that this share of the functions does not exceed."""
    return functions[max(0, -int(-share * len(functions) // 1) - 1)].lines if functions else 0


def _largest(counts: Mapping[str, int]) -> tuple[str, int]:
    return max(counts.items(), key=lambda item: (item[1], item[0]))


def _functions(modules: Mapping[str, Module]) -> tuple[Function, ...]:
    found = [
        Function(f"{module.name}.{node.name}", (node.end_lineno or node.lineno) - node.lineno + 1)
        for module in modules.values()
        for node in ast.walk(module.syntax)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return tuple(sorted(found, key=lambda function: (function.lines, function.name)))
