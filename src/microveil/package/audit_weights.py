"""Audit: weights, strata and sizes of households that give away what was suppressed or recoded.

Designs give all records of a region the same weight. Who sees the weight, or knows the published design, then knows the
region, whatever its own column shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil.attack.determined import FEWEST_TRIED, MOST_WRONG, Determined, conclude, conclude_between
from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.numbers import format_number
from microveil.core.words import counted, list_all
from microveil.data.microdata import Microdata
from microveil.data.schema import TECHNICAL_ROLES
from microveil.package.audit_files import DataFile
from microveil.package.audit_households import Together, told_by_households
from microveil.package.findings import Finding, judged, note
from microveil.package.known import Known

CHECK = "weights"
_STARS = ("*", "", "nan")  # texts that stand for a value that was taken out
_FEWEST = 10  # records with the same weight: what fewer share belongs to a household, and is no design
_SIZE = "the size of the household"
_WAYS_OUT = {_SIZE: "leave out who lives together, for whoever sees it counts"}
_WAY_OUT = (
    "leave out who lives together, or make it coarser for all members alike (household_keys of local-suppression)"
)
_LUCK = 0.25  # of the errors of guessing the commonest value, that may be left where something is determined


Cells = list[str | None]
Ways = list[tuple[str | None, ...]]


@dataclass(frozen=True)
class _Side:
    """A file with what tells (weight, stratum, size of the household), and the columns that it may tell of."""

    data: Microdata
    telling: Mapping[str, Cells]
    told: tuple[str, ...]
    homes: Cells | None  # the household of each record, where the file tells it
    apart: Ints  # a record of each household: its members share a weight whatever the design
    amounts: Mapping[str, Floats]  # the weights among what tells, as numbers

    @property
    def ways(self) -> dict[str, Ways]:
        """Each telling column, and all of them together where there are several."""
        found: dict[str, Ways] = {what: [(value,) for value in values] for what, values in self.telling.items()}
        if len(found) > 1:
            found[list_all(list(found))] = list(zip(*self.telling.values(), strict=True))
        return found


@dataclass(frozen=True)
class _Way:
    """One way to tell: the weight of each released record, and of one of each household of the original, as numbers.

    `shared` and `design` are -1 where too few records of their file have the number. `amounts` are the released weights
    where it is a weight alone.
    """

    what: str
    released: Ints
    shared: Ints
    design: Ints
    amounts: Floats | None = None


def audit_weights(file: DataFile, known: Known) -> list[Finding]:
    """Whether a weight, a stratum, the size of the household or its members determine cells that are hidden.

    Without the original it is learned from the rows that show their value; with it also from the original, as the
    design of a survey says it, and cells that were recoded are asked for too.
    """
    side = _side(file.data, known)
    if not side.telling and side.homes is None:
        return []
    whole = None if known.original is None else _side(known.original, known)
    ways = _ways_to_tell(side, whole)
    # the gaps of what was perturbed are drawn anew, or its own: nobody hid them
    asked = [name for name in side.told if name not in known.perturbed]
    problems = [f"{file.name}: {problem}." for name in asked for problem in _column(name, side, whole, ways)]
    doubts = (
        [] if problems else [f"{file.name}: {doubt}." for name in asked for doubt in _doubts(name, side, whole, ways)]
    )
    if doubts:
        return [note(CHECK, doubt) for doubt in doubts]
    told = list_all([*side.telling, *([] if side.homes is None else ["the members of the household"])])
    return judged(CHECK, problems, f"{file.name}: no hidden cell follows from {told}.")


def _ways_to_tell(side: _Side, whole: _Side | None) -> list[_Way]:
    designs = {} if whole is None else whole.ways
    found = []
    for what, ways in side.ways.items():
        theirs = [designs[what][row] for row in whole.apart] if whole is not None and what in designs else []
        number = {way: place for place, way in enumerate(dict.fromkeys([*theirs, *ways]))}
        released = np.array([number[way] for way in ways], dtype=np.int64)
        design = np.array([number[way] for way in theirs], dtype=np.int64)
        found.append(_Way(what, released, _shared(released), _shared(design), side.amounts.get(what)))
    return found


def _shared(number: Ints) -> Ints:
    """Numbers that many records have, as a design gives them; -1 for those of a household or of a few people."""
    return np.where(np.bincount(number)[number] >= _FEWEST, number, -1) if len(number) else number


def _column(name: str, side: _Side, whole: _Side | None, ways: list[_Way]) -> Iterator[str]:
    """What tells hidden cells of a column, the first that does: each alone, then all together.

    Hidden are gaps, and classes that the original does not have; not what took the place of a value by chance.
    """
    shown, theirs, hidden = _hidden(name, side, whole)
    if not hidden.any():
        return
    target = np.where(hidden, -1, _codes(shown))
    original = None if theirs is None or whole is None else _codes([theirs[row] for row in whole.apart])
    for way in ways:
        found, why = _told_by(target, conclude(target, way.shared), hidden), "as the other records show"
        if way.amounts is not None and not found.any():
            found = _told_by(target, conclude_between(target, way.amounts), hidden)
            why = "as the records with the next weights show"
        if original is not None and len(way.design) and not found.any():
            found, why = _told_by_design(original, way, hidden), "as the original shows"
        if found.any():
            yield _told(way.what, found, hidden, name, why)
            return
    for what, found, why in _by_households(shown, ~hidden, side, theirs, whole):
        if found.any():
            yield f"{_told(what, found, hidden, name, why)}: {_WAYS_OUT.get(what, _WAY_OUT)}"
            return


def _doubts(name: str, side: _Side, whole: _Side | None, ways: list[_Way]) -> Iterator[str]:
    """What would tell hidden cells, if it were not for the few records by which that could be tried."""
    shown, _, hidden = _hidden(name, side, whole)
    target = np.where(hidden, -1, _codes(shown))
    for way in ways:
        found = conclude(target, way.shared)
        follows = hidden & (found.value >= 0)
        few = _FEWEST <= found.tried < FEWEST_TRIED and found.reliable >= 1 - MOST_WRONG
        if few and follows.any() and _beats_guessing(target, found.reliable):
            told = _told(way.what, follows, hidden, name, "as the other records show")
            yield f"{told}, unless that is chance: only {counted(found.tried, 'record')} could be tried"


def _hidden(name: str, side: _Side, whole: _Side | None) -> tuple[Cells, Cells | None, Bools]:
    """The cells of a column as they are shown, as they were, and which of them are hidden."""
    shown = _cells(side.data, name)
    theirs = None if whole is None or name not in whole.told else _cells(whole.data, name)
    values = set(shown if theirs is None else theirs)
    return shown, theirs, np.array([value is None or value not in values for value in shown], dtype=np.bool_)


def _told(what: str, found: Bools, hidden: Bools, name: str, why: str) -> str:
    share = format_number(100.0 * found.sum() / hidden.sum())
    return f"{what} tells {share} % of {counted(int(hidden.sum()), 'hidden cell')} of {name!r}, {why}"


def _by_households(
    shown: Cells, shows: Bools, side: _Side, theirs: Cells | None, whole: _Side | None
) -> Iterator[tuple[str, Bools, str]]:
    """What the count of its members, or one of them, tells of a household; nothing where nobody knows who they are."""
    if side.homes is None:
        return
    original = None
    if theirs is not None and whole is not None and whole.homes is not None:
        original = Together(theirs, whole.homes, np.ones(len(theirs), dtype=np.bool_))
    yield from told_by_households(Together(shown, side.homes, shows), original)


def _told_by(target: Ints, found: Determined, hidden: Bools) -> Bools:
    """Hidden cells that follow from rows that show theirs."""
    sure = found.sure and _beats_guessing(target, found.reliable)
    return np.asarray(hidden & (found.value >= 0) & sure, dtype=np.bool_)


def _told_by_design(original: Ints, way: _Way, hidden: Bools) -> Bools:
    """Hidden cells whose weight belongs to one value in the original."""
    found = conclude(original, way.design)
    if not found.sure or not _beats_guessing(original, found.reliable):
        return np.zeros(len(hidden), dtype=np.bool_)
    determined = np.unique(way.design[(found.value >= 0) & (way.design >= 0)])
    return np.asarray(hidden & np.isin(way.released, determined), dtype=np.bool_)


def _beats_guessing(target: Ints, reliable: float) -> bool:
    """Whether conclusions are better than the commonest value, which anybody may guess."""
    counts = np.bincount(target[target >= 0])
    return int((counts > 0).sum()) > 1 and 1 - reliable <= _LUCK * (1 - counts.max() / counts.sum())


def _side(data: Microdata, known: Known) -> _Side:
    roles = known.roles_in(list(map(str, data.columns)))
    telling = {
        name: _cells(data, name)
        for name, role in roles.items()
        if role in ("weight", "stratum") and name not in known.perturbed  # what is drawn anew follows no design
    }
    apart = np.arange(data.n)
    homes: Cells | None = None
    for name in (name for name, role in roles.items() if role == "household"):
        together = _cells(data, name)
        telling[_SIZE] = _sizes(together)
        apart = np.unique(_codes(together), return_index=True)[1]
        homes = together if name not in known.perturbed else homes  # else nobody sees who lived together
    told = (name for name, role in roles.items() if role not in TECHNICAL_ROLES)
    return _Side(
        data,
        {name: cells for name, cells in telling.items() if len(set(cells)) > 1},
        tuple(name for name in told if roles[name] == "key" or data.kinds[name] != "continuous"),
        homes,
        apart,
        {
            name: data.values(name, "continuous").numbers
            for name in telling
            if roles.get(name) == "weight" and data.narwhal.get_column(name).dtype.is_numeric()
        },
    )


def _cells(data: Microdata, name: str) -> Cells:
    """The cells of a column as texts, numbers in one form; stars are gaps."""
    column = data.narwhal.get_column(name).to_arrow()
    coded = pa.chunked_array([column]).dictionary_encode().combine_chunks()
    texts = [_text(cell) for cell in coded.dictionary.to_pylist()]  # of each value once, not of each record
    places = pc.fill_null(coded.indices, len(texts)).to_numpy(zero_copy_only=False)
    cells: Cells = np.array([*texts, None], dtype=object)[places].tolist()
    return cells


def _text(cell: object) -> str | None:
    text = None if cell is None else f"{cell:.12g}" if isinstance(cell, int | float) else str(cell)
    return None if text in _STARS else text


def _sizes(homes: Cells) -> Cells:
    size = Counter(homes)
    return [None if home is None else str(size[home]) for home in homes]


def _codes(values: Cells) -> Ints:
    """Numbers that tell values apart, -1 where one is missing."""
    number = {value: place for place, value in enumerate(dict.fromkeys(values))}
    return np.array([-1 if value is None else number[value] for value in values], dtype=np.int64)
