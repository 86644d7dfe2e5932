"""What an audit finds: a sentence for each check, and whether it holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

State = Literal["holds", "broken", "note", "not checked"]
_HEADS = {"holds": "holds", "broken": "BROKEN", "note": "note", "not checked": "not checked"}


@dataclass(frozen=True)
class Finding:
    """One line of an audit: which check, what came of it, and that in a sentence."""

    check: str
    state: State
    text: str

    def __str__(self) -> str:
        return f"{_HEADS[self.state]}: {self.text}"


def holds(check: str, text: str) -> Finding:
    """A check that is passed."""
    return Finding(check, "holds", text)


def broken(check: str, text: str) -> Finding:
    """A check that fails: the package may not be given away, or may not be trusted."""
    return Finding(check, "broken", text)


def note(check: str, text: str) -> Finding:
    """Something to know that breaks nothing."""
    return Finding(check, "note", text)


def not_checked(check: str, text: str) -> Finding:
    """A check that could not be made, and why."""
    return Finding(check, "not checked", text)


def judged(check: str, problems: Iterable[str], sound: str) -> list[Finding]:
    """A line for each problem, or one that says that there is none."""
    found = [broken(check, problem) for problem in problems]
    return found or [holds(check, sound)]
