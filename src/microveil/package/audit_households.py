"""Audit: hidden cells that the other members of a household show, or that counting them tells.

Whoever sees who lives together counts the members, and asks the others for what is the same for all of them. That is
known beforehand and not learned from the file, so that a few records are enough to see that a column is such a one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools

# That members are counted, and share what ten households share, is known beforehand, so ten are enough here. Learning
# it from 100 records, as for weights, let recoded household sizes pass in a file of 300 records.
_FEWEST = 10  # records, or households, that show it
_LEAST = 0.99  # of them that agree: files have errors

Cells = Sequence[str | None]


@dataclass(frozen=True)
class Together:
    """A column beside who lives together; `shows` says which cells show their value."""

    cells: Cells
    homes: Cells
    shows: Bools

    def is_size(self) -> bool:
        """Whether the column says how many live together."""
        counts = Counter(self.homes)
        shown = [(cell, str(counts[home])) for cell, home in self._visible()]
        return _is_sure([cell == size for cell, size in shown], {cell for cell, _ in shown})

    def is_shared(self) -> bool:
        """Whether members of a household have the same value."""
        values = self._by_home()
        several = [cells for cells in values.values() if len(cells) > 1]
        return _is_sure([len(set(cells)) == 1 for cells in several], {cells[0] for cells in several})

    def beside_one_that_shows(self) -> Bools:
        """Which cells have a member of their household that shows a value."""
        shown = self._by_home()
        return np.array([home in shown for home in self.homes], dtype=np.bool_)

    def _by_home(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for cell, home in self._visible():
            found.setdefault(home, []).append(cell)
        return found

    def _visible(self) -> Iterator[tuple[str, str]]:
        for cell, home, shows in zip(self.cells, self.homes, self.shows, strict=True):
            if shows and cell is not None and home is not None:
                yield cell, home


def told_by_households(released: Together, original: Together | None) -> Iterator[tuple[str, Bools, str]]:
    """What tells hidden cells, which ones, and why that is known: the count of the members, or what others show.

    The original says what a column is only where no record was left out of its household since.
    """
    hidden = ~released.shows & np.array([home is not None for home in released.homes], dtype=np.bool_)
    whole = original if original is not None and len(original.homes) == len(released.homes) else None
    looks: tuple[tuple[str, Callable[[Together], bool], Bools], ...] = (
        ("the size of the household", Together.is_size, hidden),
        ("the household", Together.is_shared, hidden & released.beside_one_that_shows()),
    )
    for what, is_such, told in looks:
        if is_such(released):
            yield what, told, "as the other records show"
        elif whole is not None and is_such(whole):
            yield what, told, "as the original shows"


def _is_sure(agree: Sequence[bool], values: set[str]) -> bool:
    """Whether enough agree, on more than one value."""
    return len(agree) >= _FEWEST and len(values) > 1 and sum(agree) >= _LEAST * len(agree)
