"""`microveil sign`: answer for a package with a key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from microveil.cli.console import counted, err, out
from microveil.cli.passphrase import PassphraseFile, passphrase_of


def sign(
    package: Annotated[Path, typer.Argument(help="the folder of the package")],
    key: Annotated[Path, typer.Option(help="the file of your private key")],
    passphrase_file: PassphraseFile = None,
) -> None:
    """Sign the certificate of a package; several people may sign, one after the other.

    Nothing is signed unless every file is as the certificate says, and, where the package lies in its run, as the run
    wrote it. Audit the package first: a signature says that you
    answer for it.
    """
    from microveil import certify
    from microveil.certify.keys import require_private_key
    from microveil.package.signing import sign_package, who_is_missing

    certify.read_certificate(package)  # what is no package, and no key, is told before anybody is asked
    require_private_key(key)
    private = certify.read_private_key(key, passphrase_of(passphrase_file))
    warning = certify.who_else_reads(key)
    if warning:
        err.print(f"note: {warning}.", markup=False)
    statement = sign_package(package, private)
    files = counted(len(statement.subjects), "file")
    missing = who_is_missing(package, key.parent)
    out.print(f"Signed {package / certify.CERTIFICATE} ({files}) with the key {private.keyid[:16]}.", markup=False)
    if missing:
        out.print(f"It {missing}.", markup=False)
