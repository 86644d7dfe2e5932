"""What an addition costs: the recipes of CONTRIBUTING.md performed on copies of the tree, and their files counted."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.recipes import ROOT, Recipe, copy_tree, run_checks


@dataclass(frozen=True)
class Addition:
    """The files that a kind of addition took, tests and documents apart."""

    added: tuple[str, ...]
    changed: tuple[str, ...]


def measure_additions(recipes: Mapping[str, Recipe], root: Path = ROOT) -> dict[str, Addition]:
    """Each recipe on a copy of its own; it counts once what it says must work does."""
    found = {}
    for kind, recipe in recipes.items():
        with tempfile.TemporaryDirectory() as folder:
            copy = copy_tree(Path(folder), root)
            here = {path.relative_to(copy).as_posix() for path in copy.rglob("*")}
            touched = recipe.perform(copy)
            run_checks(copy, [recipe])
            found[kind] = Addition(
                tuple(path for path in touched if path not in here), tuple(path for path in touched if path in here)
            )
    return found
