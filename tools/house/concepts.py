"""Ideas that should be written once (tools/concepts.toml), and where they are written again."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from tools.house.tree import Module


def written_again(file: Path, modules: Mapping[str, Module]) -> dict[str, list[str]] | None:
    """Ideas with a definition outside of their owner, and the modules that have one; None without a list of ideas."""
    if not file.is_file():
        return None
    stated = tomllib.loads(file.read_text(encoding="utf-8")).get("concept", [])
    homes: dict[str, list[str]] = {}
    for module in modules.values():
        for name in _defined_in(module.syntax):
            homes.setdefault(name, []).append(module.name)
    found = {}
    for concept in stated:
        owner = _dotted(concept["owner"], modules)
        others = sorted({home for name in concept["names"] for home in homes.get(name, []) if home != owner})
        if others:
            found[concept["idea"]] = others
    return found


def _dotted(owner: str, modules: Mapping[str, Module]) -> str:
    """An owner as a dotted name, also where it is given as a file or without the package."""
    package = next(iter(modules)).split(".")[0]
    parts = owner.removesuffix(".py").removesuffix("/__init__").replace("/", ".").removeprefix("src.")
    return parts if parts.split(".")[0] == package else f"{package}.{parts}"


def _defined_in(syntax: ast.Module) -> Iterator[str]:
    for node in syntax.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
