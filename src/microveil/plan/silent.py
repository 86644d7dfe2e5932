"""Measures that say nothing, told once for each reason."""

from __future__ import annotations

from collections.abc import Iterable

from microveil.core.measured import NotApplicable
from microveil.measure.keys import NO_KEY

ROLES_IN_PYTHON = "say roles={'age': 'key'}"


def silent_lines(said: Iterable[tuple[str, object]], how_to_state_keys: str) -> list[str]:
    """One line for each reason why measures do not apply, with the titles of these measures.

    `said` holds titles and results. Who stated no key is told so once, with `how_to_state_keys`.
    """
    titles: dict[str, list[str]] = {}
    for title, result in said:
        if isinstance(result, NotApplicable):
            titles.setdefault(NO_KEY if NO_KEY in result.reason else result.reason, []).append(title)
    return [_line(reason, found, how_to_state_keys) for reason, found in titles.items()]


def _line(reason: str, titles: list[str], how_to_state_keys: str) -> str:
    if reason != NO_KEY:
        return f"{', '.join(titles)}: {reason}"
    count = f"{len(titles)} measures need one" if len(titles) > 1 else f"{titles[0]} needs one"
    return f"{NO_KEY}: {how_to_state_keys} ({count})"
