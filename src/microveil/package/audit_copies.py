"""Audit: records of the original that stand in a file as they are, beside what the plan would have left of them.

What a project says of its plan proves nothing about a file. Where the original is there too, the plan is run on it
again: a file that was made so holds about as many copies as these runs do. How many it could hold unseen is said.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from microveil.attack.verbatim import Verbatim
from microveil.core.arrays import Floats, Ints
from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.core.words import list_all
from microveil.data.microdata import Microdata
from microveil.package.audit_coarsened import audit_coarsened
from microveil.package.audit_files import DataFile
from microveil.package.beside_plan import BesidePlan, Unseen
from microveil.package.excess import MOST_UNSEEN
from microveil.package.findings import Finding, broken, holds, not_checked, note, undecided
from microveil.package.known import Known
from microveil.package.plan_runs import PlanRuns
from microveil.package.sampled_weights import CHECK

_MOST = 95.0  # per cent of copies beyond chance with which nobody can say that columns were perturbed


def audit_copies(file: DataFile, known: Known) -> list[Finding]:
    """Released records that equal the only original of their kind, in all columns and in each that was perturbed.

    A run has judged them by its limits already. Here they show whether the file is what its project or log speaks of.
    """
    if known.original is None or known.release is not None:
        return []
    whole = _names(file, known)
    try:
        found = _copies(known.original, file.data, whole)
        if isinstance(found, str):
            return [_left_open(file, known, found)]
        beside = _beside_plan(file, known, whole, found)
    except MicroveilError as problem:
        return [_left_open(file, known, str(problem))]
    if any(one.state == "broken" for one in beside):
        return beside
    if not found:
        told = f"{file.name}: no more records than by chance equal an original that nobody shares."
        return [holds(CHECK, told), *beside]
    told = f"{file.name}: {format_number(found)} % of its records, beyond chance, are the original's as they are"
    return [note(CHECK, f"{told}."), *beside]


def _beside_plan(file: DataFile, known: Known, whole: tuple[str, ...], found: float) -> list[Finding]:
    """The file beside runs of its plan; nothing where the log knows the file."""
    assert known.original is not None
    if not _is_compared(known):
        return []
    changed = [name for name in whole if name in known.perturbed]
    runs = PlanRuns.of(known.steps, known.original)
    if changed and found > _MOST and not any(_leaves_most(known.original, run, whole) for run in runs.files):
        told = f"{format_number(found)} % of its records, beyond chance, are the original's as they are"
        return [broken(CHECK, f"{file.name}: {told}, although columns are said to be perturbed.")]
    strange = [name for name in whole if name not in runs.acted and _has_others(known.original, file.data, name)]
    if changed and strange:
        told = f"{list_all(list(map(repr, strange)))} hold{'s' * (len(strange) == 1)} values that the original has not"
        left = f"although the plan leaves {'it' if len(strange) == 1 else 'them'} as collected"
        return [broken(CHECK, f"{file.name}: {told}, {left}.")]
    coarsened = audit_coarsened(file, known.original, runs, whole, known.perturbed | runs.perturbed)
    if not changed or any(one.state == "broken" for one in coarsened):
        return coarsened
    beside = BesidePlan(known.original, file.data, runs, whole, known.perturbed)
    more = beside.more()
    if more is not None:
        return [broken(CHECK, f"{file.name}: {more}, so that this file was not made by it.")]
    return [*coarsened, _tell_unseen(file, beside.unseen())]


def _tell_unseen(file: DataFile, unseen: Unseen) -> Finding:
    """How many records could be raw all the same; if too many could, nobody can say that the plan made the file."""
    if unseen.share <= MOST_UNSEEN:
        return note(CHECK, f"{file.name}: {unseen}; the private log decides.", "log=...")
    told = f"{unseen}: more than {100 * MOST_UNSEEN:g} % cannot be left open, and the private log decides."
    return undecided(CHECK, f"{file.name}: {told}", "log=...")


def _is_compared(known: Known) -> bool:
    """Whether the plan is to be run again: a log names the very files that it wrote, and is run for its promises."""
    return known.log is None and bool(known.steps)


def _left_open(file: DataFile, known: Known, why: str) -> Finding:
    """A comparison that could not be made: where nothing else says what was done to the file, nobody may pass it."""
    if not _is_compared(known):
        return not_checked(CHECK, f"{file.name}: {why}.")
    told = f"{file.name} could not be laid beside what the plan gives of the original: {why}."
    return undecided(CHECK, told, "log=...")


def _copies(original: Microdata, data: Microdata, names: tuple[str, ...]) -> float | str:
    """Per cent of records that are those of the original, beyond chance; or why that cannot be counted."""
    result = Verbatim(known=names)(original, data, linked=False)
    return Verbatim().advantage(result) if isinstance(result, Measured) else result.reason


def _leaves_most(original: Microdata, run: Microdata, names: tuple[str, ...]) -> bool:
    """Whether the plan itself leaves nearly all records as they are, as one that swaps a few of them does."""
    left = _copies(original, run, names)
    return isinstance(left, float) and left > _MOST


def _has_others(original: Microdata, data: Microdata, name: str) -> bool:
    """Whether a column holds values that it has nowhere in the original; numbers and texts are not compared."""
    ours, theirs = (one.narwhal.get_column(name) for one in (original, data))
    if ours.dtype.is_numeric() != theirs.dtype.is_numeric() or not ours.dtype.is_numeric():
        return not ours.dtype.is_numeric() and not theirs.dtype.is_numeric() and bool(_cells(theirs) - _cells(ours))
    known, shown = (one.values(name, "continuous").numbers for one in (original, data))
    near = np.isclose(shown[:, None], np.unique(known)[_nearest(np.unique(known), shown)][:, None], rtol=1e-9, atol=0)
    return bool((~near[:, 0] & ~np.isnan(shown)).any())


def _nearest(known: Floats, shown: Floats) -> Ints:
    """The place of the number next to each, among numbers in their order."""
    right = np.clip(np.searchsorted(known, shown), 1, max(len(known) - 1, 1))
    left = right - 1
    right = np.minimum(right, len(known) - 1)
    return np.where(np.abs(shown - known[left]) <= np.abs(known[right] - shown), left, right)


def _cells(column: nw.Series[Any]) -> set[str]:
    return {str(value) for value in column.unique().to_list() if value is not None and str(value)}


def _names(file: DataFile, known: Known) -> tuple[str, ...]:
    """The columns of the original that a file has, identifiers and numbers of households aside."""
    assert known.original is not None
    roles = known.original.roles
    apart = ("identifier", "household")
    return tuple(name for name in known.original.columns if name in file.data.columns and roles[name] not in apart)
