"""The register of the releases of one source: lines are added, none is ever changed or removed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

from microveil.certify import CERTIFICATE, Certificate, PublicKey, find_changes, read_certificate
from microveil.certify.statement import INTERNAL, RELEASE, Statement
from microveil.core.errors import BadInput, BrokenPromise, FileProblem, MicroveilError
from microveil.core.locking import locked_file
from microveil.core.printable import is_plain
from microveil.core.words import list_all
from microveil.package.audit_files import is_data
from microveil.package.audit_written import says_what_was_written
from microveil.package.names import INSIDE, PACKAGE
from microveil.package.register_entries import FIRST, KINDS, Entry, find_breaks, hash_of

REGISTER = "register.jsonl"
_HEAD = ".head"
_LARGEST = 1 << 26


@dataclass(frozen=True)
class Register:
    """A register as it was read: its entries in their order, and what is wrong with their chain.

    `head` is the hash of the last line. It stands in a file beside the register too: lines that were cut off at the end
    break no chain, and are missed by it.
    """

    path: Path
    entries: tuple[Entry, ...] = ()
    faults: tuple[str, ...] = ()
    head: str = FIRST

    @property
    def releases(self) -> tuple[Entry, ...]:
        """The releases, each in its present state: those revoked with reason and date of that."""
        last = {entry.number: entry for entry in self.entries}
        first = (entry for entry in self.entries if entry.state == "released")
        return tuple(last[entry.number] for entry in first)

    def find(self, certificate: str) -> Entry | None:
        """The release whose statement has this hash, in its present state."""
        return next((entry for entry in self.releases if entry.certificate == certificate), None)

    def find_file(self, digest: str) -> Entry | None:
        """The release that has a file of data with this hash, a revoked one before others.

        Lines of older registers do not have the hashes; those of the certificate in its run count then.
        """
        found = [entry for entry in self.releases if digest in (entry.files or self._files_of(entry))]
        return next((entry for entry in found if entry.state == "revoked"), found[0] if found else None)

    def _files_of(self, entry: Entry) -> tuple[str, ...]:
        try:
            return data_hashes(read_certificate(self.folder_of(entry) / PACKAGE).statement)
        except MicroveilError:
            return ()

    def folder_of(self, entry: Entry) -> Path:
        """Where the run of an entry is."""
        return self.path.parent / entry.run


def read_register(path: str | os.PathLike[str]) -> Register:
    """Read a register and test its chain; one that is not there is empty."""
    place = Path(path)
    if not os.path.lexists(place):
        beside = (f"{head_of(place).name} is there, and the register is not",) if head_of(place).exists() else ()
        return Register(place, faults=beside)
    if place.is_file() and place.stat().st_size > _LARGEST:
        raise BadInput(f"{place.name} has more than {_LARGEST:,} bytes, and is no register of releases")
    text = _text(place)
    lines = text.removesuffix("\n").split("\n") if text else []  # not at other ends of lines, which titles may hold
    entries = [Entry.from_line(line) for line in lines]
    faults = find_breaks(lines, entries) + ([] if text.endswith("\n") or not text else ["the last line is cut short"])
    hashes = [FIRST, *map(hash_of, lines)]
    return Register(
        place,
        tuple(entry for entry in entries if entry is not None),
        (*faults, *_ends_otherwise(place, hashes)),
        hashes[-1],
    )


def add_release(
    register: str | os.PathLike[str],
    run: str | os.PathLike[str],
    *,
    kind: str | None = None,
    day: date | None = None,
    trusted: tuple[PublicKey, ...] | None = None,
) -> Entry:
    """Enter the run in a folder (with its `package` and `internal`) as the next release; the entry as it was written.

    Refused are files that are not as their certificate says, a release that is there already, and a register whose
    chain does not hold. `kind` is what the certificate says unless it is told: public, scientific or secure. With
    `trusted` keys the signatures are tested, and people entered by name and key; else by the hashes of their keys.
    """
    place, folder = Path(register), Path(run)
    public, inside = _certificates(folder, trusted)
    said = public.statement.predicate
    title, review, stated = (str(said.get(name) or "") for name in ("title", "review", "kind"))
    entry = Entry(
        0,
        (day or datetime.now().astimezone().date()).isoformat(),
        "released",
        Path(os.path.relpath(folder.resolve(), place.parent.resolve())).as_posix(),
        title,
        _checked_kind(kind or stated or KINDS[0]),
        hash_of_statement(public.statement),
        str(inside.statement.predicate.get("input", {}).get("fingerprint", "")),
        tuple(str(step.get("name", "")) for step in said.get("methods", ())),
        review,
        (*(key.named for key in public.signed_by), *public.strangers),
        files=data_hashes(public.statement),
    )
    with _locked(place):
        known = _sound(place)
        before = known.find(entry.certificate)
        if before is not None:
            raise BadInput(f"this is release {before.number} of the register already; each release is entered once")
        _refuse_known_files(known, entry)
        return _append(known, replace(entry, number=len(known.releases) + 1))


def revoke_release(register: str | os.PathLike[str], number: int, reason: str, *, day: date | None = None) -> Entry:
    """Enter that a release is revoked, and why; its line stays, and so do its files."""
    place = Path(register)
    if not reason.strip():
        raise BadInput("a release is revoked for a reason; say it in a sentence")
    said = " ".join(reason.split())
    if not is_plain(said):
        raise BadInput(f"the reason is {said!r}, with signs that are not shown; say it in plain text")
    with _locked(place):
        known = _sound(place)
        found = next((entry for entry in known.releases if entry.number == number), None)
        if found is None:
            numbers = list_all([str(entry.number) for entry in known.releases]) if known.releases else ""
            there = f"give one of those that it has: {numbers}" if numbers else "it has none yet"
            raise BadInput(f"the register has no release {number}; {there}")
        if found.state == "revoked":
            raise BadInput(f"release {number} was revoked on {found.date} already: {found.reason}")
        when = (day or datetime.now().astimezone().date()).isoformat()
        return _append(known, replace(found, state="revoked", date=when, reason=said))


def hash_of_statement(statement: Statement) -> str:
    """By what a register knows a package: the hash of what is signed, whoever signs it."""
    return hash_of(statement.to_bytes().decode())


def data_hashes(statement: Statement) -> tuple[str, ...]:
    """The hashes of the files of data that a statement is about."""
    return tuple(digest for name, digest in statement.subjects.items() if is_data(name))


def _certificates(folder: Path, trusted: tuple[PublicKey, ...] | None) -> tuple[Certificate, Certificate]:
    """The certificates of a run, public and internal, if all files are as they say and belong together."""
    public = read_certificate(folder / PACKAGE, trusted)
    inside = read_certificate(folder / INSIDE)
    if (public.statement.predicate_type, inside.statement.predicate_type) != (RELEASE, INTERNAL):
        raise BadInput(f"{str(folder)!r} holds other certificates than a run has; name the folder of a run")
    wrong = [
        f"{part}: {change}"
        for part, one in ((PACKAGE, public), (INSIDE, inside))
        for change in find_changes(folder / part, one.statement)
    ]
    if not wrong and inside.statement.predicate.get("package") != dict(public.statement.subjects):
        wrong = ["package and internal are of different runs"]
    if not wrong and not says_what_was_written(public.statement, inside.statement):
        wrong = [f"{PACKAGE}: {CERTIFICATE} does not say what the run wrote into it"]
    if wrong:
        raise BrokenPromise(f"{'; '.join(wrong)}: this is not what was released, and was not entered")
    return public, inside


def _refuse_known_files(known: Register, entry: Entry) -> None:
    """Files of data that were entered before are the same release, whatever their certificate says by now."""
    for digest in entry.files:
        before = known.find_file(digest)
        if before is not None:
            state = f", which was revoked on {before.date}" if before.state == "revoked" else ""
            told = f"it holds a file of data of release {before.number} of the register{state}"
            raise BadInput(f"{told}; the same files are not entered twice: make another release")


def _checked_kind(kind: str) -> str:
    if kind not in KINDS:
        raise BadInput(f"the kind of a release is one of {', '.join(KINDS)}; {kind!r} was given")
    return kind


def _sound(place: Path) -> Register:
    known = read_register(place)
    if known.faults:
        raise BrokenPromise(f"{place.name}: {'; '.join(known.faults)}; nothing was entered: find out who changed it")
    return known


def _append(known: Register, entry: Entry) -> Entry:
    """Write all lines anew with one more, at once; then the hash of the last."""
    from microveil.io import write_text

    told = replace(entry, previous=known.head)
    before = _text(known.path) if known.path.exists() else ""
    write_text(known.path, f"{before}{told.to_line()}\n")
    write_text(head_of(known.path), f"{hash_of(told.to_line())}\n")
    return told


def _text(place: Path) -> str:
    """The text of the register as it is stored, ends of lines included."""
    from microveil.io import read_text

    read_text(place)  # for its clear errors
    return place.read_bytes().decode()


def head_of(place: Path) -> Path:
    """The file beside a register that holds the hash of its last line."""
    return place.with_name(place.name + _HEAD)


def lock_of(place: Path) -> Path:
    """The file beside a register that keeps other writers out; it stays there."""
    return place.with_name(f".{place.name}.lock")


def is_left(place: Path) -> bool:
    """Whether there is a register, or what is left of one."""
    return os.path.lexists(place) or head_of(place).exists()


def _ends_otherwise(place: Path, hashes: list[str]) -> tuple[str, ...]:
    """What the file with the last hash says against the register."""
    from microveil.io import read_text

    head = head_of(place)
    if not head.is_file():
        return (f"{head.name} is missing, so that nobody knows whether lines were cut off",)
    said = read_text(head).strip()
    if said == hashes[-1]:
        return ()
    if said in hashes[-2:]:
        why = "a command was killed as it wrote it, or somebody added it by hand"
        return (f"{head.name} does not know its last line: {why}; if it is yours, write {hashes[-1]} into {head.name}",)
    return (f"it does not end as {head.name} says: lines were cut off at the end, or changed",)


@contextlib.contextmanager
def _locked(place: Path) -> Iterator[None]:
    """Keep other writers out for as long as this one writes."""
    if not place.parent.is_dir():
        raise FileProblem(f"there is no folder {str(place.parent)!r} for the register; make it first")
    with locked_file(lock_of(place), place.name):
        yield
