"""What an intruder holds: known values of those sought, the release, and the public part of how it was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from microveil.attack.hiding import hide_order
from microveil.attack.homes import Homes, hide_numbers, number_homes
from microveil.attack.truth import Truth
from microveil.core.arrays import Ints
from microveil.data.table import Table
from microveil.measure import Pair, PublicPlan
from microveil.measure.classes import Classes, is_made_coarser
from microveil.measure.codebooks import public_classes

_NOBODY: Ints = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class View:
    """All that an attack gets to see.

    `known` are the known columns of the originals sought, `released` all columns of the release, categories in one
    coding; `classes` says of known columns that were released coarser which original values each class stands for.
    `plan` is None where nobody knows what was done; `homes` says who lives with whom, to an attack that asks for it.
    Rows of both files stand in an order that carries nothing: sorted by what they hold, then permuted. Whose record is
    whose is not here: the base compares afterwards.
    """

    known: Table
    released: Table
    classes: Mapping[str, Classes]
    plan: PublicPlan | None
    homes: Homes | None = None

    @property
    def untouched(self) -> tuple[str, ...]:
        """The known columns that no step changed, so that released values are the true ones."""
        if self.plan is None:
            return ()
        return tuple(name for name in self.known.names if name not in self.plan.changed)


def look(
    pair: Pair, known: Sequence[str], whole_release: bool, everybody: bool = False, together: bool = False
) -> tuple[View, Truth]:
    """The view of an intruder who knows these columns, and apart from it what the guesses are compared with.

    Those sought are the originals in view with a released record. `whole_release`: the released file is not cut to
    the rows in view, because what the method did follows from all of them. `everybody`: all originals in view are
    known, also those without a released record or where nobody knows who has one. `together`: it is known who lives
    with whom among those sought, and the release shows it, if both files have households.
    """
    seen = replace(pair, after_rows=None) if whole_release else pair
    left, right = seen.linked_rows if seen.link is not None else (_NOBODY, _NOBODY)
    sought = np.arange(len(seen.rows_before)) if everybody else np.unique(left)
    names = tuple(dict.fromkeys((*seen.known, *known)))
    originals, released = seen.tables(known)[0].take(sought), seen.tables(names)[1]
    homes = _homes_of(seen, sought) if together else None
    known_classes, known_order = hide_order(originals, "known", None if homes is None else homes.known)
    released_classes, released_order = hide_order(released, "released", None if homes is None else homes.released)
    classes = {
        name: replace(one, code=one.code[sought][known_order], released=one.released[released_order])
        for name, one in _classes_of(seen, known).items()
    }
    truth = Truth(
        rows=seen.rows_before[sought][known_order],
        known=_places(known_order)[np.searchsorted(sought, left)],
        released=_places(released_order)[right],
        known_classes=known_classes[known_order],
        released_classes=released_classes[released_order],
        groups=None if seen.groups is None else seen.groups[seen.rows_after][released_order],
    )
    if homes is not None:
        homes = Homes(hide_numbers(homes.known[known_order]), hide_numbers(homes.released[released_order]))
    return View(originals.take(known_order), released.take(released_order), classes, pair.plan, homes), truth


def _homes_of(pair: Pair, sought: Ints) -> Homes | None:
    """Who lives with whom in both files; None where one of them does not show it."""
    before, after = pair.before.households, pair.after.households
    if before is None or after is None:
        return None
    return Homes(number_homes(before[pair.rows_before[sought]]), number_homes(after[pair.rows_after]))


def _places(order: Ints) -> Ints:
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return places


def _classes_of(pair: Pair, known: Sequence[str]) -> dict[str, Classes]:
    """How columns were made coarser, as far as anybody can know it."""
    before, after = pair.own_tables(known)
    coarser = [name for name in known if is_made_coarser(before[name], after[name])]
    return {name: public_classes(pair, name) for name in coarser}
