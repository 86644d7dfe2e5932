"""How ranges of amounts are written in releases and hierarchies (docs/decisions/027-notation-of-ranges.md)."""

from __future__ import annotations


def amount_text(number: float) -> str:
    """An amount in as many digits as it has."""
    return f"{number + 0.0:.15g}"  # zero has one sign


def between_text(low: float, high: float) -> str:
    """From the lower end on, below the upper one."""
    return f"[{amount_text(low)}, {amount_text(high)})"


def below_text(high: float) -> str:
    """All amounts below."""
    return f"<{amount_text(high)}"


def above_text(low: float) -> str:
    """This amount and all above."""
    return f">={amount_text(low)}"


def levels_text(first: object, last: object) -> str:
    """All levels of an ordered category from one to another."""
    return str(first) if first == last else f"{first}..{last}"
