"""Whether the keys of a protected file still tell of people: then they may be counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.data.table import Values
from microveil.measure import Pair
from microveil.plan.assessed_keys import listed


def why_counts_mislead(pair: Pair, keys: Sequence[str], methods_known: bool) -> str:
    """Why counting the keys of the protected file says nothing about people; "" when nothing speaks against it.

    Methods tell it where they are known. Otherwise the rows do, where it is known which belong together: a released
    value that is another of the original's values, while equal originals are not all released alike, is no
    coarser version of the truth.
    """
    if methods_known:
        doubtful = [key for key in keys if key in pair.perturbed]
        by = f" ({listed(list(dict.fromkeys(pair.perturbed[key] for key in doubtful)))})" if doubtful else ""
    else:
        doubtful = [] if pair.link is None else _seem_perturbed(pair, keys)
        by = ""
    if not doubtful:
        return ""
    what = "key" if len(doubtful) == 1 else "keys"
    were = "was" if len(doubtful) == 1 else "were"
    return (
        f"The {what} {listed(doubtful)} {were} perturbed{by}: how often released values occur says nothing about"
        " people, so nothing is counted in the protected file; see the linkage measures of evaluate."
    )


def _seem_perturbed(pair: Pair, keys: Sequence[str]) -> list[str]:
    before, after = pair.tables(keys)
    left, right = pair.linked_rows
    return [key for key in keys if _exchanged(before[key].take(left), after[key].take(right))]


def _exchanged(true: Values, released: Values) -> bool:
    from microveil.kernels.tables import group_rows

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
