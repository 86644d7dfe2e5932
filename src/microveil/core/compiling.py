"""Loops as machine code, kept on disk until any source that it was compiled from changes.

Numba looks at the file of a function alone, not at those that it imports. So each module has a folder of its own,
named by a digest of its source and of all modules of the package that it leads to.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import llvmlite
import numba
import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE = Path(__file__).resolve().parents[1]
# a statement up to its end: comments, lines that go on, and names in parentheses are part of it
_IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*((?:from|import)\b(?:#[^\n]*|\\\r?\n|\((?:#[^\n]*|[^)#])*\)|[^\n\\;(#])*)", flags=re.MULTILINE
)
_OWN = re.compile(r"\bmicroveil\b|from\s*\.")
_settings: Any = numba.config
_decorating = threading.Lock()  # the folder is a setting of all of Numba


def compiled(function: Function) -> Function:
    """Compile a function, released from the interpreter lock; where no folder can be written, in each process anew."""
    return _compile(function, "never")


def inlined(function: Function) -> Function:
    """As `compiled`, and its body takes the place of every call in other compiled functions."""
    return _compile(function, "always")


def _compile(function: Function, inline: Literal["never", "always"]) -> Function:
    folder = _ready_folder(Path(function.__code__.co_filename))
    with _decorating:
        chosen, _settings.CACHE_DIR = _settings.CACHE_DIR, str(folder or "")
        try:
            machine_code: Any = numba.njit(function, cache=folder is not None, nogil=True, inline=inline)
        finally:
            _settings.CACHE_DIR = chosen
    return cast(Function, machine_code)


@cache
def _ready_folder(source: Path) -> Path | None:
    """The folder for the machine code of a module, without those of former sources; None if it cannot be written."""
    name = ".".join(source.relative_to(_PACKAGE).with_suffix("").parts)
    try:
        home = home_of_machine_code()
        folder = home / f"{name}-{_digest(source)}"
        if not folder.is_dir():
            folder.mkdir(parents=True)
            for former in home.glob(f"{name}-*"):
                if former != folder:
                    shutil.rmtree(former, ignore_errors=True)
    except (OSError, RuntimeError):  # RuntimeError: the user has no home
        return None
    return folder if os.access(folder, os.W_OK) else None


def home_of_machine_code() -> Path:
    """Where this installation keeps machine code: below NUMBA_CACHE_DIR, or the user's folder for caches."""
    if _settings.CACHE_DIR:
        base = Path(_settings.CACHE_DIR)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    installation = hashlib.sha256(str(_PACKAGE).encode()).hexdigest()[:12]
    return base / "microveil" / f"python{sys.version_info.major}.{sys.version_info.minor}-{installation}"


def _digest(source: Path) -> str:
    """What the machine code of a module depends on, beside the processor, which Numba looks at itself."""
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__} {np.__version__}".encode())
    for path in sorted(_sources(source)):
        digest.update(path.name.encode() + _text(path).encode())
    return digest.hexdigest()[:16]


def _sources(source: Path) -> set[Path]:
    """A module and all modules of the package that it leads to."""
    found, waiting = {source}, [source]
    while waiting:
        fresh = _imported(waiting.pop()) - found
        found |= fresh
        waiting += fresh
    return found


@cache
def _imported(source: Path) -> frozenset[Path]:
    """The modules of the package that a module imports, in whatever form and wherever in it.

    Packages above a module are run too, but nothing is compiled from them.
    """
    found = set()
    for node in _imports_in(_text(source)):
        if isinstance(node, ast.Import):
            found |= {_file_of(_below(alias.name)) for alias in node.names}
            continue
        parts = _below(node.module or "")
        if node.level:
            home = source.relative_to(_PACKAGE).parts[: -node.level]
            parts = (*home, *(node.module.split(".") if node.module else ()))
        for alias in node.names:
            of_name = None if parts is None else _file_of((*parts, alias.name))
            found.add(of_name or _file_of(parts))
    return frozenset(path for path in found if path is not None)


def _imports_in(text: str) -> list[ast.Import | ast.ImportFrom]:
    """The statements that import from the package; they alone are parsed, which takes a tenth of the time."""
    own = [statement for statement in _IMPORT.findall(text) if _OWN.search(statement)]
    try:
        trees = [ast.parse(statement) for statement in own]
    except SyntaxError:  # a text that looks like a statement
        trees = [ast.parse(text)]
    return [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def _below(module: str) -> tuple[str, ...] | None:
    """The parts of a module's name below the package; None of another package."""
    package, *parts = module.split(".")
    return tuple(parts) if package == _PACKAGE.name else None


def _file_of(parts: tuple[str, ...] | None) -> Path | None:
    """The file of a package or module by the parts of its name; None where there is none."""
    if parts is None:
        return None
    place = _PACKAGE.joinpath(*parts)
    files = (place / "__init__.py", place.with_suffix(".py"))
    return next((path for path in files if path.is_file()), None)


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
