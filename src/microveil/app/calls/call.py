"""What a button does: one public call in a process of its own, and the command that does the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from microveil.app.named_files import check_read_files, read_in
from microveil.app.paths import below
from microveil.core.open_types import Json
from microveil.package.numbering import RUNS
from microveil.plan import Project


@dataclass(frozen=True)
class Work:
    """What a call is given: the project, what was asked, where its results go, and whom to tell how far it is."""

    project: Path
    settings: Json
    folder: Path
    tell: Callable[[str, int, int], None]

    @property
    def home(self) -> Path:
        """The folder of the project."""
        return self.project.parent

    def check_files(self) -> None:
        """Refuse files elsewhere: between the page and this process a link may have been put in their place."""
        asked = [self.settings.get(name) for name in ("path", "original", "protected", "log", "package", "trust")]
        for named in (RUNS, *filter(None, asked), *self.settings.get("plans", ())):
            below(self.home, str(named))
        if not self.settings.get("begin") and self.settings.get("with_project", True):
            check_read_files(self.load(), self.home)

    def files(self) -> list[str]:
        """The files on which the result depends, by their names from the folder of the project."""
        named = [str(self.settings[name]) for name in ("original", "protected", "log") if self.settings.get(name)]
        if self.settings.get("begin"):
            named.append(str(self.settings["path"]))
        elif not named:
            named += read_in(self.load())
        package = self.settings.get("package")
        inside = sorted((self.home / str(package)).rglob("*")) if package else ()
        return [*named, *(path.relative_to(self.home).as_posix() for path in inside if path.is_file())]

    def load(self) -> Project:
        """The project as its file says now."""
        return Project.load(self.project)


@dataclass(frozen=True)
class Call:
    """A kind of job: its title for people, what it does, and the words of the command that does the same.

    `command` is given the project's file and the settings; files are named from the folder of the project. `about` are
    the sections of the project on which the result depends: if one of them changes, it is of an earlier version.
    """

    name: str
    title: str
    do: Callable[[Work], Json]
    command: Callable[[Path, Json], tuple[str, ...]]
    about: tuple[str, ...] = ()


def argument(named: str) -> str:
    """A file as a word of a command; a name that would be taken for an option says where it is.

    >>> argument("survey.csv"), argument("-a.csv")
    ('survey.csv', './-a.csv')
    """
    return f"./{named}" if named.startswith("-") else named


FILE = ("dataset", "integers", "columns", "constraints")  # what the data are
