"""The check of a register: chain, packages, reviews that are due, and what its releases tell together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from pathlib import Path

from microveil.certify import PublicKey, find_changes, read_certificate
from microveil.certify.statement import Statement
from microveil.core.errors import MicroveilError
from microveil.core.words import counted
from microveil.io import sha256_of
from microveil.io.holding import is_strange_link
from microveil.package.audit_files import Place
from microveil.package.earlier import CHECK as COMPOSITION
from microveil.package.earlier import EarlierRelease, compare_pairs, compare_with_earlier, earlier_releases
from microveil.package.findings import Finding, broken, holds, judged, not_checked, note
from microveil.package.known import Known
from microveil.package.names import INSIDE, PACKAGE
from microveil.package.register import Register, hash_of_statement, read_register
from microveil.package.register_entries import Entry
from microveil.plan.log import replay

CHECK = "register"


def check_register(
    register: str | os.PathLike[str],
    *,
    original: str | os.PathLike[str] | None = None,
    trusted: Sequence[PublicKey] | None = None,
    today: date | None = None,
) -> list[Finding]:
    """Whether the chain holds, packages are as they were entered, reviews are due; and every two releases combined.

    `original` is the file that all releases were made from; without it, it is looked for beside the project of a run.
    """
    known = read_register(register)
    if not known.entries and not known.faults:
        return [not_checked(CHECK, f"{known.path.name} has no entry.")]
    told = f"{known.path.name}: {counted(len(known.entries), 'line')}, each as it was written."
    found = judged(CHECK, [f"{known.path.name}: {fault}." for fault in known.faults], told)
    day = today or datetime.now().astimezone().date()
    for entry in known.releases:
        found += [*_package(known, entry, trusted), *_state(entry), *_review(entry, day)]
    return [*found, *_together(known, None if original is None else Path(original))]


def audit_register(path: Path, register: Path) -> list[Finding]:
    """What a register says of a package, or of one file: which release it is, and whether it was revoked.

    A release is known by what was signed, and by any of its files of data: who changes the statement of a revoked
    package, or takes its file out, does not make it another one.
    """
    known = read_register(register)
    found = [broken(CHECK, f"{register.name}: {fault}.") for fault in known.faults]
    place = Place.of(path)
    stated = None if place.alone else _statement(path)
    entry = None if stated is None else known.find(hash_of_statement(stated))
    by_file = {name: one for name in place.names if (one := known.find_file(_hash_in(place, name))) is not None}
    revoked = [one for one in (entry, *by_file.values()) if one is not None and one.state == "revoked"]
    if revoked:
        by = {one.number: name for name, one in by_file.items()}.get(revoked[0].number)
        known_by = "" if revoked[0] is entry or by is None else f", known by {by}"
        first = revoked[0]
        return [*found, broken(CHECK, f"REVOKED on {first.date}, release {first.number}{known_by}: {first.reason}")]
    if known.faults and (entry is not None or by_file):
        number = (entry or next(iter(by_file.values()))).number
        told = f"this is of release {number} of {register.name}, which is broken: whether it stands is not known"
        return [*found, not_checked(CHECK, f"{told}.")]
    if entry is not None:
        return [*found, holds(CHECK, f"the package is release {entry.number} of {register.name}, and stands.")]
    if place.alone and by_file:
        one = next(iter(by_file.values()))
        return [*found, holds(CHECK, f"{path.name} is of release {one.number} of {register.name}, which stands.")]
    if by_file:
        name, one = next(iter(by_file.items()))
        told = f"{name} is of release {one.number} of {register.name}, and the certificate is another than was entered"
        return [*found, broken(CHECK, f"{told}.")]
    if known.faults:
        told = f"{register.name} is broken: whether this was released by it, or revoked, is not known"
        return [*found, not_checked(CHECK, f"{told}.")]
    if stated is None and not place.alone:
        return [*found, not_checked(CHECK, "without a sound certificate the register cannot know the package.")]
    return [*found, note(CHECK, f"the {'file' if place.alone else 'package'} is not in {register.name}.")]


def _statement(folder: Path) -> Statement | None:
    try:
        return read_certificate(folder).statement
    except MicroveilError:
        return None


def _hash_in(place: Place, name: str) -> str:
    path = place.folder / name
    return sha256_of(path) if path.is_file() and not is_strange_link(path) else ""


def audit_composition(
    folder: Path, known: Known, register: Path | None, earlier: Sequence[str | os.PathLike[str]]
) -> list[Finding]:
    """What a package tells together with other releases, if log and original are there to run all of them again."""
    others = [one for one in earlier_releases(register, earlier) if not _is_in(folder, one)]
    if not others:
        return []
    if known.log is None or known.original is None:
        lacking = {"log=...": known.log, "original=...": known.original}
        give = " and ".join(option for option, value in lacking.items() if value is None)
        are = "is" if len(others) == 1 else "are"
        told = f"{counted(len(others), 'other release')} {are} combined with this one by its log and the original."
        return [not_checked(COMPOSITION, told, give)]
    try:
        release = known.release or replay(known.log, known.original)
    except MicroveilError as problem:
        return [not_checked(COMPOSITION, f"the log cannot be run again: {problem}.")]
    return compare_with_earlier(release, others, "this release")


def _is_in(folder: Path, run: EarlierRelease) -> bool:
    """Whether a package is that of a run, wherever somebody copied it to."""
    try:
        ours, theirs = (read_certificate(one).statement.subjects for one in (folder, run.folder / PACKAGE))
    except MicroveilError:
        return False
    return ours == theirs


def _package(known: Register, entry: Entry, trusted: Sequence[PublicKey] | None) -> list[Finding]:
    """Whether the files of a release are those that were entered."""
    folder, named = known.folder_of(entry), f"release {entry.number}"
    if not folder.is_dir():
        return [broken(CHECK, f"{named}: its folder {entry.run} is not there.")]
    return judged(CHECK, list(_changes(folder, entry, trusted)), f"{named} ({entry.run}) is as it was entered.")


def _changes(folder: Path, entry: Entry, trusted: Sequence[PublicKey] | None) -> Iterator[str]:
    named = f"release {entry.number}"
    for part in (PACKAGE, INSIDE):
        try:
            certificate = read_certificate(folder / part, trusted if part == PACKAGE else None)
        except MicroveilError as problem:
            yield f"{named}, {part}: {problem}."
            continue
        if part == PACKAGE and hash_of_statement(certificate.statement) != entry.certificate:
            yield f"{named}: its certificate is another one than was entered."
        yield from (f"{named}, {part}: {change}." for change in find_changes(folder / part, certificate.statement))


def _state(entry: Entry) -> list[Finding]:
    if entry.state == "released":
        return []
    return [note(CHECK, f"release {entry.number} was revoked on {entry.date}: {entry.reason}")]


def _review(entry: Entry, today: date) -> list[Finding]:
    """A review that is due; a release that was revoked has been decided upon."""
    if entry.state == "revoked" or not entry.review:
        return []
    try:
        due = date.fromisoformat(entry.review)
    except ValueError:
        return [note(CHECK, f"release {entry.number}: its date of review, {entry.review!r}, is no date.")]
    told = f"release {entry.number} was to be reviewed by {entry.review}, which has passed."
    return [note(CHECK, told)] if due < today else []


def _together(known: Register, original: Path | None) -> list[Finding]:
    """Releases of the same source, every two of them combined, revoked ones too."""
    runs = [one for one in earlier_releases(known.path) if one.folder.is_dir()]
    by_source: dict[str, list[EarlierRelease]] = {}
    for one in runs:
        by_source.setdefault(one.source, []).append(one)
    return [finding for group in by_source.values() for finding in compare_pairs(group, original)]
