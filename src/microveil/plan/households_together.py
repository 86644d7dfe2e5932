"""Households that stay together in a release: whoever knows all members of one has more to go by than one record."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.attack.found_households import FOUND
from microveil.attack.household_linkage import HouseholdLinkage
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.core.words import counted, list_all
from microveil.measure import Pair
from microveil.plan.worst_case import Said


def tell_households(pair: Pair, said: Sequence[Said] = ()) -> tuple[str, ...]:
    """A sentence where released records show who lives with whom, with what that finds if it was `said`."""
    homes = pair.after.households
    if homes is None or not pair.before.names("household"):
        return ()
    together = int((np.bincount(homes[homes >= 0]) > 1).sum())
    if not together:
        return ()
    found = find_household_attack(said)
    if found is None:
        known = "whoever knows all of one finds it more easily, and no attack tried that"
    else:
        whole = f"{format_number(found.parts[FOUND])} % of these households and " if FOUND in found.parts else ""
        known = (
            f"whoever knows all of one finds at least about {whole}{format_number(found.worst)} % of the records; a "
            "proof of one in k speaks of single records"
        )
    told = (
        f"Members of {counted(together, 'household')} stand together in the release: {known}; leave "
        f"{list_all(pair.before.names('household'))} out, or release one person of each."
    )
    return (told,)


def find_household_attack(said: Sequence[Said]) -> Measured | None:
    """What an intruder found who knows whole households and all that is released; None where nobody tried."""
    results = (result for measure, result in said if isinstance(measure, HouseholdLinkage))
    return next((result for result in results if isinstance(result, Measured)), None)
