"""What an audit finds: a sentence for each check, and whether it holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from microveil.core.printable import one_line
from microveil.core.words import list_all

State = Literal["holds", "broken", "undecided", "note", "not checked"]
_HEADS = {
    "holds": "holds",
    "broken": "BROKEN",
    "undecided": "UNDECIDED",
    "note": "note",
    "not checked": "not checked",
}


@dataclass(frozen=True)
class Finding:
    """One line of an audit: which check, what came of it, and that in a sentence.

    Names in it may be those that somebody else chose: whatever would not be shown, or would begin another line, is
    written by its number. `give` names the arguments of `audit` that would decide what is open, as in Python; the
    command line says them as its options.
    """

    check: str
    state: State
    text: str
    give: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", one_line(self.text))

    @property
    def line(self) -> str:
        """The line for those who cannot give anything more."""
        return f"{_HEADS[self.state]}: {self.text}"

    def __str__(self) -> str:
        return f"{self.line} Give {self.give}." if self.give else self.line


def holds(check: str, text: str) -> Finding:
    """A check that is passed."""
    return Finding(check, "holds", text)


def broken(check: str, text: str) -> Finding:
    """A check that fails: the package may not be given away, or may not be trusted."""
    return Finding(check, "broken", text)


def note(check: str, text: str, give: str = "") -> Finding:
    """Something to know that breaks nothing."""
    return Finding(check, "note", text, give)


def not_checked(check: str, text: str, give: str = "") -> Finding:
    """A check that could not be made, why, and what would decide it."""
    return Finding(check, "not checked", text, give)


def undecided(check: str, text: str, give: str = "") -> Finding:
    """A check without which nobody may say that the package is sound, and that could not be made."""
    return Finding(check, "undecided", text, give)


def judged(check: str, problems: Iterable[str], sound: str) -> list[Finding]:
    """A line for each problem, or one that says that there is none."""
    found = [broken(check, problem) for problem in problems]
    return found or [holds(check, sound)]


def open_points(found: Iterable[Finding]) -> list[str]:
    """What an audit notes or could not check, each thing once: in whatever file, and by whatever program it was read.

    What is said of a file begins with its name, and perhaps with who read it.
    """
    files: dict[str, dict[str, None]] = {}
    for one in found:
        if one.state in ("note", "not checked"):
            head, _, rest = one.text.partition(": ")
            name, read, _ = head.partition(", read by ")
            about, told = (name, rest) if read else ("", one.text)
            files.setdefault(f"{_HEADS[one.state]}: {told}", {})[about] = None
    return [f"{told[:-1]} ({list_all([*names])})." if any(names) else told for told, names in files.items()]
