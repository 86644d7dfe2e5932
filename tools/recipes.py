"""The recipes of CONTRIBUTING.md: what somebody who follows them writes where, performed on a copy of the tree.

A recipe is a section under a `###` heading. Its fenced blocks say what is done:

    ```python title=PATH            a new file
    ```python append=PATH           lines at the end of a file
    ```diff title=PATH              what begins with - becomes what begins with +; other lines say where
    ```python check                 what must work then; each stops at the first thing that does not
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "CONTRIBUTING.md"
PACKAGE = "src/microveil"

_SECTION = re.compile(r"^### (.+?)\n(.*?)(?=^##|\Z)", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"^```(?:python|diff|ini)(?: (title|append)=(\S+)| (check))\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Action:
    """One block of a recipe: `how` is file, append or change."""

    how: str
    path: str
    text: str

    def perform(self, folder: Path) -> None:
        """Do what the block says in a copy of the tree; a block that no longer fits is an error."""
        file = folder / self.path
        if self.how == "file":
            if file.exists():
                raise ValueError(f"{DOCUMENT.name} adds {self.path}, which exists")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self.text, encoding="utf-8")
            return
        before = file.read_text(encoding="utf-8")
        file.write_text(before + self.text if self.how == "append" else self._changed(before), encoding="utf-8")

    def _changed(self, text: str) -> str:
        lines = self.text.splitlines()
        old, new = ("\n".join(line[1:] for line in lines if line[:1] in (" ", sign)) for sign in "-+")
        if text.count(old) != 1:
            raise ValueError(f"{DOCUMENT.name} changes a place that {self.path} has {text.count(old)} times:\n{old}")
        return text.replace(old, new)


@dataclass(frozen=True)
class Recipe:
    """How one kind of thing is added."""

    kind: str
    actions: tuple[Action, ...]
    checks: tuple[str, ...]

    def perform(self, folder: Path) -> tuple[str, ...]:
        """Do what the recipe says in a copy of the tree; the files added or changed."""
        for action in self.actions:
            action.perform(folder)
        return tuple(dict.fromkeys(action.path for action in self.actions))


def recipes(document: Path = DOCUMENT) -> dict[str, Recipe]:
    """All recipes of the document by the kind of thing they add."""
    found = {}
    for kind, section in _SECTION.findall(document.read_text(encoding="utf-8")):
        actions, checks = [], []
        for word, path, check, text in _BLOCK.findall(section):
            if check:
                checks.append(text)
            else:
                is_change = f"```diff title={path}\n{text}" in section
                actions.append(Action("change" if is_change else "file" if word == "title" else "append", path, text))
        if actions:
            found[kind] = Recipe(kind, tuple(actions), tuple(checks))
    return found


def copy_tree(folder: Path, root: Path = ROOT) -> Path:
    """A copy of the package and its import contract."""
    shutil.copytree(root / PACKAGE, folder / PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / ".importlinter", folder)
    return folder


def run_in(folder: Path, *command: str) -> str:
    """What a command prints that sees the copy in this folder; a failure is an error with what it said."""
    # of the few records of a page loops are run as they are sooner than compiled for a copy; words of 64 bits wrap
    plain = {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "error,ignore:overflow encountered:RuntimeWarning"}
    environment = {**os.environ, **plain, "PYTHONPATH": str(folder / "src")}
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        raise RuntimeError(f"{' '.join(command)[:200]}\n{result.stdout}{result.stderr}")
    return result.stdout


def run_checks(folder: Path, recipes: Iterable[Recipe]) -> str:
    """Run what must work by these recipes, with warnings as errors, in one process."""
    parts = [f"print({recipe.kind!r}, flush=True)\n{check}" for recipe in recipes for check in recipe.checks]
    (folder / "checks.py").write_text("\n".join(parts), encoding="utf-8")
    return run_in(folder, sys.executable, "checks.py")
