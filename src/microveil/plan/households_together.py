"""Households that stay together in a release: whoever knows all members of one has more to go by than one record."""

from __future__ import annotations

import numpy as np

from microveil.core.words import counted
from microveil.measure import Pair


def tell_households(pair: Pair) -> tuple[str, ...]:
    """A sentence where released records show who lives with whom, which no attack makes use of; none otherwise."""
    homes = pair.after.households
    names = pair.before.names("household")
    if homes is None or not names or names[0] not in pair.after.columns:
        return ()
    together = int((np.bincount(homes[homes >= 0]) > 1).sum())
    if not together:
        return ()
    told = (
        f"Members of {counted(together, 'household')} stand together in the release: whoever knows all of one finds "
        "it more easily, and no attack tried that; leave the column out, or release one person of each."
    )
    return (told,)
