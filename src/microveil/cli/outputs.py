"""What a command writes: checked before anything runs, written together or not at all.

No output may be an input or another output, whatever links lead to it. An existing file is replaced only with --force,
a private log never: its key is the only one. Files are made without names (`io.holding`), or where that cannot be in
hidden folders beside their places (`stages`), and get their places when all are complete, in the order in which they
are named; if one cannot be, what they replaced is put back.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from microveil.cli.console import out
from microveil.cli.stopping import not_now, note_written
from microveil.core.errors import BadInput, FileProblem
from microveil.core.stages import Stage, remove_left_behind

if TYPE_CHECKING:
    from microveil.io.holding import Held

LOG = "--log"  # never replaced, and its folder is private
_START_OF_LOG = b'"what": "private log of a microveil release'
_LOOKED_AT = 200


def check_outputs(
    inputs: Mapping[str, Path | None], outputs: Mapping[str, Path | None], force: bool, named_by: str | None = None
) -> None:
    """Refuse outputs that are inputs or one another, that exist, or whose folder cannot be made.

    Outputs are called by their options, unless one option (`named_by`) says where all of them go.
    """
    from microveil.io.first_bytes import check_there
    from microveil.io.paths import check_path

    seen: list[tuple[str, Path]] = [(name, path) for name, path in inputs.items() if path is not None]
    for _, given in seen:
        check_there(given)  # a name that was mistyped is told first
    for name, path in outputs.items():
        if path is None:
            continue
        option = named_by or name
        check_path(path)  # before it is opened: a pipe would wait for ever
        for other, known in seen:
            if _same(path, known):
                raise BadInput(f"{name} and {other} are the same file ({path}); give each a file of its own")
        seen.append((name, path))
        if path.is_dir():
            told = "name a file in it" if named_by is None else f"give {option} another name"
            raise BadInput(f"{name} {path} is a folder; {told}")
        if os.path.lexists(path) and (name == LOG or _is_log(path)):
            raise BadInput(
                f"{path} is there already; a log is never replaced: its key is the only one; give {option} another name"
            )
        if os.path.lexists(path) and not force:
            raise BadInput(f"{path} is there already; give {option} another name, or say --force to replace it")
        _check_folder(option, path.parent)


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
    from microveil.io.holding import holding

    wanted = {name: path for name, path in outputs.items() if path is not None}
    made: list[Path] = []
    stages: dict[str, Stage] = {}
    with ExitStack() as until_moved:
        try:
            with not_now():
                _make_folders(wanted, made)
            for name, path in wanted.items():
                with not_now():
                    remove_left_behind(path.parent)
                    stages[name] = Stage(path)
            held = [until_moved.enter_context(holding(stage.new.parent)) for stage in stages.values()]
            yield {name: stage.new for name, stage in stages.items()}
        except BaseException:
            with not_now():
                _undo(stages, made)
            raise
        with not_now():
            try:
                _move(list(stages.values()), held)
            except BaseException:
                _undo(stages, made)
                raise
            for path in wanted.values():
                note_written(path)
            _remove(stages)
    parents = {path.parent for path in wanted.values()}
    for folder in (folder for folder in made if folder in parents):
        out.print(f"Made the folder {folder}/.", markup=False)


def _undo(stages: Mapping[str, Stage], made: list[Path]) -> None:
    _remove(stages)
    for folder in reversed(made):
        with suppress(OSError):  # somebody else has put something into it
            folder.rmdir()


def _make_folders(wanted: Mapping[str, Path], made: list[Path]) -> None:
    """Make the folders that are missing, and note each; that of a log is private, others that are needed are not."""
    of_log = wanted[LOG].parent if LOG in wanted else None
    for folder in sorted(dict.fromkeys(path.parent for path in wanted.values()), key=lambda folder: folder == of_log):
        for path in _missing(folder):
            try:
                path.mkdir(mode=0o700 if of_log in (path, folder) else 0o777)
            except OSError as problem:
                raise FileProblem(f"the folder {path} cannot be made: {problem.strerror}") from None
            made.append(path)


def _missing(folder: Path) -> list[Path]:
    """A folder and those above it that are not there, outermost first."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    return missing[::-1]


def _move(stages: Sequence[Stage], held: Sequence[Held]) -> None:
    """Give each file its name and its place, one after the other; until then a killed command leaves none of them."""
    moved: list[Stage] = []
    try:
        for stage in stages:
            stage.set_aside()
        for stage, files in zip(stages, held, strict=True):
            files.name()
            stage.move()
            moved.append(stage)
    except OSError as problem:
        not_undone = [told for told in (before.put_back() for before in reversed(moved)) if told]
        told = "; ".join(not_undone) or "nothing was written"
        raise FileProblem(f"{stage.place} cannot be written: {problem.strerror}; {told}") from None


def _remove(stages: Mapping[str, Stage]) -> None:
    for stage in stages.values():
        stage.remove()
