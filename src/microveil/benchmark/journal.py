"""What was measured already, a line of JSON for each plan, so that a benchmark that was stopped goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from microveil.core.errors import BadInput, FileProblem

VERSION = 1


@dataclass(frozen=True)
class Result:
    """What was found of one plan: figures and their parts by name, why others are missing, how long it took.

    `worst_by` names the attack whose figure the worst case is; `problem` says why a plan could not be run.
    """

    text: str
    label: str
    group: str
    figures: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    silent: Mapping[str, str] = field(default_factory=dict)
    worst_by: str = ""
    problem: str = ""
    seconds: float = 0.0


class Journal:
    """The results of one file under one key; a line that was being written when the run was stopped is left out."""

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path, self.about = path, {"version": VERSION, **about}
        self.results: dict[str, Result] = {}
        if path.exists():
            self._read()
        else:
            self._begin()

    def add(self, result: Result) -> None:
        """Note a result, on disk before anything else happens."""
        self.results[result.text] = result
        self._append(asdict(result))

    def _begin(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch()
        except OSError as problem:
            raise FileProblem(f"the journal {self.path} cannot be written: {problem.strerror}") from None
        self._append(self.about)

    def _append(self, line: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _read(self) -> None:
        whole, _, torn = self.path.read_text(encoding="utf-8").rpartition("\n")
        try:
            about, *lines = [json.loads(line) for line in whole.splitlines()] or [None]
            found = [Result(**line) for line in lines]
        except (ValueError, TypeError):
            raise BadInput(f"{self.path} is no journal of a benchmark; name another folder") from None
        if about is not None and about != self.about:
            raise BadInput(
                f"{self.path} is about other data, another seed or other methods; name another folder, or remove it"
            )
        if torn or about is None:
            self._rewrite(whole + "\n" if about is not None else "")
        if about is None:
            self._append(self.about)
        self.results = {result.text: result for result in found}

    def _rewrite(self, text: str) -> None:
        from microveil.io import write_text

        write_text(self.path, text)
