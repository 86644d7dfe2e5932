"""What a command writes: checked before anything runs, written together or not at all.

No output may be an input or another output, whatever links lead to it. An existing file is replaced only with --force,
a private log never: its key is the only one. Files are made in hidden folders beside their places and moved there
when all are complete, in the order in which they are named.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from microveil.cli.console import out
from microveil.cli.stopping import not_now, note_written
from microveil.core.errors import BadInput, FileProblem

LOG = "--log"  # never replaced, and its folder is private
_START_OF_LOG = b'"what": "private log of a microveil release'
_LOOKED_AT = 200


def check_outputs(inputs: Mapping[str, Path | None], outputs: Mapping[str, Path | None], force: bool) -> None:
    """Refuse outputs that are inputs or one another, that exist, or whose folder cannot be made."""
    seen: list[tuple[str, Path]] = [(name, path) for name, path in inputs.items() if path is not None]
    for name, path in outputs.items():
        if path is None:
            continue
        for other, known in seen:
            if _same(path, known):
                raise BadInput(f"{name} and {other} are the same file ({path}); give each a file of its own")
        seen.append((name, path))
        if path.is_dir():
            raise BadInput(f"{name} {path} is a folder; name a file in it")
        if path.exists() and (name == LOG or _is_log(path)):
            raise BadInput(f"{path} is there already; a log is never replaced: its key is the only one")
        if path.exists() and not force:
            raise BadInput(f"{path} is there already; give {name} another name, or say --force to replace it")
        _check_folder(name, path.parent)


def _is_log(path: Path) -> bool:
    """Whether a file is a private log, whatever it is called."""
    try:
        with path.open("rb") as file:
            return _START_OF_LOG in file.read(_LOOKED_AT)
    except OSError:
        return False


def _same(one: Path, other: Path) -> bool:
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    return one.exists() and other.exists() and one.samefile(other)


def _check_folder(name: str, folder: Path) -> None:
    nearest = folder.absolute()
    while not nearest.exists():
        nearest = nearest.parent
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        raise BadInput(f"{name}: nothing can be written into {nearest}; choose another folder")


@contextmanager
def written_together(outputs: Mapping[str, Path | None]) -> Iterator[dict[str, Path]]:
    """Where to write each output for now; all are moved to their places when the block ends, or none is."""
    wanted = {name: path for name, path in outputs.items() if path is not None}
    made: list[Path] = []
    stages: dict[str, Path] = {}
    try:
        for name, path in wanted.items():
            with not_now():
                made += _make_folder(path.parent, private=name == LOG)
                stages[name] = Path(tempfile.mkdtemp(prefix=".microveil-", dir=path.parent))
        yield {name: stages[name] / path.name for name, path in wanted.items()}
    except BaseException:
        with not_now():
            _undo(stages, made)
        raise
    with not_now():
        try:
            _move(wanted, stages)
        except BaseException:
            _undo(stages, made)
            raise
        for path in wanted.values():
            note_written(path)
        _remove(stages)
    for folder in dict.fromkeys(path.parent for path in wanted.values() if path.parent in made):
        out.print(f"Made the folder {folder}/.", markup=False)


def _undo(stages: Mapping[str, Path], made: list[Path]) -> None:
    _remove(stages)
    for folder in reversed(made):
        folder.rmdir()


def _make_folder(folder: Path, private: bool) -> list[Path]:
    """Make a folder and those above it; returns what was made, outermost first."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        try:
            path.mkdir(mode=0o700 if private else 0o777)
        except OSError as problem:
            raise FileProblem(f"the folder {path} cannot be made: {problem.strerror}") from None
    return missing[::-1]


def _move(wanted: Mapping[str, Path], stages: Mapping[str, Path]) -> None:
    moved: list[Path] = []
    try:
        for name, path in wanted.items():
            (stages[name] / path.name).replace(path)
            moved.append(path)
    except OSError as problem:
        for path in moved:
            path.unlink()
        raise FileProblem(f"{path} cannot be written: {problem.strerror}; nothing was written") from None


def _remove(stages: Mapping[str, Path]) -> None:
    for folder in stages.values():
        shutil.rmtree(folder, ignore_errors=True)
