"""Files below the folder of the project: the only ones that the app opens or names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from microveil.core.errors import BadInput, FileProblem
from microveil.package.names import AUDIT, CODEBOOK, INSIDE, PACKAGE
from microveil.package.numbering import RUNS

_DEEPEST = 4
_MOST = 2_000
_TEXTS_OF_RUNS = frozenset({(PACKAGE, f"{CODEBOOK}.txt"), (INSIDE, AUDIT)})  # end as files of data may, and are none


def below(folder: Path, named: str) -> Path:
    """The file of that name below a folder; one elsewhere is refused, also where a link leads there."""
    if not named or "\0" in named:
        raise BadInput("no file was named; choose one below the folder of the project")
    place = Path(os.path.normpath(folder / named))
    home = folder.resolve()
    try:
        found = place.resolve()
    except (OSError, RuntimeError) as problem:  # RuntimeError: links that lead in a circle
        raise BadInput(f"{named[:80]!r} cannot be the name of a file; choose one of the list") from problem
    if not place.is_relative_to(folder) or not found.is_relative_to(home):
        raise BadInput(
            f"{named!r} is not below the folder of the project, and the app opens no other files; copy it there, or "
            "start the app with a project beside it"
        )
    return place


def there(folder: Path, named: str) -> Path:
    """A file below a folder that is there."""
    place = below(folder, named)
    try:
        found = place.is_file()
    except OSError:  # a name that no file can have
        found = False
    if not found:
        raise FileProblem(f"there is no file {named!r} below the folder of the project; choose one of the list")
    return place


def runs_below(folder: Path) -> bool:
    """Whether there are runs below a folder; those elsewhere, behind a link, are none of this project."""
    place = folder / RUNS
    return place.is_dir() and place.resolve().is_relative_to(folder.resolve())


def data_files(folder: Path, without: Sequence[Path] = ()) -> list[str]:
    """The files below a folder that can be read as data, by their names from there; links out of it are left out.

    So are names that no page can send back: those that are no text, and those with a sign that browsers change.
    """
    from microveil.io.formats import endings_of, known_formats

    endings = tuple(endings_of(known_formats().values()))
    found = (path for path in _walk(folder, set(without)) if path.name.lower().endswith(endings))
    found = (path for path in found if (path.parent.name, path.name) not in _TEXTS_OF_RUNS)
    found = (path for path in found if _can_be_sent(path.relative_to(folder).as_posix()))
    names = list(islice((path.relative_to(folder).as_posix() for path in found if _is_inside(path, folder)), _MOST))
    return sorted(names, key=lambda name: (name.count("/"), name))


def _can_be_sent(name: str) -> bool:
    return "\r" not in name and not any("\ud800" <= sign <= "\udfff" for sign in name)


def _is_inside(path: Path, folder: Path) -> bool:
    """Whether it is a file below the folder, wherever links lead: no pipe, and no circle of links."""
    try:
        return path.is_file() and path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # RuntimeError: links that lead in a circle
        return False


def _walk(folder: Path, without: set[Path]) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        here = Path(place)
        depth = len(here.relative_to(folder).parts)
        folders[:] = [] if depth >= _DEEPEST else sorted(_open(here, folders, without))
        yield from (here / name for name in sorted(files) if not name.startswith("."))


def _open(here: Path, folders: Sequence[str], without: set[Path]) -> Iterator[str]:
    return (name for name in folders if not name.startswith(".") and here / name not in without)
