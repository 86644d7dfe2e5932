"""Audit: who signed the certificate, and whether every file is as it says."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from microveil.certify import CERTIFICATE, Certificate, PublicKey, find_changes, read_certificate
from microveil.certify.certificate import files_in
from microveil.certify.statement import INTERNAL, RELEASE, Statement
from microveil.core.errors import MicroveilError
from microveil.core.words import counted
from microveil.package.contents import STATES
from microveil.package.findings import Finding, broken, holds, judged, not_checked, note, undecided
from microveil.package.names import INSIDE_FILES, LOG
from microveil.plan.log import load_log

CHECK = "certificate"


def audit_certificate(folder: Path, trusted: Sequence[PublicKey] | None, signers: int, today: date) -> list[Finding]:
    """Signatures first, then files; a package without a certificate can be looked at, but nobody answers for it."""
    if not folder.is_dir():
        told = "one file was given; give the folder that holds it, to check what its certificate says."
        return [not_checked(CHECK, told) if trusted is None else broken(CHECK, told)]
    if not os.path.lexists(folder / CERTIFICATE):
        if trusted is not None:
            return [broken(CHECK, f"there is no {CERTIFICATE}, so that nobody answers for these files.")]
        return [not_checked(CHECK, f"there is no {CERTIFICATE}: nothing says which files belong to the package.")]
    try:
        certificate = read_certificate(folder, trusted, signers)
    except MicroveilError as problem:
        return [broken(CHECK, f"{CERTIFICATE}: {problem}.")]
    changes = (f"{change}." for change in find_changes(folder, certificate.statement))
    files = counted(len(certificate.statement.subjects), "file")
    return [
        *_signatures(certificate, trusted),
        *judged(CHECK, changes, f"{files} as the certificate says, and no other."),
        *(broken(CHECK, f"{told}.") for told in _unknown_words(folder, certificate.statement)),
        *_review(certificate, today),
    ]


def _signatures(certificate: Certificate, trusted: Sequence[PublicKey] | None) -> list[Finding]:
    found = []
    if not certificate.is_signed:
        found.append(note(CHECK, "the certificate is not signed: whoever changes a file can change it too."))
    elif trusted is None:
        ids = ", ".join(one[:16] or "without a name" for one in certificate.strangers)
        told = f"the certificate is signed by {ids}; whether that holds is checked by keys that you trust."
        found.append(not_checked(CHECK, told, "trusted=..."))
    else:
        names = " and ".join(key.called for key in certificate.signed_by)
        found.append(holds(CHECK, f"the certificate is signed by {names}."))
        found += [
            note(CHECK, f"a key that you do not trust has signed too: {one[:16] or 'one without a name'}.")
            for one in certificate.strangers
        ]
    if not certificate.as_written:
        told = "was not written as microveil writes it, or changed where no signature reaches (blanks, names of fields)"
        found.append(note(CHECK, f"{CERTIFICATE} {told}; what it says counts."))
    return found


def _unknown_words(folder: Path, statement: Statement) -> Iterator[str]:
    """What no run says of a release: another kind of statement, or a verdict with which nothing is written."""
    kind, limits = statement.predicate_type, statement.predicate.get("limits")
    if kind == INTERNAL:
        if not is_internal(folder):
            yield f"{CERTIFICATE} is one of an internal folder, and says nothing of a package that is given away"
    elif kind != RELEASE:
        yield f"{CERTIFICATE} is a statement of the kind {kind[:80]!r}, which says nothing of a release"
    elif limits not in STATES.values():
        said = "nothing" if limits is None else repr(limits)[:80]
        yield f"{CERTIFICATE} says {said} of the limits, where a run says {' or '.join(map(repr, STATES.values()))}"


def is_internal(folder: Path) -> bool:
    """Whether a folder is one that stays inside: by its certificate, by its log, and by holding nothing else.

    A certificate alone proves nothing: anybody can put an internal one beside data, so that nobody looks at them.
    """
    try:
        kind = read_certificate(folder).statement.predicate_type
        load_log(folder / LOG)
    except MicroveilError:
        return False
    return kind == INTERNAL and set(files_in(folder)) <= INSIDE_FILES


def audit_internal(certified: Sequence[Finding], trusted: bool) -> list[Finding]:
    """What is said of a folder that stays inside; it is never one to give away, and its contents are not searched."""
    found = [note(CHECK, "this is an internal folder, with the key: keep it inside.")]
    if trusted and not any(one.state == "broken" for one in certified):
        return found
    told = "an internal folder is known by its certificate alone; audit the package too, and check who signed this one."
    return [*found, undecided("protection", told, "" if trusted else "trusted=...")]


def _review(certificate: Certificate, today: date) -> list[Finding]:
    """The date by which the decision was to be looked at again."""
    stated = certificate.statement.predicate.get("review")
    try:
        due = date.fromisoformat(stated) if isinstance(stated, str) and stated else None
    except ValueError:
        return [note(CHECK, "the date of the next review cannot be read.")]
    if due is None or due >= today:
        return []
    return [note(CHECK, f"the decision was to be reviewed by {due.isoformat()}, which has passed.")]
