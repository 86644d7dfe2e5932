"""The project that the app is about: its file, its versions, its jobs."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from microveil.app.jobs import Jobs
from microveil.app.named_files import check_new_files
from microveil.app.versions import Version, Versions, mark_of
from microveil.core.errors import BadInput, MicroveilError
from microveil.core.locking import locked_folder
from microveil.io import read_text, read_yaml, write_text
from microveil.plan import Project

BY_HAND = "changed outside of the app"


class ChangedMeanwhile(BadInput):
    """The project is no longer the one that a form was filled in on."""


@dataclass(frozen=True)
class Now:
    """The project as it is: its text, what it says or why it cannot be read, and its newest version."""

    text: str = ""
    project: Project | None = None
    problem: str = ""
    version: Version | None = None

    @property
    def is_there(self) -> bool:
        """Whether there is a project file at all."""
        return bool(self.text)

    @property
    def mark(self) -> str:
        """What tells this text from others."""
        return mark_of(self.text) if self.text else "none"

    def mark_of(self, sections: Sequence[str]) -> str:
        """What tells these sections of the project from others that they might say."""
        try:
            fields = read_yaml(self.text, "the project") if self.text else None
        except MicroveilError:
            return self.mark
        said = {name: fields.get(name) for name in sections} if isinstance(fields, dict) else {}
        return mark_of(repr(said))


def work_folder(project: Path) -> Path:
    """Where versions and jobs of a project are."""
    return project.absolute().with_name(f"{project.stem}_work")


class Workspace:
    """A project file and what belongs to it, beside it: `<name>_work` holds versions and jobs."""

    def __init__(self, project: Path) -> None:
        self.folder = project.absolute().parent.resolve()  # without .. inside: names of files are compared with it
        self.path = self.folder / project.name
        self.work = work_folder(self.path)
        self.versions = Versions(self.work / "versions")
        self.jobs = Jobs(self.work / "jobs", self.path)
        self._saving = threading.Lock()

    def now(self) -> Now:
        """The project as it is; a text that the versions do not know yet becomes one."""
        with self._alone() if self.path.exists() else contextlib.nullcontext():
            return self._now()

    def save(self, change: Callable[[str], str], base: str, why: str) -> Version:
        """Change the text of the project; nothing is saved if it was changed since `base`, or if it cannot be read."""
        with self._alone():
            now = self._now()
            if now.mark != base:
                raise ChangedMeanwhile(
                    "the project was changed in the meantime, in another tab or by an editor, and what you sent was "
                    "not saved; look at what it says now, and make your change again"
                )
            text = change(now.text)
            check_new_files(Project.from_text(text), now.project, self.folder)
            version = self.versions.add(text, why)
            try:
                write_text(self.path, text)
            except (MicroveilError, OSError):  # a full disk: the project is still the version before
                if version != now.version:
                    self.versions.drop(version)
                raise
            return version

    def from_here(self, message: str) -> str:
        """A message that names files from the folder of the project, as pages do."""
        return message.replace(f"{self.folder}{os.sep}", "")

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """One after the other: the tabs of this app, other apps on the same project, and jobs that write it."""
        with self._saving:
            self.work.mkdir(parents=True, exist_ok=True, mode=0o700)
            with locked_folder(self.work, self.path.name):
                yield

    def _now(self) -> Now:
        if not self.path.exists():
            return Now()
        text = read_text(self.path)
        if not text.strip():
            return Now()
        last = self.versions.last()
        if last is None or not last.holds(text):
            last = self.versions.add(text, BY_HAND if last is not None else "as it was found")
        try:
            project = replace(Project.from_text(text), folder=self.folder)
            return Now(text, project, version=last)
        except MicroveilError as problem:
            return Now(text, problem=str(problem), version=last)
