"""A file of JSON lines that begins with what it is about, so that a run that was stopped goes on where it was.

It holds risk figures: it is internal, and only its owner can read it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from microveil.core.errors import BadInput, FileProblem
from microveil.core.locking import locked_folder
from microveil.core.open_types import Json
from microveil.core.streams import Key


def mark_of_key(seed: int | str | bytes | Key | None) -> str:
    """A mark by which another seed is noticed; empty without a seed, since fresh keys are no two alike.

    It is a hash under the key, of which nobody learns the key. Who guesses a seed that people chose could confirm it by
    the mark as by any figure of the run: such seeds are no secret, and a release never has the key of a trial.
    """
    if seed is None:
        return ""
    return hashlib.blake2b(b"mark", key=Key.of(seed).secret, digest_size=8, person=b"microveil-mark").hexdigest()


@contextmanager
def alone_in(folder: Path | None, what: str) -> Iterator[None]:
    """Keep others out of the folder of a journal: lines of two runs that are mixed can be taken up by neither."""
    if folder is None:
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FileProblem(f"the folder {folder} cannot be made: {problem.strerror}") from None
    with locked_folder(folder, f"{what} in {folder}"):
        yield


class Lines:
    """What the file holds beyond its first line (`found`), and where to add to it.

    `differs` says for each field of the head what it means that the file has another one. A last line that a kill tore
    (it has no end) is left out; any other line that is none (`is_line`), or that is about what another line is about
    (`about`), is an error.
    """

    def __init__(
        self,
        path: Path,
        head: Json,
        differs: Mapping[str, str],
        is_line: Callable[[Json], bool],
        about: Callable[[Json], str],
    ) -> None:
        self.path = path
        self.found: list[Json] = []
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            whole = self._take_in(head, differs, is_line, about) if path.exists() else 0
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            os.ftruncate(handle, whole)
            os.close(handle)
        except OSError as problem:
            raise FileProblem(f"the journal {path} cannot be opened: {problem.strerror}") from None
        if not whole:
            self.add(head)

    def add(self, fields: Json) -> None:
        """A line more, on disk before anything else happens."""
        try:
            with self.path.open("ab") as file:
                file.write(json.dumps(fields, ensure_ascii=False).encode() + b"\n")
        except OSError as problem:
            raise FileProblem(f"the journal {self.path} cannot be written: {problem.strerror}") from None

    def _take_in(
        self, head: Json, differs: Mapping[str, str], is_line: Callable[[Json], bool], about: Callable[[Json], str]
    ) -> int:
        """Read what is there; the bytes of whole lines."""
        whole = 0
        first: dict[str, int] = {}  # what lines are about, and the number of the first
        for number, (line, fields) in enumerate(_lines(self.path, is_line)):
            whole += len(line)
            if number:
                same = first.setdefault(about(fields), number)
                if same < number:
                    raise BadInput(
                        f"lines {same + 1} and {number + 1} of {self.path} are about the same plan; take the second "
                        "out, with all lines behind it, which are then made anew, or give another folder"
                    )
                self.found.append(fields)
            else:
                _check_head(fields, head, differs, self.path)
        return whole


def peek(path: Path) -> Iterator[Json]:
    """The lines that can be read as they are, nothing checked; none where there is no file."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return
    for line in lines:
        with suppress(ValueError, RecursionError):
            fields = json.loads(line)
            if isinstance(fields, dict):
                yield fields


def _lines(path: Path, is_line: Callable[[Json], bool]) -> Iterator[tuple[bytes, Json]]:
    lines = path.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines):
        whole = line.endswith(b"\n")
        try:
            fields = json.loads(line) if whole else None
        except (ValueError, RecursionError):
            fields = None
        if not isinstance(fields, dict) or (number and not is_line(fields)):
            if not whole:  # only a last line has no end
                return
            raise BadInput(
                f"line {number + 1} of {path} is no line of a journal, or it was damaged; give another folder, or take "
                "it out with all lines behind it, which are then made anew"
            )
        yield line, fields


def _check_head(found: Json, head: Json, differs: Mapping[str, str], path: Path) -> None:
    for name, told in differs.items():
        if found.get(name) != head.get(name):
            raise BadInput(f"what was begun in {path} {told}; give another folder, or ask for the same again")
