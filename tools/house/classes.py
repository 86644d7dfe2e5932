"""What is registered, told from the sources alone, and who asks for one member by its class."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tools.house.tree import Module

CLAIM = "Claim"  # claims register themselves when they say how a deviation is measured


@dataclass(frozen=True)
class Definition:
    """A class as its first line states it."""

    name: str
    bases: tuple[str, ...]
    family: str
    registered: bool
    measures_deviation: bool


def definitions_in(modules: Mapping[str, Module]) -> dict[str, Definition]:
    """All classes of the package by name."""
    found = {}
    for module in modules.values():
        described = _described_in(module.syntax)
        for node in ast.walk(module.syntax):
            if isinstance(node, ast.ClassDef):
                words = {word.arg: word.value for word in node.keywords}
                family = words.get("family")
                found[node.name] = Definition(
                    node.name,
                    tuple(filter(None, map(_last_name, node.bases))),
                    described.get(_last_name(family), "") if isinstance(family, ast.Name) else _first_text(family),
                    "name" in words,
                    any(isinstance(inside, ast.FunctionDef) and inside.name == "deviation" for inside in node.body),
                )
    return found


def _described_in(syntax: ast.Module) -> dict[str, str]:
    """The names of families that are described by a value of their own: RISK = MeasureFamily("risk", ...)."""
    return {
        target.id: _first_text(node.value)
        for node in syntax.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _first_text(node: ast.expr | None) -> str:
    """A text, or the first argument of a call."""
    if isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def members(classes: Mapping[str, Definition]) -> dict[str, str]:
    """The family of every registered member; bases are none."""
    found = {}
    for name, one in classes.items():
        above = list(_line_of(name, classes))
        family = next((ancestor.family for ancestor in above if ancestor.family), "")
        if one.registered:
            found[name] = family or "(no family)"
        elif not name.startswith("_") and _is_claim(above):
            found[name] = "claim"
    return found


def _is_claim(line: Sequence[Definition]) -> bool:
    """Whether a class stands below the base of claims and says how a deviation is measured."""
    below = [one for one in line if one.name != CLAIM]
    return len(below) < len(line) and any(one.measures_deviation for one in below)


def _line_of(name: str, classes: Mapping[str, Definition]) -> Iterator[Definition]:
    """A class and all above it, nearest first."""
    seen = {name}
    waiting = [name]
    while waiting:
        one = classes.get(waiting.pop(0))
        if one is not None:
            yield one
            new = [base for base in one.bases if base not in seen]
            seen.update(new)
            waiting += new


def asked_by_class(modules: Mapping[str, Module], concrete: Mapping[str, str]) -> list[tuple[str, int, str]]:
    """Every `isinstance` of one registered member: module, line, class."""
    found = []
    for module in modules.values():
        for node in ast.walk(module.syntax):
            if isinstance(node, ast.Call) and _last_name(node.func) == "isinstance" and len(node.args) == 2:
                named = sorted(_names_in(node.args[1]) & set(concrete))
                found += [(module.name, node.lineno, name) for name in named]
    return found


def _names_in(node: ast.expr) -> set[str]:
    return {name for inside in ast.walk(node) if isinstance(inside, ast.expr) and (name := _last_name(inside))}


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
