"""What a report is about: files with their hashes, columns with their roles, the plan, date and version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Self

from microveil.engines import FileRelease
from microveil.measure import Pair
from microveil.run.release import Release


@dataclass(frozen=True)
class NamedFile:
    """A file that a report is about: what it is, its name without folders, and the hash of its bytes."""

    what: str
    name: str
    sha256: str = ""

    @classmethod
    def of(cls, what: str, path: Path, named: Path | None = None) -> Self:
        """The file at a path; `named` is what it will be called where it is still in a temporary place."""
        from microveil.io import sha256_of

        return cls(what, (named or path).name, sha256_of(path))


@dataclass(frozen=True)
class Identity:
    """The head of a report, by which it can be filed."""

    date: str
    version: str
    files: tuple[NamedFile, ...]
    columns: tuple[tuple[str, str, str, str], ...]  # name, role, kind, what was done
    plan: str


def identity_of(pair: Pair, release: Release | None, files: Sequence[NamedFile], date: str = "") -> Identity:
    """The head of the report on a pair of files; its date is now unless one is given."""
    from microveil.plan import Plan

    plan = "" if release is None else Plan([record.step for record in release.steps]).to_text()
    columns = tuple(
        (str(name), pair.before.roles[name], pair.before.kinds[name], _done(name, pair, release))
        for name in pair.before.columns
    )
    day = date or f"{datetime.now().astimezone():%Y-%m-%d %H:%M %Z}"
    return Identity(day, version("microveil"), tuple(files), columns, plan)


def _done(name: str, pair: Pair, release: Release | None) -> str:
    if name not in pair.after.columns:
        return "not in the protected file"
    return "" if release is None else done_to(release, name)


def done_to(release: Release | FileRelease, name: str) -> str:
    """What was done to a column, in words that anybody may read."""
    if release.original.roles[name] == "identifier":
        return "left out when the file is written"
    methods = [record.method.name for record in release.steps if name in record.columns]
    if methods:
        return ", then ".join(methods)
    if release.original.roles[name] == "household":
        return "numbers drawn anew when the file is written"
    return "changed along with others" if name in release.changed else "left as it was"
