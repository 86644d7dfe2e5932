"""Whether the keys of a protected file still tell of people: then they may be counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from microveil.core.measured import Measured
from microveil.core.words import list_all
from microveil.data.table import Values
from microveil.measure import UNKNOWN_METHOD, Pair, Scenario
from microveil.plan.key_figures import link_to_itself
from microveil.plan.quick_attack import quick_worst_case
from microveil.risk import DistanceLinkage

_MOSTLY = 0.5  # a key with fewer of the original's values was recoded
_TOO_OFTEN = (
    "Some combinations of key values occur more often in the protected file than in the original, so keys were"
    " perturbed, or recoded with codes that meant something else: counting them says nothing about people, and nothing"
    " is counted in the protected file unless it is known which rows belong together."
)


def why_counts_mislead(pair: Pair, keys: Sequence[str], methods_known: bool) -> str:
    """Why counting the keys of the protected file says nothing about people; "" when nothing speaks against it.

    Methods tell it where they are known. Otherwise the rows do, where it is known which belong together: a released
    value that is another of the original's values, while equal originals are not all released alike, is no
    coarser version of the truth. Where even that is unknown, true values cannot occur more often than before.
    """
    if pair.link is None and not methods_known:
        return _TOO_OFTEN if _occur_too_often(pair, keys) else ""
    if methods_known:
        doubtful = [key for key in keys if key in pair.perturbed]
        by = f" ({list_all(list(dict.fromkeys(pair.perturbed[key] for key in doubtful)))})" if doubtful else ""
    else:
        doubtful = _seem_perturbed(pair, keys)
        by = ""
    if not doubtful:
        return ""
    what = "key" if len(doubtful) == 1 else "keys"
    were = "was" if len(doubtful) == 1 else "were"
    return (
        f"The {what} {list_all(doubtful)} {were} perturbed{by}: how often released values occur says nothing about"
        " people, so nothing is counted in the protected file; see the linkage measures of evaluate."
    )


@dataclass(frozen=True)
class LinkedShare:
    """The per cent of records found: of the original in itself, and of the protected file in the worst case."""

    original: float | None
    protected: float


def measure_linkage(pair: Pair, scenarios: Sequence[Scenario] = ()) -> LinkedShare | None:
    """What linking by all compared columns, and any scenario, finds; None where nobody knows whose row is whose."""
    found = quick_worst_case(pair, scenarios) if pair.link is not None else None
    if not isinstance(found, Measured):
        return None
    itself = link_to_itself(pair.tables(DistanceLinkage(categories=True).choose(pair))[0])
    return LinkedShare(itself.get("linked"), found.value)


def with_doubtful_keys(pair: Pair, scenarios: Sequence[Scenario] = ()) -> Pair:
    """Two plain files of which nobody knows what was done, with the keys named that seem perturbed.

    Keys are the columns with that role and those of the scenarios: counting perturbed ones says nothing about people.
    """
    keys = [name for name in pair.columns if pair.before.roles[name] == "key"]
    keys += [name for scenario in scenarios for name in scenario.keys if name in pair.after.columns]
    keys = [name for name in dict.fromkeys(keys) if name in pair.before.columns]
    doubtful = dict.fromkeys(_keys_in_doubt(pair, keys), UNKNOWN_METHOD)
    return replace(pair, perturbed={**doubtful, **pair.perturbed})


def _keys_in_doubt(pair: Pair, keys: Sequence[str]) -> list[str]:
    if pair.link is not None:
        return _seem_perturbed(pair, keys)
    return list(keys) if _occur_too_often(pair, keys) else []


def _seem_perturbed(pair: Pair, keys: Sequence[str]) -> list[str]:
    before, after = pair.tables(keys)
    left, right = pair.linked_rows
    return [key for key in keys if _exchanged(before[key].take(left), after[key].take(right))]


def _occur_too_often(pair: Pair, keys: Sequence[str]) -> bool:
    """Whether some values of keys that still hold the original's occur together more often than in the original."""
    from microveil.kernels.tables.classes import group_rows
    from microveil.measure.keys import common_codes

    if not keys:
        return False
    before, after = common_codes(*pair.tables(keys))
    true = np.column_stack([np.isin(after[:, j], before[:, j]) & (after[:, j] >= 0) for j in range(len(keys))])
    observed = np.maximum((after >= 0).sum(axis=0), 1)
    kept = np.flatnonzero(true.sum(axis=0) > _MOSTLY * observed)
    if not len(kept):
        return False
    released = after[:, kept][true[:, kept].all(axis=1)]
    label, counts = group_rows(np.vstack([before[:, kept], released]))
    here = np.bincount(label[: len(before)], minlength=len(counts))
    return bool((counts > 2 * here).any())


def _exchanged(true: Values, released: Values) -> bool:
    from microveil.kernels.tables.classes import group_rows

    seen = ~(true.missing | released.missing)
    x, y = true.data[seen], released.data[seen]
    other = x != y
    if true.levels is not None:
        # values that the original does not have are classes made of its values
        other &= np.isin(y, x)
    if not other.any():
        return False
    numbers = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in (x, y)]
    distinct = len(group_rows(np.column_stack(numbers))[1])
    return distinct > int(numbers[0].max()) + 1
