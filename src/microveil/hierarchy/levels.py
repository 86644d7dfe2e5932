"""The levels of a hierarchy by number: what masks release on them and measures find again."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.core.open_types import Cell
from microveil.core.open_types import Hierarchy as Paths
from microveil.hierarchy.checking import TOP


def level_texts(paths: Sequence[Sequence[Cell]], stated: Paths, gaps: bool) -> list[list[str]]:
    """What the values with these paths are called on every level above their own, up to one that joins all of them.

    Levels are those of the whole hierarchy that is stated, whatever values a file has of it; shorter paths end at
    their top. `*` joins what the hierarchy leaves apart: several tops, or gaps where it ends in a name, as no name
    tells what is missing.

    >>> paths = {"Linz": ("Austria", "EU"), "Graz": ("Austria", "EU"), "Bonn": ("Germany", "EU")}
    >>> level_texts([paths["Linz"], paths["Graz"]], paths, gaps=False)
    [['Austria', 'Austria'], ['EU', 'EU']]
    """
    height = max(map(len, stated.values()))
    tops = {str(path[-1]) for path in stated.values()}
    texts = [[str(path[min(level, len(path)) - 1]) for path in paths] for level in range(1, height + 1)]
    if len(tops) > 1 or (gaps and tops != {TOP}):
        texts.append([TOP] * len(paths))
    return texts
