"""A page of the documentation as a reader follows it: its files, its Python and its commands, in their order.

What a block shows below a command, and a block `text` below one of Python, must be said by it: line for line in their
order, where `...` stands for anything. Numbers of commands that draw may differ as far as the test says.
"""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from microveil.cli import main

DOCS = Path(__file__).resolve().parents[1] / "docs"
_BLOCK = re.compile(r"^```(\w+)(?: title=(\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def read_page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks_of(page: str) -> list[tuple[str, str, str]]:
    """Language, title and text of every block."""
    return _BLOCK.findall(page)


def calls_of(page: str) -> list[str]:
    """Methods and measures with their settings that tables name, such as `mv.mask.RankSwap(p=10)`."""
    prose = _BLOCK.sub("", page)
    found = re.findall(r"`(mv\.\w+\.[A-Z]\w*\([^`]*?\))(?=[`.])", prose)
    return [call for call in found if "..." not in call]


@dataclass
class Reader:
    """Somebody who follows a page in the present folder; `drawn` names commands whose figures differ each time."""

    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]
    drawn: tuple[str, ...] = ()
    rough: float = 0.0
    names: dict[str, Any] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    said: str = ""

    def follow(self, page: str) -> str:
        """Do everything on a page; all that was said."""
        everything = ""
        for kind, title, text in blocks_of(page):
            if kind == "diff":
                _edit(Path(title), text)
            elif title:
                Path(title).write_text(text, encoding="utf-8")
            elif kind == "python":
                self.names["__name__"] = "page"
                exec(compile(text, "page", "exec"), self.names)
                self.said = self.capsys.readouterr().out
                everything += self.said
            elif kind == "text":
                self._compare(text)
            elif kind == "console":
                everything += self._commands(text)
        return everything

    def _commands(self, text: str) -> str:
        everything = ""
        for part in re.split(r"^\$ ", text.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            words = shlex.split(command, comments=True)
            if words[0] == "export":
                name, _, value = words[1].partition("=")
                self.monkeypatch.setenv(name, value)
                continue
            assert words[0] == "microveil", command
            self._run(command, words)
            self._compare(shown, self.rough if words[1] in self.drawn else 0.0)
            everything += self.said
        return everything

    def _compare(self, shown: str, rough: float = 0.0) -> None:
        compare(shown, self.said, rough)

    def _run(self, command: str, words: list[str]) -> None:
        status = int(found[1]) if (found := re.search(r"# status (\d)", command)) else 0
        self.monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as end:
            main()
        shown = self.capsys.readouterr()
        self.ran.append(words[1])
        self.said = shown.out + shown.err
        assert int(end.value.code or 0) == status, (command, self.said)


def _edit(file: Path, change: str) -> None:
    """The lines with a minus give way to those with a plus."""
    old, new = ("".join(f"{line[1:]}\n" for line in change.splitlines() if line[0] == sign) for sign in "-+")
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    file.write_text(text.replace(old, new), encoding="utf-8")


def compare(shown: str, said: str, rough: float) -> None:
    """Every line that a page shows was said, in this order; numbers may differ by the share `rough`, or 10 of 100."""
    lines = iter([" ".join(line.split()) for line in said.splitlines()])
    for line in [" ".join(line.split()) for line in shown.splitlines()]:
        if line and line != "...":
            assert any(_alike(line, other, rough) for other in lines), (line, said)


def _alike(shown: str, said: str, rough: float) -> bool:
    words = [re.escape(part) for part in re.split(r"\.\.\.", shown)]
    if not rough:
        return re.fullmatch(".*?".join(words), said) is not None
    numbers = [_NUMBER.findall(part) for part in re.split(r"\.\.\.", shown)]
    blanked = [_NUMBER.sub(lambda _: "(#)", part) for part in re.split(r"\.\.\.", shown)]
    pattern = ".*?".join(re.escape(part).replace(r"\(\#\)", rf"({_NUMBER.pattern})") for part in blanked)
    found = re.fullmatch(pattern, said)
    if found is None:
        return False
    expected = [_value(text) for part in numbers for text in part]
    return all(
        abs(_value(text) - value) <= max(rough * value, 10.0 if value <= 100 else 0.0)
        for text, value in zip(found.groups(), expected, strict=True)
    )


def _value(text: str) -> float:
    return float(text.replace(",", ""))
