"""Audit: whether a package is the one that its run wrote, by the certificate that the run kept inside.

The certificate of a package that nobody signed can be written anew by whoever changes a report or puts a file beside
the data. The one inside names the files of the package and what was said of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from microveil.certify import read_certificate
from microveil.certify.certificate import CERTIFICATE, files_in
from microveil.certify.statement import INTERNAL, Statement
from microveil.core.errors import MicroveilError
from microveil.core.open_types import Stated
from microveil.core.printable import one_line
from microveil.io import sha256_of
from microveil.package.contents import STATES
from microveil.package.findings import Finding, judged
from microveil.package.names import SIGN_OFF

CHECK = "run"


def audit_as_written(package: Path, inside: Path) -> list[Finding]:
    """Every file of a package beside what the internal certificate, which lies with the private log, says of it."""
    try:
        kept = read_certificate(inside).statement
    except MicroveilError:
        return []  # a log that lies alone: it speaks for itself
    named = kept.predicate.get("package")
    if kept.predicate_type != INTERNAL or not isinstance(named, dict):
        return []
    problems = [f"{one_line(told)}." for told in _differences(package, inside, named, kept)]
    return judged(CHECK, problems, "all files are those that the run wrote, by the certificate that it kept inside.")


def _differences(package: Path, inside: Path, named: Stated, kept: Statement) -> Iterator[str]:
    there = [name for name in files_in(package) if name != CERTIFICATE]
    for name in sorted({*there, *named}):
        if name not in named:
            yield f"{name} was not written by the run"
        elif name not in there:
            yield f"{name} was written by the run, and is missing"
        elif not (package / name).is_symlink() and sha256_of(package / name) != named[name]:
            yield f"{name} is not as the run wrote it"
    try:
        statement = read_certificate(package).statement
    except MicroveilError:
        if CERTIFICATE not in files_in(package):
            yield f"{CERTIFICATE} was written by the run, and is missing"
        return  # one that cannot be read is told where it is read
    if not says_what_was_written(statement, kept):
        yield f"{CERTIFICATE} does not say what the run wrote into it"
    elif not _is_named_to_sign(statement, inside / f"{SIGN_OFF}.html"):
        yield f"{SIGN_OFF}.html, the page to sign, does not name this {CERTIFICATE}"
    elif not _is_verdict(statement.predicate.get("limits"), kept.predicate.get("verdict")):
        yield f"{CERTIFICATE} and the one kept inside state other verdicts"


def _is_named_to_sign(statement: Statement, page: Path) -> bool:
    """Whether the page to sign has the hash of the statement: a second place, for who writes the first anew."""
    if not page.is_file():
        return False
    return sha256(statement.to_bytes()).hexdigest() in page.read_text(encoding="utf-8", errors="replace")


def _is_verdict(limits: object, verdict: object) -> bool:
    """Whether what is said of limits outside is what the verdict inside comes to."""
    return isinstance(verdict, Mapping) and STATES.get(str(verdict.get("state"))) == limits


def says_what_was_written(statement: Statement, kept: Statement) -> bool:
    """Whether the statement on a package is the one whose hash the run kept inside."""
    return sha256(statement.to_bytes()).hexdigest() == kept.predicate.get("statement")
