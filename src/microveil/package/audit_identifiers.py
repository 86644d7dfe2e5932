"""Audit: columns that identify people or households, by what is stated of them or by what they look like."""

from __future__ import annotations

from microveil.core.words import counted, list_all
from microveil.data.microdata import Microdata
from microveil.detect import Finding as Likeness
from microveil.detect import find_identifiers, look_at
from microveil.package.audit_files import DataFile
from microveil.package.findings import Finding, holds, judged, note, undecided
from microveil.package.known import Known

CHECK = "identifiers"


def audit_identifiers(file: DataFile, known: Known) -> list[Finding]:
    """Columns that are stated to be identifiers; those of which nothing is stated by their names and what they hold."""
    if not known.roles:
        alike = _lookalikes(file)
        if not alike:
            return [holds(CHECK, f"{file.name}: no column looks like an identifier.")]
        return [
            note(CHECK, f"{file.name}: the column {name!r} looks like an identifier ({one.why}).")
            for name, one in alike.items()
        ]
    stated = [name for name in map(str, file.data.columns) if known.roles.get(name) == "identifier"]
    problems = [
        f"{file.name}: the column {name!r} is an identifier, and has values."
        for name in stated
        if file.data.narwhal.get_column(name).null_count() < file.data.n
    ]
    found = judged(CHECK, problems, f"{file.name}: no column that is stated as an identifier has values.")
    return [*found, *_numbers_kept(file, known), *_unstated(file, known)]


def _numbers_kept(file: DataFile, known: Known) -> list[Finding]:
    """Households that still have the original's names or numbers, which are drawn anew when a file is written.

    New ones are 1, 2, ... in any order: such numbers say nothing where the original has them too.
    """
    if known.original is None:
        return []
    problems = []
    homes = [name for name in known.original.names("household") if name in file.data.columns]
    for name in homes:
        theirs, shown = (_as_texts(one, name) for one in (known.original, file.data))
        new = set(map(str, range(1, max(len(theirs), len(shown)) + 1)))
        kept = len(theirs & shown - new)
        if kept:
            told = f"{counted(kept, 'household')} in the column {name!r} still {'has' if kept == 1 else 'have'}"
            problems.append(f"{file.name}: {told} the value of the original, and such values are drawn anew.")
    if not homes:
        return []
    return judged(CHECK, problems, f"{file.name}: the values of {list_all(homes)} are not those of the original.")


def _as_texts(data: Microdata, name: str) -> set[str]:
    """The values of a column as texts, whole numbers alike however a file holds them."""
    cells = (cell for cell in data.narwhal.get_column(name).unique().to_list() if cell is not None and cell == cell)
    whole = (int(cell) if isinstance(cell, float) and cell.is_integer() else cell for cell in cells)
    return {str(cell).strip() for cell in whole} - {""}


def _unstated(file: DataFile, known: Known) -> list[Finding]:
    """Columns without a role that look like identifiers; those who made the release stated a role of each."""
    if known.release is not None or not set(map(str, file.data.columns)) - set(known.roles):
        return []
    told = "looks like an identifier"
    return [
        undecided(CHECK, f"{file.name}: the column {name!r}, of which nobody states a role, {told} ({one.why}).")
        for name, one in _lookalikes(file).items()
        if name not in known.roles
    ]


def _lookalikes(file: DataFile) -> dict[str, Likeness]:
    return find_identifiers([look_at(file.data.narwhal.get_column(name), ()) for name in file.data.columns])
