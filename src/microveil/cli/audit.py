"""`microveil audit`: open a package as a stranger would, and test again what was promised about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from microveil.cli.console import out, progress
from microveil.core.errors import BadInput


def audit(
    package: Annotated[Path, typer.Argument(help="the folder of the package, or one file of data")],
    trust: Annotated[
        Path | None, typer.Option(help="a public key, or a folder of keys (*.pub), of people whose signatures count")
    ] = None,
    signers: Annotated[int, typer.Option(help="how many of the trusted keys must have signed")] = 1,
    original: Annotated[Path | None, typer.Option(help="the original data file: traces of it are looked for")] = None,
    project: Annotated[Path | None, typer.Option(help="the project file: scenarios, roles and rules")] = None,
    log: Annotated[
        Path | None, typer.Option(help="the private log: with --original every promise is checked on the files")
    ] = None,
    word: Annotated[
        list[str] | None, typer.Option(help="a word that must not stand in any file; for several say it again")
    ] = None,
    register: Annotated[
        Path | None, typer.Option(help="the register of releases: says whether the package was revoked")
    ] = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(metavar="FOLDER", help="the folder of an earlier run of the same source; may be said again"),
    ] = None,
) -> None:
    """Reopen the files of a package as strangers do and test everything that can be tested.

    Works for packages that others made too. Exit status 1: something is broken, or the audit is undecided: nothing is
    broken, and neither a trusted signature nor log, project or original shows that the data are protected.
    """
    from microveil import certify
    from microveil import package as packages
    from microveil.package.register import is_left

    if register is not None and not is_left(register):
        raise BadInput(f"there is no register {str(register)!r}; name the file that microveil register writes")
    if signers < 1:
        raise BadInput(f"--signers must be 1 or more; {signers} was given")
    if signers > 1 and trust is None:
        raise BadInput("--signers counts keys that you trust; give --trust too")
    trusted = None if trust is None else certify.read_trusted(trust)
    with progress("auditing"):
        found = packages.audit(
            package,
            trusted=trusted,
            signers=signers,
            project=project,
            log=log,
            original=original,
            words=word or (),
            register=register,
            earlier=earlier or (),
        )
    out.print(str(found), markup=False)
    if not found.ok:
        raise typer.Exit(1)
