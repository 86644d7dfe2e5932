"""Kernels as a library: each module in a subpackage that lists it, each subpackage with its contracts."""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

import microveil.kernels

KERNELS = Path(microveil.kernels.__file__).parent
PACKAGE = KERNELS.parent
CONTRACTS = Path(__file__).resolve().parents[2] / "docs" / "kernels.md"
SUBPACKAGES = sorted(path.parent.name for path in KERNELS.glob("*/__init__.py"))


def modules(subpackage: str) -> list[str]:
    return sorted(path.stem for path in (KERNELS / subpackage).glob("*.py") if path.stem != "__init__")


@cache
def offered(subpackage: str) -> dict[str, set[str]]:
    """The names that the docstring of a subpackage lists for each module."""
    text = importlib.import_module(f"microveil.kernels.{subpackage}").__doc__ or ""
    entries = re.findall(r"^- `(\w+)`: ((?:`\w+`(?:,\s+)?)+)", text, flags=re.MULTILINE)
    return {module: set(re.findall(r"`(\w+)`", names)) for module, names in entries}


@cache
def defined(subpackage: str, module: str) -> set[str]:
    tree = ast.parse((KERNELS / subpackage / f"{module}.py").read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def test_no_module_stands_outside_a_subpackage():
    assert {path.name for path in KERNELS.glob("*.py")} == {"__init__.py"}
    assert all((path.parent / "__init__.py").is_file() for path in KERNELS.glob("*/*.py"))


def test_every_subpackage_has_its_contracts():
    assert re.findall(r"^## (\w+)$", CONTRACTS.read_text(encoding="utf-8"), flags=re.MULTILINE) == SUBPACKAGES


@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_a_subpackage_lists_its_modules_and_what_they_offer(subpackage):
    package = importlib.import_module(f"microveil.kernels.{subpackage}")
    assert package.__all__ == modules(subpackage)
    assert all(f"`{module}`" in package.__doc__ for module in modules(subpackage))
    for module, names in offered(subpackage).items():
        assert names <= defined(subpackage, module), module


def test_what_others_use_is_offered():
    wanted = re.compile(r"from microveil\.kernels\.(\w+)\.(\w+) import \(?([\w\s,]+)")
    missing = []
    for path in PACKAGE.rglob("*.py"):
        for subpackage, module, names in wanted.findall(path.read_text(encoding="utf-8")):
            if path.parent != KERNELS / subpackage:
                used = set(re.findall(r"\w+", names)) & defined(subpackage, module)
                missing += [(path.name, module, name) for name in used - offered(subpackage).get(module, set())]
    assert missing == []
