"""The frame of frozen behaviour: changes are found, small enough ones of figures are not, and a reason is asked for."""

from __future__ import annotations

import json
import math
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.frozen import __main__ as command
from tests.frozen import _frame

BEFORE = {
    "gone": 1,
    "number": math.nan,
    "figure": 1 / 3,
    "moved": [1.0, 2.0],
    "list": ["a", "b"],
    "same": {"x": None, "gap": math.nan},
}
AFTER = {
    "new": True,
    "figure": 1 / 3 + 1e-12,
    "moved": [1.0, 2.001],
    "list": ["b", "c"],
    "same": {"x": None, "gap": math.nan},
    "number": 5.0,
}


@pytest.fixture
def part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    made = SimpleNamespace(RECORD=tmp_path / "part.json", TOLERANCE=1e-9, entries=lambda: iter(AFTER.items()))
    monkeypatch.setattr(_frame, "load_part", lambda name: made)
    monkeypatch.setattr(_frame, "ACCEPTED", tmp_path / "accepted.toml")
    _frame.write_record("part", BEFORE)
    return made


def status(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["frozen", *words])
    return command.main()


def test_every_difference_is_a_line(part, monkeypatch, capsys):
    assert status(monkeypatch, "compare", "part") == 1
    assert capsys.readouterr().out.splitlines() == [
        "part: gone: 1 -> absent",
        'part: list: without "a", with "c"',
        "part: moved: without 2.0, with 2.001",
        "part: new: absent -> true",
        "part: number: NaN -> 5.0",
    ]


def test_what_is_accepted_is_recorded_with_its_reason(part, monkeypatch, capsys):
    assert status(monkeypatch, "accept", "part", "g*", "new", "--reason", "it was asked for") == 0
    assert [one.key for one in _frame.differences("part")] == ["list", "moved", "number"]
    (entry,) = tomllib.loads(_frame.ACCEPTED.read_text())["accepted"]
    assert entry == {
        "part": "part",
        "reason": "it was asked for",
        "changes": ["gone: 1 -> absent", "new: absent -> true"],
    }
    assert status(monkeypatch, "accept", "part", "--all", "--reason", "the rest") == 0
    assert status(monkeypatch, "compare", "part") == 0
    assert json.loads(part.RECORD.read_text())["figure"] == BEFORE["figure"]


@pytest.mark.parametrize("words", [["gone", "--reason", " "], ["same", "--reason", "why"], ["--reason", "why"]])
def test_nothing_is_accepted_without_a_reason_or_a_difference(part, monkeypatch, words):
    with pytest.raises(SystemExit, match=r"reason|differs|name the keys"):
        status(monkeypatch, "accept", "part", *words)
    assert _frame.recorded("part").keys() == BEFORE.keys()


def test_a_record_is_not_made_twice(part, monkeypatch):
    with pytest.raises(SystemExit, match="has a record"):
        status(monkeypatch, "record", "part")
