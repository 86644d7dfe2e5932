"""Released columns that tell records apart although no measured intruder knows them: weights and households."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from microveil.measure import Pair
from microveil.plan.households_together import find_household_attack
from microveil.plan.unknown_weight import UnknownWeight
from microveil.plan.worst_case import Said


def find_unmeasured(
    pair: Pair, weight: UnknownWeight, apart_by: Sequence[str], known: Collection[str], said: Sequence[Said]
) -> tuple[str, ...]:
    """The columns by which records are exposed and that no attack and no scenario (`known`) looked at.

    What was measured is judged by its figure. `apart_by` are the columns that a guarantee says undo its bound; `said`
    is what attacks found.
    """
    homes = pair.before.names("household")
    tried = find_household_attack(said) is not None
    found = [name for name in apart_by if name not in pair.known and not (tried and name in homes)]
    found += weight.names if weight.singled_out else ()
    found += [name for name in homes if not tried and _joins_records(pair, name)]
    return tuple(name for name in dict.fromkeys(found) if name not in known)


def _joins_records(pair: Pair, household: str) -> bool:
    """Whether released records share a household: who knows all its members looks for them at once."""
    if household not in pair.after.columns:
        return False
    codes = pair.after.encoded(household).codes
    return bool((np.bincount(codes[codes >= 0]) > 1).any())
