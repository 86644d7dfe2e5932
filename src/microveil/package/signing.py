"""Signing a package: a signer answers for what its run wrote."""

from __future__ import annotations

import os
from pathlib import Path

from microveil.certify import CERTIFICATE, read_certificate, sign_folder
from microveil.certify.envelope import Signer
from microveil.certify.statement import INTERNAL, Statement
from microveil.core.errors import BrokenPromise, MicroveilError
from microveil.package.audit_written import audit_as_written
from microveil.package.names import INSIDE, PACKAGE
from microveil.package.past_runs import past_run
from microveil.package.run_around import run_around, ways_to
from microveil.package.run_signers import keys_beside, signatures_told


def sign_package(folder: str | os.PathLike[str], signer: Signer) -> Statement:
    """Sign the certificate of a folder; one that still lies in its run must be what the run wrote.

    Files are compared with the certificate wherever the folder is. In a run, by every name that leads there,
    certificates of package and internal folder are compared too: nobody signs a verdict or a date that somebody wrote
    into them afterwards. In a run nothing is signed without its papers, nor a package that is a link or lies deeper.
    """
    for place in ways_to(Path(folder)):
        run = run_around(place)
        wrong = [] if run is None else _wrong_in(run, place)
        if wrong:
            raise BrokenPromise(f"{'; '.join(wrong)}: nothing was signed; sign what the run wrote, or run it again")
    return sign_folder(Path(folder).resolve(), signer)


def _wrong_in(run: Path, place: Path) -> list[str]:
    """What speaks against signing a folder in a run."""
    inside = run / INSIDE
    if place == inside:
        return _differences(run / PACKAGE, inside) if (run / PACKAGE).is_dir() else []
    if place.parent != run:
        return [f"{place.name} does not lie where the run {run.name} wrote its {PACKAGE}, but in {place.parent.name}"]
    if place.is_symlink():
        return [f"{place.name} of the run {run.name} is a link, and the run wrote a folder"]
    return _differences(place, inside) if place.is_dir() else []


def who_is_missing(folder: str | os.PathLike[str], keys: Path) -> str:
    """Who of the signers that the project of a run states has not signed its package yet; empty if nobody is missing.

    `keys` is a folder whose public keys tell names, as those beside the project do.
    """
    place = Path(folder).resolve()
    run = past_run(place.parent)
    if run.problem or place.name != PACKAGE:
        return ""
    return signatures_told(run.signers, run.signed_by, keys_beside([place.parent.parent.parent, keys]))


def _differences(place: Path, inside: Path) -> list[str]:
    """What is not as the run wrote it, or why nobody can say."""
    try:
        kept = read_certificate(inside).statement
    except MicroveilError:
        return [f"{INSIDE}/{CERTIFICATE}, by which the run says what it wrote, is not there or cannot be read"]
    if kept.predicate_type != INTERNAL or "statement" not in kept.predicate:
        return [f"{INSIDE}/{CERTIFICATE} does not say what the run wrote"]
    return [one.text.rstrip(".") for one in audit_as_written(place, inside) if one.state == "broken"]
