"""The passphrase of a key: from a file, from the environment, or asked for; never a word of the command.

Words of a command are seen by other users of the machine and kept by the shell.
"""

from __future__ import annotations

import os
import sys
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from microveil.core.errors import BadInput

VARIABLE = "MICROVEIL_PASSPHRASE"
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file", help=f"a file with the passphrase in its first line; or set {VARIABLE}, or you are asked"
    ),
]


def passphrase_of(file: Path | None, *, twice: bool = False) -> str:
    """The passphrase; asked on a terminal where neither a file nor the environment holds it, `twice` for a new one."""
    if file is not None:
        return _first_line(file)
    if VARIABLE in os.environ:
        return os.environ[VARIABLE]
    if not sys.stdin.isatty():
        raise BadInput(
            f"the passphrase can be asked for on a terminal only; set {VARIABLE}, or say --passphrase-file FILE"
        )
    given = getpass("Passphrase: ")
    if twice and getpass("The same again: ") != given:
        raise BadInput("the two passphrases differ; nothing was written, say the command again")
    return given


def _first_line(file: Path) -> str:
    from microveil.io import read_text

    line = read_text(file).partition("\n")[0].rstrip("\r")
    if not line:
        raise BadInput(f"the first line of {str(file)!r} is empty; put the passphrase there")
    return line
