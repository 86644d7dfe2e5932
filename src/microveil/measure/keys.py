"""Which columns are the keys, how they are read in two files, and when they may not be counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.core.parameters import Example, Grid
from microveil.data.schema import check_names
from microveil.data.table import Table
from microveil.measure.pair import UNKNOWN_METHOD, Pair

NO_KEY = "no column has the role key"

Keys = Annotated[tuple[str, ...] | None, Example(["age", "region"]), "key columns; by default those with the role key"]
Missing = Annotated[
    Literal["own", "wildcard"],
    Grid(("own", "wildcard")),
    "a missing key value is a category of its own, or agrees with every value",
]
Sensitive = Annotated[
    tuple[str, ...] | None, Example(["income"]), "confidential columns; by default those with that role"
]


def choose_targets(pair: Pair, named: Sequence[str] | None, keys: Sequence[str]) -> tuple[str, ...]:
    """The confidential columns named, or those in both files with that role, without the keys."""
    both = [name for name in pair.before.columns if name in pair.after.columns]
    if named is None:
        return tuple(name for name in both if pair.before.roles[name] == "confidential" and name not in keys)
    check_names(tuple(named), both, "targets")
    shared = [name for name in named if name in keys]
    if shared:
        raise BadInput(f"{shared} are keys and cannot be targets as well; name them once")
    return tuple(dict.fromkeys(named))


def choose_keys(pair: Pair, keys: Sequence[str] | None) -> tuple[str, ...]:
    """The key columns named, or those in view with the role key."""
    if keys is None:
        return tuple(name for name in pair.columns if pair.before.roles[name] == "key")
    check_names(tuple(keys), [name for name in pair.before.columns if name in pair.after.columns], "keys")
    return tuple(dict.fromkeys(keys))


def common_codes(before: Table, after: Table) -> tuple[Ints, Ints]:
    """The columns of two files as whole-number codes that mean the same in both, -1 where missing."""
    both = np.empty((before.rows + after.rows, len(before.names)), dtype=np.int64)
    for j, name in enumerate(before.names):
        data = np.concatenate([before[name].data, after[name].data])
        if before[name].levels is None:
            # numbers are equal as numbers: never as text
            missing = np.isnan(data)
            data = np.unique(np.where(missing, 0.0, data), return_inverse=True)[1]
            data[missing] = -1
        both[:, j] = data
    return both[: before.rows], both[before.rows :]


def read_gaps(table: Table, agreeing: Sequence[str]) -> Ints:
    """The codes of keys, in which -1 is a gap that agrees with any value: gaps of other columns are a value."""
    from microveil.kernels.tables.sizes import gaps_as_values

    return gaps_as_values(table.codes(), [j for j, name in enumerate(table.names) if name not in agreeing])


def why_not_counted(pair: Pair, doubtful: Sequence[str]) -> str:
    """Why counting these perturbed keys says nothing about people, and what does."""
    one = len(doubtful) == 1
    named = f"the {'key' if one else 'keys'} {', '.join(map(str, doubtful))}"
    methods = dict.fromkeys(pair.perturbed[name] for name in doubtful)
    if UNKNOWN_METHOD in methods:
        found = f"{named} {'seems' if one else 'seem'} perturbed"
    else:
        found = f"{named} {'was' if one else 'were'} perturbed ({', '.join(methods)})"
    unlinked = "nobody knows which rows belong together, and the private log would tell"
    return (
        f"{found}: how often {'its' if one else 'their'} values occur says nothing about people; "
        f"{'see the linkage measures' if pair.link is not None else unlinked}"
    )
