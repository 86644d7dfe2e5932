"""`microveil key`: the keys with which people sign releases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from microveil.cli.console import out
from microveil.cli.passphrase import PassphraseFile, passphrase_of
from microveil.core.errors import BadInput
from microveil.core.parameters import nearest

ACTIONS = ("new", "show")


def key(
    action: Annotated[
        str, typer.Argument(help="new: draw a key; show: say whose it is", autocompletion=lambda: ACTIONS)
    ],
    file: Annotated[Path, typer.Argument(help="the file of the private key; its public half gets the ending .pub")],
    name: Annotated[str, typer.Option(help="new: who signs with it, as audits shall say")] = "",
    passphrase_file: PassphraseFile = None,
) -> None:
    """Draw a key to sign releases with, or show the public half of one.

    The private key is written under a passphrase and never replaced. Give its .pub file to those who shall trust it.
    """
    if action not in ACTIONS:
        raise BadInput(f"{action!r} is not one of {', '.join(ACTIONS)}{nearest(action, ACTIONS)}")
    if action == "new":
        _draw(file, name, passphrase_file)
    elif name:
        raise BadInput("--name is for a new key; whose an old one is stands in its .pub file")
    else:
        _show(file, passphrase_file)


def _draw(file: Path, name: str, passphrase_file: Path | None) -> None:
    from microveil import certify
    from microveil.certify.keys import PUBLIC_ENDING, check_new_key

    check_new_key(file)  # before anybody is asked for a passphrase
    public = certify.new_key(file, passphrase_of(passphrase_file, twice=True), name)
    out.print(f"Wrote {file} (private: keep it and its passphrase secret, and keep a copy).", markup=False)
    out.print(f"Wrote {file}{PUBLIC_ENDING} (public: give it to those who check releases).", markup=False)
    out.print(f"key id: {public.keyid}", markup=False)


def _show(file: Path, passphrase_file: Path | None) -> None:
    from microveil import certify, io
    from microveil.certify.keys import is_private

    if is_private(io.read_text(file)):
        public = certify.read_private_key(file, passphrase_of(passphrase_file)).public
    else:
        public = certify.read_public_key(file)
    if public.name:
        out.print(f"name: {public.name}", markup=False)
    out.print(f"key id: {public.keyid}", markup=False)
    out.print(public.to_text().rstrip(), markup=False)
