"""Households whose members no longer agree on what was the same for all of them, such as the region."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.words import counted
from microveil.run.state import State


def note_households(state: State) -> tuple[str, ...]:
    """A note that counts them, by column; none where nobody stated households or all still agree."""
    homes = state.source.households
    household = state.source.names("household")
    if homes is None or state.synthetic or (state.origin < 0).any() or household[0] in state.changed:
        return ()
    homes = homes[state.origin]
    shared = np.bincount(homes[homes >= 0]) > 1
    columns = [name for name in state.changed if name not in state.source.names("identifier")]
    apart: dict[str, Bools] = {}
    for name in columns:
        before = state.source.values(name, state.changed[name].kind).at(state.origin)
        if not _disagree(homes, before.numbers).any():
            apart[name] = _disagree(homes, state.changed[name].numbers)
    some = {name: int(found.sum()) for name, found in apart.items() if found.any()}
    if not some:
        return ()
    number = int(np.any([apart[name] for name in some], axis=0).sum())
    listed = ", ".join(f"{name} ({count:,})" for name, count in some.items())
    homes_in_all = counted(int(shared.sum()), "household")
    note = (
        f"in {number:,} of {homes_in_all} with several members, they no longer agree on what was the same for all of "
        f"them: {listed}"
    )
    return (note,)


def _disagree(homes: Ints, values: Floats) -> Bools:
    """For each household whether its members have different values; gaps do not count."""
    seen = (homes >= 0) & ~np.isnan(values)
    size = int(homes.max(initial=-1)) + 1
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, homes[seen], values[seen])
    np.maximum.at(high, homes[seen], values[seen])
    return low < high
