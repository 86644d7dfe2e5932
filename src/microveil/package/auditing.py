"""`audit`: open a package as a stranger would, and test again all that can be tested with what is given."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from microveil.certify import PublicKey
from microveil.core.errors import BadInput, FileProblem
from microveil.core.printable import one_line
from microveil.core.words import counted, list_all
from microveil.data.microdata import Microdata
from microveil.package.audit_certificate import audit_certificate, audit_internal, is_internal
from microveil.package.audit_copies import audit_copies
from microveil.package.audit_files import (
    DataFile,
    Place,
    check_codebook,
    compare_files,
    find_special,
    open_files,
    tell_opened,
)
from microveil.package.audit_grounds import audit_grounds
from microveil.package.audit_identifiers import audit_identifiers
from microveil.package.audit_parts import audit_parts, has_parts
from microveil.package.audit_promises import audit_promises
from microveil.package.audit_protection import audit_edits, audit_protection
from microveil.package.audit_search import audit_search
from microveil.package.audit_strangers import audit_readers, read_by_strangers
from microveil.package.audit_totals import audit_totals
from microveil.package.audit_traces import audit_traces
from microveil.package.audit_weights import audit_weights
from microveil.package.audit_written import audit_as_written
from microveil.package.findings import Finding, broken, not_checked, note
from microveil.package.known import Known, what_is_known
from microveil.package.names import INSIDE, LOG, PACKAGE
from microveil.package.register import is_left
from microveil.plan.release_plan import Published


@dataclass(frozen=True)
class Audit:
    """What an audit found, a line for each check; `ok` if nothing is broken and protection was shown or answered for.

    A file without a fault may still be raw data: where neither a trusted signature nor log, project or original shows
    otherwise, the audit is `undecided`, which is no permission to give anything away. A package that is as its own
    certificate says, of which nothing more is known, is sound as a package; a note says that nobody answers for it.
    """

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is broken, and nothing undecided; other checks that were not made are told."""
        return not self.broken and not self.undecided

    @property
    def undecided(self) -> tuple[Finding, ...]:
        """What would have to be known before anybody can say that the data are protected."""
        return tuple(one for one in self.findings if one.state == "undecided")

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The findings against the package."""
        return tuple(one for one in self.findings if one.state == "broken")

    @property
    def line(self) -> str:
        """The verdict in one line."""
        left = sum(one.state == "not checked" for one in self.findings)
        more = f"; {counted(left, 'check')} could not be made" if left else ""
        if self.broken:
            faults = counted(len(self.broken), "fault")
            return f"The audit finds {faults}: this package may not be given away, nor be trusted{more}."
        held = counted(sum(one.state == "holds" for one in self.findings), "check")
        if self.undecided:
            return f"UNDECIDED: no fault in {held}{more}; that is no permission to give the package away."
        return f"The audit finds no fault in {held}{more}."

    def __str__(self) -> str:
        return "\n".join([*map(str, self.findings), self.line])


def audit(
    package: str | os.PathLike[str],
    *,
    trusted: Sequence[PublicKey] | None = None,
    signers: int = 1,
    project: str | os.PathLike[str] | None = None,
    log: str | os.PathLike[str] | None = None,
    original: str | os.PathLike[str] | None = None,
    words: Sequence[str] = (),
    published: Sequence[Published] = (),
    register: str | os.PathLike[str] | None = None,
    earlier: Sequence[str | os.PathLike[str]] = (),
    today: date | None = None,
) -> Audit:
    """Reopen the files of a package, or one file, and test what was promised about them, whoever made them.

    `trusted` are the keys of people whose signatures count, of whom `signers` must have signed. With a `project`, or
    with the private `log`, k, l, t, scenarios and rules are tested; with the `original` too, traces of it are looked
    for in all bytes, and with both log and original the release is run again and every promise checked on the files.
    `words` must not stand anywhere in the package, and `published` figures, also those of the project, must come out
    of its files. A `register` says whether the package was revoked; with it, or with folders of `earlier` runs, and
    with log and original, the release is combined with those before it. A package that still lies in the folder of its
    run is audited with the private log of that run, unless another log is given. What cannot be tested is said;
    where a judgement is asked for and nothing shows that the data are protected, the audit is undecided.
    """
    path = Path(package)
    if not path.exists():
        raise FileProblem(f"there is no {str(path)!r}; name the folder of a package, or one file of data")
    if register is not None and not is_left(Path(register)):
        raise FileProblem(f"there is no register {str(register)!r}; name the file that add_release writes")
    special = find_special(path)
    if special:  # one that waits for a writer never ends, and none can be copied with the package
        told = "is no file but a pipe, a socket or a device: take it out, and audit again."
        return Audit(tuple(broken("files", f"{one_line(name)} {told}") for name in special))
    of_project, of_log, of_original = (None if one is None else Path(one) for one in (project, log, original))
    beside = _log_beside(path) if of_log is None else None
    of_log = beside or of_log
    if has_parts(path) and of_original is not None:
        raise BadInput(
            "the data of this package are in parts, and an original is compared with all records in memory; leave it "
            "out, and replay the log on the original instead: that writes the same bytes, or says what differs"
        )
    known = what_is_known(of_project, of_log, of_original, published)
    day = today or datetime.now().astimezone().date()
    certified = audit_certificate(path, trusted, signers, day)
    if path.is_dir() and is_internal(path):
        return Audit((*certified, *audit_internal(certified, trusted is not None)))
    others = _audit_others(path, known, None if register is None else Path(register), earlier)
    written = audit_as_written(path, of_log.parent) if of_log is not None and path.is_dir() else []
    about = (*certified, *written, *_used(beside, known), *others)
    if has_parts(path):
        return Audit((*about, *audit_parts(path, known, trusted is not None, words)))
    place = Place.of(path)
    opened = open_files(place)
    found = _audit_opened(place, opened, known, words)
    return Audit((*about, *found, *audit_grounds(place, opened[0], known, certified, found, trusted is not None)))


def _used(beside: Path | None, known: Known) -> list[Finding]:
    """Which log was used unasked, and what the project says otherwise."""
    found = []
    if beside is not None:
        found.append(note("log", f"the private log beside the package, {INSIDE}/{LOG}, was used."))
    if known.otherwise:
        told = f"the project states {list_all(list(known.otherwise))} than the log."
        found.append(note("log", f"{told} The log says what was done; limits, rules and identifiers of both count."))
    return found


def _log_beside(path: Path) -> Path | None:
    """The private log of the run that a package still lies in."""
    place = path.resolve()  # whatever link leads there
    log = place.parent / INSIDE / LOG
    return log if place.is_dir() and place.name == PACKAGE and log.is_file() else None


def _audit_others(
    path: Path, known: Known, register: Path | None, earlier: Sequence[str | os.PathLike[str]]
) -> list[Finding]:
    """What the register says of the package, and what it tells together with other releases."""
    from microveil.package.register_check import audit_composition, audit_register

    if register is None and not earlier:
        told = "earlier releases of the same source are compared where they are named."
        return [not_checked("composition", told, "register=... or earlier=[...]")]
    found = [] if register is None else audit_register(path, register)
    return [*found, *audit_composition(path, known, register, earlier)]


def audit_contents(path: Path, known: Known, words: Sequence[str] = ()) -> list[Finding]:
    """Everything but the certificate of a folder or one file: what it holds, promises, and must not tell."""
    place = Place.of(path)
    return _audit_opened(place, open_files(place), known, words)


def _audit_opened(
    place: Place, opened: tuple[list[DataFile], list[Finding]], known: Known, words: Sequence[str]
) -> list[Finding]:
    files, about_files = opened
    found = [*about_files, *tell_opened(files), *compare_files(files), *check_codebook(place, files)]
    for file in files:
        found += _audit_file(file, known)
    if not known.roles:
        ways = "project=... or log=..."
        told = "k, l, t and rules are checked with the project or the private log."
        found.append(not_checked("scenarios", told, ways))
        told = "which columns are weights and strata, the project or the log must say."
        found.append(not_checked("weights", told, ways))
    if not known.roles and not known.published:
        told = "published figures are compared where the project states them."
        found.append(not_checked("published", told, "project=..."))
    found += audit_promises(files, known)
    return [*found, *audit_search(place, files, known, words)]


def _audit_file(file: DataFile, known: Known) -> list[Finding]:
    """One file of data: as strangers read it, what it promises, and what it tells beside its cells."""
    read = list(read_by_strangers(file))
    readings = [("microveil", file.data), *((title, data) for title, data in read if isinstance(data, Microdata))]
    return [
        *audit_readers(file, read),
        *audit_identifiers(file, known),
        *audit_protection(file, readings, known),
        *audit_edits(file, known),
        *audit_totals(file, known),
        *audit_copies(file, known),
        *audit_weights(file, known),
        *audit_traces(file, known),
    ]
