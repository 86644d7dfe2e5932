"""What of two files is compared: where nobody stated roles, not the columns that look like identifiers or technical."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from microveil.data.schema import TECHNICAL_ROLES
from microveil.detect import second_weights
from microveil.measure import Pair
from microveil.plan.technical_roles import with_technical_roles


@dataclass(frozen=True)
class Compared:
    """A pair seen through what is compared, the weights among the rest, and notes on what was left out."""

    pair: Pair
    weights: tuple[str, ...]
    notes: tuple[str, ...] = ()


def compare_columns(
    pair: Pair, columns: Sequence[str] | None = None, by: str | Sequence[str] | None = None
) -> Compared:
    """What every evaluation and every verdict looks at; `columns` and `by` that somebody named are never left out."""
    if all(role == "other" for role in pair.before.roles.values()):
        return _without_technical(pair, (*(columns or ()), *([by] if isinstance(by, str) else by or ())))
    weights = pair.before.names("weight")
    if columns is not None:
        return Compared(pair, weights)
    notes = tuple(
        f"{name} looks like a second weight: its loss is not measured" for name in second_weights(pair.before)
    )
    return Compared(pair, weights, notes)


def _without_technical(pair: Pair, named: Sequence[str]) -> Compared:
    """The pair with columns that look like identifiers or technical ones taken for that, and a note; not those named.

    Weights are not used unless they are stated: a figure must not rest on a guess.
    """
    roles, listed = with_technical_roles(pair.before, named)
    if not listed:
        return Compared(pair, ())
    others = [name for name in second_weights(roles) if name not in named]
    kept = tuple(name for name in pair.columns if roles.roles[name] not in TECHNICAL_ROLES and name not in others)
    listed = ", ".join([listed, *(f"{name} (a second weight)" for name in others)])
    pair = replace(pair.only(kept), strata=tuple(name for name in roles.names("stratum") if name in pair.columns))
    note = f"nobody stated roles; not compared for what they look like: {listed}"
    return Compared(pair, (*roles.names("weight"), *others), (note,))
