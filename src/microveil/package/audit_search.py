"""Audit: a search for words and numbers that must not stand anywhere in a package, in bytes as stored and unpacked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from microveil.certify.statement import INTERNAL
from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.core.words import counted, list_all
from microveil.package.audit_files import DataFile, Place
from microveil.package.findings import Finding, judged, not_checked
from microveil.package.known import Known
from microveil.package.removed_values import removed_values
from microveil.package.searched_numbers import SHORTEST, are_among
from microveil.package.unpacked import UNREADABLE, unpacked
from microveil.package.wanted import identifying_numbers, texts_of, what_is_wanted, whole_numbers

CHECK = "search"
_HALF = 0.5  # of the values of a column, from which on it holds identifiers
# what stays inside, whoever looks: as these files begin, or say what they are
_INSIDE = {
    b"private log of a microveil release": "a private log",
    b"PRIVATE KEY-----": "a private key",
    INTERNAL.encode(): "an internal certificate",
}


def audit_search(place: Place, files: list[DataFile], known: Known, words: Iterable[str]) -> list[Finding]:
    """Search all files for canaries, the key, the name of the source, and texts and long numbers of identifiers.

    Categories, labels and extremes that protection removed are looked for in all other files than those of data, by the
    rule of `removed_values`; in the bytes of data files `FileLeaks` does it.
    """
    wanted = what_is_wanted(place, files, known, words)
    removed = removed_values(files, known)
    cells = {file.name: "\n".join(texts_of(file.data)).encode() for file in files}
    problems = list(_identifying_columns(files, known))
    inside = []
    for name in place.names:
        try:
            contents = b"\n".join((*unpacked(place.folder / name), cells.get(name, b"")))
        except UNREADABLE as problem:
            why = f" ({problem})" if isinstance(problem, BadInput) else ""
            problems.append(f"{name} cannot be unpacked{why}, so that nobody knows what is in it.")
            continue
        inside += [f"{name} holds {what}, which stays inside." for mark, what in _INSIDE.items() if mark in contents]
        found = wanted.count_in(contents)
        if found:
            problems.append(f"{name} holds {counted(found, 'word')} of the source that must not be in it.")
        columns = removed.columns_in(contents) if name not in cells else []
        if columns:
            problems.append(f"{name} holds values of {list_all(columns)} that no record has any more.")
    kept = f"no file holds {list_all(list(_INSIDE.values()))}.".replace(" and ", " or ")
    told = f"none of what was searched for stands in any file: {list_all([str(wanted), *removed.said])}."
    ways = "original=..., log=... or words=[...]"
    missing = [not_checked(CHECK, "nothing is known that must not stand in the files.", ways)]
    searched = missing if wanted.empty and not problems else judged(CHECK, problems, told)
    return [*judged(CHECK, inside, kept), *searched, *_left_out(known)]


def _identifying_columns(files: list[DataFile], known: Known) -> Iterator[str]:
    """Columns under another name in which identifiers came along, such as numbers of households left as they were."""
    wanted = identifying_numbers(known)
    for file in files if len(wanted) else ():
        for name in file.data.columns:
            values = whole_numbers(file.data, [name])
            if len(values) and are_among(values, wanted).mean() > _HALF and not _had(known, name, wanted):
                yield f"{file.name}: the column {name!r} holds numbers of an identifier."


def _had(known: Known, name: str, wanted: Ints) -> bool:
    """Whether the original has these numbers in the column too, beside its identifiers."""
    assert known.original is not None
    if name not in known.original.columns or known.original.roles[name] == "identifier":
        return False
    values = whole_numbers(known.original, [name])
    return bool(len(values) and are_among(values, wanted).mean() > _HALF)


def _left_out(known: Known) -> list[Finding]:
    """Identifiers that are numbers too short to be searched for."""
    if known.original is None:
        return []
    short = []
    for name in known.original.names("identifier"):
        values = whole_numbers(known.original, [name])
        if (values < 10 ** (SHORTEST - 1)).any():
            short.append(str(name))
    if not short:
        return []
    told = f"{list_all(short)}: numbers of fewer than {SHORTEST} digits stand in any file, and were not searched for."
    return [not_checked(CHECK, told)]
