"""An earlier state of the package, taken out of the repository's history."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path


def first_commit(root: Path, package: str) -> str:
    """The first commit that has the package."""
    found = _git(root, "log", "--reverse", "--format=%h", "--", f"{package}/__init__.py").decode().split()
    return found[0] if found else ""


def describe(root: Path, commit: str) -> str:
    """The short name and the date of a commit; empty where it is not there, as in a clone without history."""
    try:
        return _git(root, "log", "-1", "--format=%h of %as", commit, "--").decode().strip()
    except subprocess.CalledProcessError:
        return ""


def take_out(root: Path, commit: str, package: str, folder: Path) -> Path:
    """The package as it was in a commit, in this folder."""
    with tarfile.open(fileobj=io.BytesIO(_git(root, "archive", "--format=tar", commit, package))) as archive:
        archive.extractall(folder, filter="data")
    return folder / package


def _git(root: Path, *words: str) -> bytes:
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, check=True).stdout
