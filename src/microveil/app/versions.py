"""The versions of a project: every saved change has a number, and going back to one is a change like any other."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

from microveil.core.errors import MicroveilError
from microveil.io import read_text, write_text

_NAME = re.compile(r"\d{4,}\.yaml")


@dataclass(frozen=True)
class Version:
    """One state of the project: its number, when it was saved and what was changed."""

    number: int
    path: Path
    when: str = ""
    why: str = ""

    @property
    def name(self) -> str:
        """The number as files have it."""
        return f"{self.number:04d}"

    @property
    def text(self) -> str:
        """The whole project as it was."""
        return read_text(self.path)

    @property
    def shown(self) -> str:
        """The same for people to look at; empty where somebody spoilt the file, which hides no other version."""
        try:
            return self.text
        except MicroveilError:
            return ""

    def holds(self, text: str) -> bool:
        """Whether it is of this text."""
        try:
            return self.path.read_bytes() == text.encode()
        except OSError:
            return False


class Versions:
    """The numbered versions in a folder; one that is there is never changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> list[Version]:
        """Every version, the first first."""
        if not self.folder.is_dir():
            return []
        found = (path for path in self.folder.iterdir() if _NAME.fullmatch(path.name))
        return [_version(path) for path in sorted(found, key=lambda path: int(path.stem))]

    def find(self, number: int) -> Version | None:
        """The version of that number."""
        path = self.folder / f"{number:04d}.yaml"
        return _version(path) if path.is_file() else None

    def last(self) -> Version | None:
        """The newest version."""
        known = self.all()
        return known[-1] if known else None

    def add(self, text: str, why: str) -> Version:
        """Keep a text as the next version; the same text again is none."""
        last = self.last()
        if last is not None and last.holds(text):
            return last
        number = 1 if last is None else last.number + 1
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self.folder / f"{number:04d}.yaml"
        said = {"when": datetime.now().astimezone().isoformat(timespec="seconds"), "why": why}
        # the words first: a version is there when its text is
        write_text(path.with_suffix(".json"), json.dumps(said, ensure_ascii=False) + "\n", private=True)
        write_text(path, text, private=True)
        return _version(path)

    def drop(self, version: Version) -> None:
        """Forget a version that the project never was."""
        version.path.unlink(missing_ok=True)
        version.path.with_suffix(".json").unlink(missing_ok=True)


def mark_of(text: str) -> str:
    """What tells one text of a project from another, for forms that were filled in on one of them."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def changes(before: str, after: str) -> list[tuple[str, str]]:
    """The lines that differ: `-` before, `+` after; lines around them are left out."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    told = islice(lines, 2, None)  # behind the names of the two texts
    return [(line[0], line[1:]) for line in told if line[:1] in "+-"]


def _version(path: Path) -> Version:
    try:
        said = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        said = {}
    said = said if isinstance(said, dict) else {}
    return Version(int(path.stem), path, str(said.get("when", "")), str(said.get("why", "")))
