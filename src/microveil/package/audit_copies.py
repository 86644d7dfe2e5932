"""Audit: records of the original that stand in a file as they are, beside what the plan would have left of them.

What a project says of its plan proves nothing about a file. Where the original is there too, the plan is run on it once
more: a file that was made so holds about as many copies as that run does.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from math import sqrt
from typing import Any

import narwhals as nw
import numpy as np

from microveil.attack.near_copies import NearCopies
from microveil.attack.verbatim import Verbatim
from microveil.core.arrays import Floats, Ints
from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.core.words import list_all
from microveil.data.canonical import plain
from microveil.data.microdata import Microdata
from microveil.io.rounding import round_release
from microveil.package.audit_files import DataFile
from microveil.package.findings import Finding, broken, holds, not_checked, note
from microveil.package.known import Known
from microveil.package.near_amounts import near_amounts, rounded_like
from microveil.plan.plan import Plan
from microveil.run.release import Release

CHECK = "copies"
_MOST = 95.0  # per cent of copies beyond chance with which nobody can say that columns were perturbed
_MORE, _ERRORS = 5.0, 4.0  # per cent, and standard errors, by which a file may hold more copies than a run of its plan
_MOST_COLUMNS = 30  # that are looked at one by one


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
            return [not_checked(CHECK, f"{file.name}: {found}.")]
        problems = [f"{file.name}: {told}." for told in _beyond_plan(file, known, whole, found)]
    except MicroveilError as problem:
        return [not_checked(CHECK, f"{file.name}: {problem}.")]
    if problems:
        return [broken(CHECK, problem) for problem in problems]
    if not found:
        return [holds(CHECK, f"{file.name}: no more records than by chance equal an original that nobody shares.")]
    told = f"{file.name}: {format_number(found)} % of its records, beyond chance, are the original's as they are"
    return [note(CHECK, f"{told}.")]


def _beyond_plan(file: DataFile, known: Known, whole: tuple[str, ...], found: float) -> Iterator[str]:
    """Where a file holds more copies than a run of its plan leaves; nothing where no column is said to be perturbed."""
    assert known.original is not None
    changed = [name for name in whole if name in known.perturbed]
    if not changed:
        return
    if found > _MOST:
        told = f"{format_number(found)} % of its records, beyond chance, are the original's as they are"
        yield f"{told}, although columns are said to be perturbed"
        return
    if known.log is not None:
        return  # it names the very files that it wrote, and is run again for its promises
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a release that nobody gets
        run = Plan(list(known.steps)).run(known.original)
    ran, acted = _as_written(run), {*run.changed, *(name for record in run.steps for name in record.columns)}
    strange = [name for name in whole if name not in acted and _has_others(known.original, file.data, name)]
    if strange:
        told = f"{list_all(list(map(repr, strange)))} hold{'s' * (len(strange) == 1)} values that the original has not"
        yield f"{told}, although the plan leaves {'it' if len(strange) == 1 else 'them'} as collected"
        return
    kept = tuple(name for name in whole if name not in known.perturbed)
    true = tuple(name for name in kept if name not in acted)  # recoded ones equal no original, whatever stands beside
    looks = {
        "all columns": whole,
        **{repr(name): (*kept, name) for name in changed[:_MOST_COLUMNS] if kept},
        **({"all that the plan does not coarsen": (*true, *changed)} if true != kept else {}),
        **{f"{name!r} apart from coarsened keys": (*true, name) for name in changed[:_MOST_COLUMNS] if true != kept},
    }
    for what, names in looks.items():
        here, there = _copies(known.original, file.data, names), _copies(known.original, ran, names)
        if isinstance(here, float) and isinstance(there, float) and _is_more(here, there, file.data.n):
            yield (
                f"in {what} {format_number(here)} % of its records, beyond chance, are the original's as they are; a "
                f"run of the plan leaves {format_number(there)} %, so that this file was not made by it"
            )
            return
    near, near_of_run = (_copies(known.original, one, whole, NearCopies) for one in (file.data, ran))
    if isinstance(near, float) and isinstance(near_of_run, float) and _is_more(near, near_of_run, file.data.n):
        yield (
            f"{format_number(near)} % of its records, beyond chance, are nearly the original's; a run of the plan "
            f"leaves {format_number(near_of_run)} %, so that this file was not made by it"
        )
        return
    yield from _near_in_one(known.original, file.data, ran, changed[:_MOST_COLUMNS])


def _near_in_one(original: Microdata, data: Microdata, ran: Microdata, names: list[str]) -> Iterator[str]:
    """The first column whose amounts are nearly the original's more often than those of a run of the plan."""
    for name in names:
        if not all(one.narwhal.get_column(name).dtype.is_numeric() for one in (original, data, ran)):
            continue
        true, shown, drawn = (one.values(name, "continuous").numbers for one in (original, data, ran))
        here, there = near_amounts(true, shown), near_amounts(true, rounded_like(drawn, shown))
        if here is not None and there is not None and _is_more(here, there, data.n):
            yield (
                f"{format_number(here)} % of its amounts in {name!r} are nearly the original's; a run of the plan "
                f"leaves {format_number(there)} %, so that this file was not made by it"
            )
            return


def _as_written(run: Release) -> Microdata:
    """A release with the digits that a file of it would have: rounded amounts are nearer to others."""
    rounded, table = round_release(run), run.narwhal.to_arrow()
    for place, name in enumerate(table.column_names):
        table = table.set_column(place, name, rounded.put_back(plain(table[name]), name, []))
    return Microdata(table)


def _is_more(here: float, there: float, records: int) -> bool:
    """Whether a file holds more copies than a run of its plan, beyond what two runs of it may differ by."""
    share = (here + there) / 2.0
    return here - there > max(_MORE, _ERRORS * sqrt(2.0 * max(share * (100.0 - share), 0.0) / max(records, 1)))


def _copies(
    original: Microdata, data: Microdata, names: tuple[str, ...], look: type[Verbatim | NearCopies] = Verbatim
) -> float | str:
    """Per cent of records that are those of the original, beyond chance; or why that cannot be counted."""
    result = look(known=names)(original, data, linked=False)
    return look().advantage(result) if isinstance(result, Measured) else result.reason


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
