"""The journal of a study: a line of JSON for every trial, so that a study that was stopped goes on where it was.

The first line says what the study is about. Neither key nor seed is in it; a plan has the place of its streams, which
is a hash of its text. It holds risk figures and a fingerprint of the data: it is internal, and only its owner can read
it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from microveil.core.errors import BadInput, FileProblem
from microveil.core.open_types import Json
from microveil.data.fingerprint import fingerprint
from microveil.data.microdata import Microdata
from microveil.study.tried import Found

NAME = "journal.jsonl"
VERSION = 1


def mark_of_data(data: Microdata) -> str:
    """A fingerprint of the records and of what is known about their columns."""
    facts = [dict(data.roles), dict(data.kinds), [str(edit) for edit in data.edits], data.integers]
    return hashlib.sha256(f"{fingerprint(data)}{json.dumps(facts, sort_keys=True)}".encode()).hexdigest()


def place_of(text: str) -> str:
    """The hash of the path at which the streams of a plan begin."""
    return hashlib.sha256(f"trial {text}".encode()).hexdigest()[:16]


class Journal:
    """What was tried before, and where to note what is tried now; without a folder nothing is noted."""

    def __init__(self, folder: Path | None, head: Json) -> None:
        self.trials: list[tuple[str, Found]] = []
        self.draws: dict[tuple[str, int], Found] = {}  # confirmations of a plan, by its text and their number
        self._file: BinaryIO | None = None
        if folder is None:
            return
        path = folder / NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            whole = self._read(path, head) if path.exists() else 0
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            self._file = os.fdopen(handle, "r+b")
            self._file.truncate(whole)  # a line that a kill tore is written again
            self._file.seek(whole)
        except OSError as problem:
            raise FileProblem(f"the journal {path} cannot be opened: {problem.strerror}") from None
        if not whole:
            self._write(head)

    def note_trial(self, text: str, found: Found) -> None:
        """A trial was measured."""
        self.trials.append((text, found))
        self._write({"plan": json.loads(text), "place": place_of(text), **found.to_json()})

    def note_draw(self, text: str, number: int, found: Found) -> None:
        """A plan was run once more, to confirm it."""
        self.draws[text, number] = found
        self._write({"plan": json.loads(text), "draw": number, "place": place_of(text), **found.to_json()})

    def close(self) -> None:
        """Nothing more is noted."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, fields: Json) -> None:
        if self._file is None:
            return
        self._file.write(json.dumps(fields, ensure_ascii=False).encode() + b"\n")
        self._file.flush()

    def _read(self, path: Path, head: Json) -> int:
        """Take in what is there; the bytes of whole lines."""
        whole = 0
        for number, (line, fields) in enumerate(_lines(path)):
            whole += len(line)
            if not number:
                _check_head(fields, head, path)
                continue
            text = json.dumps(fields["plan"], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
            if "draw" in fields:
                self.draws[text, int(fields["draw"])] = Found.from_json(fields)
            else:
                self.trials.append((text, Found.from_json(fields)))
        return whole


def _is_about_a_plan(fields: Json) -> bool:
    """Whether a line tells of a plan, with figures that are within what their measures can be."""
    figures = fields.get("figures", {}).values()
    return {"plan", "state", "seconds"} <= fields.keys() and all(
        one["bounds"][0] <= one["value"] <= one["bounds"][1] for one in figures
    )


def _lines(path: Path) -> Iterator[tuple[bytes, Json]]:
    """The whole lines of a journal; the last one may be torn, no other."""
    lines = path.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines):
        try:
            fields = json.loads(line) if line.endswith(b"\n") else None
        except ValueError:
            fields = None
        if not isinstance(fields, dict) or (number and not _is_about_a_plan(fields)):
            if number == len(lines) - 1:
                return
            raise BadInput(
                f"line {number + 1} of {path} is no line of a journal; give another folder, or take it out with all "
                "lines behind it"
            )
        yield line, fields


def _check_head(found: Json, head: Json, path: Path) -> None:
    what = {
        "study": "is of another version of studies",
        "data": "is about other data, or about other roles, kinds or rules of theirs",
        "aims": "is about other objectives, limits, scenarios or promises",
        "space": "is about other columns or methods",
    }
    for name, told in what.items():
        if found.get(name) != head.get(name):
            raise BadInput(f"the study in {path.parent} {told}; give another folder, or ask for the same again")
