"""What microveil finds on this machine: Python, machine code, folders, randomness, terminal, other programs."""

from __future__ import annotations

import os
import platform
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from microveil.cli.finding import Finding, found, lacking, works

_OLDEST_PYTHON = (3, 11)
_SIGNS = "≥ ± − → ü"  # of the kind that commands print
_PROGRAMS = {"chromium": ("chromium", "chromium-browser", "google-chrome", "chrome"), "java": ("java",)}


def check_machine() -> list[Finding]:
    """Everything that is not a package of Python."""
    checks = (_python, _machine_code, _pdf, _entropy, _temporary, _this_folder, _terminal)
    return [*map(_tried, checks), *(_program(name, calls) for name, calls in _PROGRAMS.items())]


def _tried(check: Callable[[], Finding]) -> Finding:
    """What a check finds; one that itself needs a broken package says so, and the others go on."""
    try:
        return check()
    except Exception as problem:  # noqa: BLE001 - whatever a broken package raises
        name = check.__name__.strip("_").replace("_", " ")
        told = f"it cannot be looked at ({' '.join(str(problem).split())})"
        return lacking(name, told, "repair what is BROKEN first", needed=False)


def _python() -> Finding:
    told = f"{platform.python_version()} ({platform.system()} {platform.machine()}), {sys.executable}"
    if sys.version_info < _OLDEST_PYTHON:
        return lacking("python", told, "install Python 3.11 or newer", needed=True)
    return works("python", told)


def _machine_code() -> Finding:
    """A loop is compiled and run, and the folder that keeps the machine code is looked at."""
    try:
        from microveil.core.compiling import home_of_machine_code
        from microveil.core.philox import words_at

        words_at(1, _positions())
        home = home_of_machine_code()
    except Exception as problem:  # noqa: BLE001 - whatever a broken compiler raises
        to_do = "python -m pip install --force-reinstall numba llvmlite numpy"
        return lacking("compiled loops", f"they cannot be compiled ({problem})", to_do, needed=True)
    kept = len(list(home.rglob("*.nbc"))) if home.is_dir() else 0
    if not _can_write(home):
        told = f"they run, but {home} cannot be written, so that every process compiles them anew"
        return lacking("compiled loops", told, "set NUMBA_CACHE_DIR to a folder that you may write", needed=False)
    return works("compiled loops", f"{kept} kept in {home}")


def _positions() -> Any:
    import numpy as np

    return np.arange(3)


def _pdf() -> Finding:
    """A page is set with the fonts of reports."""
    from microveil.core.errors import BadInput

    try:
        from microveil.report.typesetting import FONTS, check_pdf, set_pdf

        check_pdf()
        fonts = ", ".join(f'"{font}"' for font in FONTS)
        set_pdf(f'#set document(title: "x")\n#set text(lang: "en", font: ({fonts}))\nx'.encode())
    except BadInput:
        to_do = "reports are HTML; for PDF: python -m pip install 'microveil[pdf]'"
        return lacking("pdf", "typst and its fonts are not there", to_do, needed=False)
    except Exception as problem:  # noqa: BLE001 - whatever a broken compiler raises
        to_do = "reports are HTML; for PDF: python -m pip install --force-reinstall typst"
        return lacking("pdf", f"typst sets no page ({' '.join(str(problem).split())})", to_do, needed=False)
    return works("pdf", f"typst sets a page in {' and '.join(FONTS)}, for archives and readers of screens")


def _entropy() -> Finding:
    """Keys are drawn from here: two draws differ, and the system says that its source is ready."""
    try:
        if hasattr(os, "getrandom"):
            os.getrandom(32, os.GRND_NONBLOCK)
        drawn = {secrets.token_bytes(32) for _ in range(2)}
    except (OSError, NotImplementedError) as problem:
        to_do = "wait until the machine has gathered some, or repair its random source; no key can be drawn before"
        return lacking("randomness", f"the system gives none ({problem})", to_do, needed=True)
    if len(drawn) < 2:
        to_do = "repair the random source of the machine; a key that repeats protects nothing"
        return lacking("randomness", "two draws of the system were equal", to_do, needed=True)
    return works("randomness", "256 bits from the operating system, twice, and they differ")


def _temporary() -> Finding:
    try:
        folder = Path(tempfile.gettempdir())
    except OSError as problem:
        return lacking("temporary folder", f"there is none ({problem})", "set TMPDIR to one", needed=True)
    if not _can_write(folder):
        return lacking("temporary folder", f"{folder} cannot be written", "set TMPDIR to another one", needed=True)
    return works("temporary folder", f"{folder}, {_free(folder)} free")


def _this_folder() -> Finding:
    """Whether a run that is killed here leaves data behind."""
    from microveil.io.atomic import knows_nameless_files

    here, what = Path.cwd(), "files without names"
    if not _can_write(here):
        told = f"{here} cannot be written"
        return lacking(what, told, "go to a folder of yours before you run a command that writes", needed=False)
    if not knows_nameless_files(here):
        told = f"the file system of {here} knows none: what a killed run had written stays hidden until the next run"
        return lacking(what, told, "a folder on a local disk of Linux knows them", needed=False)
    return works(what, f"in {here}, {_free(here)} free: what a killed run had not finished is gone with it")


def _terminal() -> Finding:
    encoding = getattr(sys.stdout, "encoding", None) or "unknown"
    try:
        _SIGNS.encode(encoding)
    except (LookupError, UnicodeEncodeError):
        told = f"{encoding}, which has no signs such as {_SIGNS!a}"
        return lacking("terminal", told, "set PYTHONUTF8=1", needed=False)
    return works("terminal", encoding)


def _program(name: str, calls: tuple[str, ...]) -> Finding:
    """A program that nothing here needs, told because people ask for it."""
    path = next((place for call in calls if (place := shutil.which(call))), None)
    if path is None:
        return lacking(name, "not found", "nothing to do: no command needs it", needed=False)
    return found(name, f"{path}; no command needs it")


def _can_write(folder: Path) -> bool:
    """Whether a file can be made there; the folder is made if it can be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _free(folder: Path) -> str:
    return f"{shutil.disk_usage(folder).free / 2**30:,.1f} GiB"
