"""New categories that no original combines so: a district beside the region of another one."""

from __future__ import annotations

from collections.abc import Mapping

from microveil.core.words import counted
from microveil.data.nesting import nestings
from microveil.data.table import Table, Values


def broken_nestings(before: Table, after: Mapping[str, Values]) -> tuple[str, ...]:
    """How many records hold a value beside one in which it does not lie."""
    found = {nesting: nesting.broken(before, after) for nesting in nestings(before)}
    said = [f"{nesting} ({counted(count, 'record')})" for nesting, count in found.items() if count]
    if not said:
        return ()
    note = (
        f"categories stand beside others in which they do not lie, although {'; '.join(said)} in the original; "
        "micro-hybrid keeps columns together that its blocks name"
    )
    return (note,)
