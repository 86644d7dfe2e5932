"""Audit: weights, strata and sizes of households that give away what was suppressed or recoded.

Designs give all records of a region the same weight. Who sees the weight, or knows the published design, then knows the
region, whatever its own column shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from microveil.attack.determined import conclude
from microveil.core.arrays import Bools, Ints
from microveil.core.numbers import format_number
from microveil.core.words import counted, list_all
from microveil.data.microdata import Microdata
from microveil.data.schema import TECHNICAL_ROLES
from microveil.package.audit_files import DataFile
from microveil.package.findings import Finding, judged
from microveil.package.known import Known

CHECK = "weights"
_STARS = ("*", "", "nan")  # texts that stand for a value that was taken out
_FEWEST = 10  # records with the same weight: what fewer share belongs to a household, and is no design
_LUCK = 0.25  # of the errors of guessing the commonest value, that may be left where something is determined


Cells = list[str | None]
Ways = list[tuple[str | None, ...]]


@dataclass(frozen=True)
class _Side:
    """A file with what tells (weight, stratum, size of the household), and the columns that it may tell of."""

    data: Microdata
    telling: Mapping[str, Cells]
    told: tuple[str, ...]
    apart: Ints  # a record of each household: its members share a weight whatever the design

    @cached_property
    def ways(self) -> dict[str, Ways]:
        """Each telling column, and all of them together where there are several."""
        found: dict[str, Ways] = {what: [(value,) for value in values] for what, values in self.telling.items()}
        if len(found) > 1:
            found[list_all(list(found))] = list(zip(*self.telling.values(), strict=True))
        return found


def audit_weights(file: DataFile, known: Known) -> list[Finding]:
    """Whether a weight, a stratum or the size of the household determines cells that are hidden.

    Without the original it is learned from the rows that show their value; with it also from the original, as the
    design of a survey says it, and cells that were recoded are asked for too.
    """
    side = _side(file.data, known)
    if not side.telling:
        return []
    whole = None if known.original is None else _side(known.original, known)
    problems = [
        f"{file.name}: {problem}."
        for name in side.told
        for problem in _column(name, side, whole, name in known.perturbed)
    ]
    told = list_all(list(side.telling))
    return judged(CHECK, problems, f"{file.name}: no hidden cell follows from {told}.")


def _column(name: str, side: _Side, whole: _Side | None, perturbed: bool) -> Iterator[str]:
    """What tells hidden cells of a column, the first that does: each alone, then all together.

    Hidden are gaps, and classes that the original does not have; not what took the place of a value by chance.
    """
    shown = _cells(side.data, name)
    theirs = None if whole is None or name not in whole.told else _cells(whole.data, name)
    values = set(shown if theirs is None or perturbed else theirs)
    hidden = np.array([value is None or value not in values for value in shown], dtype=np.bool_)
    for what, ways in side.ways.items() if hidden.any() else ():
        found, why = _told_by(shown, ways, hidden), "as the other records show"
        if whole is not None and theirs is not None and not found.any():
            design = [whole.ways[what][row] for row in whole.apart] if what in whole.ways else []
            found = _told_by_design([theirs[row] for row in whole.apart], design, ways, hidden)
            why = "as the original shows"
        if found.any():
            share = format_number(100.0 * found.sum() / hidden.sum())
            yield f"{what} tells {share} % of {counted(int(hidden.sum()), 'hidden cell')} of {name!r}, {why}"
            return


def _told_by(shown: Cells, ways: Ways, hidden: Bools) -> Bools:
    """Hidden cells that follow from rows that show theirs."""
    target = np.where(hidden, -1, _codes(shown))
    found = conclude(target, _designed(ways))
    sure = found.sure and _beats_guessing(target, found.reliable)
    return np.asarray(hidden & (found.value >= 0) & sure, dtype=np.bool_)


def _told_by_design(theirs: Cells, design: Ways, ways: Ways, hidden: Bools) -> Bools:
    """Hidden cells whose weight belongs to one value in the original."""
    target = _codes(theirs)
    found = conclude(target, _designed(design) if design else np.full(len(target), -1))
    if not found.sure or not _beats_guessing(target, found.reliable):
        return np.zeros(len(hidden), dtype=np.bool_)
    determined = {way for way, value in zip(design, found.value, strict=True) if value >= 0}
    return np.asarray(hidden & np.array([way in determined for way in ways]), dtype=np.bool_)


def _designed(ways: Ways) -> Ints:
    """Numbers of the ways that many records share, as a design has it; -1 for those of a household or a few people."""
    number, counts = _codes(ways), Counter(ways)
    return np.where([counts[way] >= _FEWEST for way in ways], number, -1)


def _beats_guessing(target: Ints, reliable: float) -> bool:
    """Whether conclusions are better than the commonest value, which anybody may guess."""
    counts = np.bincount(target[target >= 0])
    return int((counts > 0).sum()) > 1 and 1 - reliable <= _LUCK * (1 - counts.max() / counts.sum())


def _side(data: Microdata, known: Known) -> _Side:
    roles = known.roles_in(list(map(str, data.columns)))
    telling = {name: _cells(data, name) for name, role in roles.items() if role in ("weight", "stratum")}
    apart = np.arange(data.n)
    for name in (name for name, role in roles.items() if role == "household"):
        homes = _cells(data, name)
        telling["the size of the household"] = _sizes(homes)
        apart = np.unique(_codes(homes), return_index=True)[1]
    told = (name for name, role in roles.items() if role not in TECHNICAL_ROLES)
    return _Side(
        data,
        {name: cells for name, cells in telling.items() if len(set(cells)) > 1},
        tuple(name for name in told if roles[name] == "key" or data.kinds[name] != "continuous"),
        apart,
    )


def _cells(data: Microdata, name: str) -> Cells:
    """The cells of a column as texts, numbers in one form; stars are gaps."""
    cells = data.narwhal.get_column(name).to_list()
    texts = (None if cell is None else f"{cell:.12g}" if isinstance(cell, int | float) else str(cell) for cell in cells)
    return [None if text in _STARS else text for text in texts]


def _sizes(homes: Cells) -> Cells:
    size = Counter(homes)
    return [None if home is None else str(size[home]) for home in homes]


def _codes(values: Cells | Ways) -> Ints:
    """Numbers that tell values apart, -1 where one is missing."""
    number: dict[object, int] = {value: place for place, value in enumerate(dict.fromkeys(values))}
    return np.array([-1 if value is None else number[value] for value in values], dtype=np.int64)
