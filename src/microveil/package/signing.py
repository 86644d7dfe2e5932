"""Signing a package: a signer answers for what its run wrote."""

from __future__ import annotations

import os
from pathlib import Path

from microveil.certify import sign_folder
from microveil.certify.envelope import Signer
from microveil.certify.statement import Statement
from microveil.core.errors import BrokenPromise
from microveil.package.audit_written import audit_as_written
from microveil.package.names import INSIDE, PACKAGE


def sign_package(folder: str | os.PathLike[str], signer: Signer) -> Statement:
    """Sign the certificate of a folder; one that still lies in its run must be what the run wrote.

    Files are compared with the certificate wherever the folder is. Beside the internal folder of its run, the
    certificate itself is compared too: nobody signs a verdict or a date that somebody wrote into it afterwards.
    """
    place = Path(folder).absolute()
    if place.name == PACKAGE:
        wrong = [
            one.text.rstrip(".") for one in audit_as_written(place, place.parent / INSIDE) if one.state == "broken"
        ]
        if wrong:
            raise BrokenPromise(f"{'; '.join(wrong)}: nothing was signed; sign what the run wrote, or run it again")
    return sign_folder(folder, signer)
