"""One line of `microveil doctor`: what was looked at, whether it works, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

WORKS, FOUND, ABSENT, BROKEN = "works", "found", "absent", "BROKEN"


@dataclass(frozen=True)
class Finding:
    """What was looked at and found.

    `WORKS` was tried, `FOUND` is there and was not tried; only what is needed can be `BROKEN`, what is optional is
    `ABSENT` at worst.
    """

    what: str
    state: str
    told: str
    to_do: str = ""

    @property
    def line(self) -> str:
        """What was found and what to do about it, in one line."""
        return f"{self.told}; {self.to_do}" if self.to_do else self.told


def works(what: str, told: str) -> Finding:
    """It is there and did what it is for."""
    return Finding(what, WORKS, told)


def found(what: str, told: str) -> Finding:
    """It is there; nobody tried it."""
    return Finding(what, FOUND, told)


def lacking(what: str, told: str, to_do: str, *, needed: bool) -> Finding:
    """It is not there or does not work: broken if microveil needs it, else absent."""
    return Finding(what, BROKEN if needed else ABSENT, told, to_do)
