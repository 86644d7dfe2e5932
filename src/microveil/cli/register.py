"""`microveil register`: the releases of one source, what became of them, and what they tell together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from microveil.cli.console import out
from microveil.core.errors import BadInput
from microveil.core.parameters import nearest
from microveil.core.printable import one_line

if TYPE_CHECKING:
    from microveil.certify import PublicKey

_HASH = re.compile("[0-9a-f]{64}")
ACTIONS = ("list", "add", "revoke", "check")


def register(
    action: Annotated[
        str,
        typer.Argument(
            help="list the releases; add one; revoke one; check chain, packages, reviews and releases together",
            autocompletion=lambda: ACTIONS,
        ),
    ],
    what: Annotated[
        str | None, typer.Argument(help="add: the folder of a run; revoke: the number of a release")
    ] = None,
    file: Annotated[Path, typer.Option("--register", help="the file of the register")] = Path("register.jsonl"),
    reason: Annotated[str | None, typer.Option(help="revoke: why, in a sentence")] = None,
    kind: Annotated[
        str | None, typer.Option(help="add: public, scientific or secure; left out: as the certificate says")
    ] = None,
    original: Annotated[
        Path | None, typer.Option(help="add, check: the original, if it is not beside the project of the runs")
    ] = None,
    trust: Annotated[
        Path | None,
        typer.Option(
            help="add, check: a public key, or a folder of keys, whose signature is asked for; list: for their names"
        ),
    ] = None,
) -> None:
    """Keep the register of the releases of one source.

    Lines are added and never changed; each holds the hash of the one before. Exit status 1: the check finds a fault.
    """
    if action not in ACTIONS:
        raise BadInput(f"{action!r} is not one of {', '.join(ACTIONS)}{nearest(action, ACTIONS)}")
    if (what is None) == (action in ("add", "revoke")):
        raise BadInput({"add": "name the folder of a run: microveil register add runs/0001"}.get(action, _HOW))
    if reason is not None and action != "revoke":
        raise BadInput("--reason says why a release is revoked; it belongs to revoke")
    if action == "list":
        _list(file, trust)
    elif action == "check":
        _check(file, original, trust)
    elif action == "add":
        _add(file, Path(str(what)), kind, original, trust)
    else:
        _revoke(file, str(what), reason)


_HOW = "say microveil register list, register check, register add RUN, or register revoke NUMBER --reason WHY"


def _list(file: Path, trust: Path | None) -> None:
    from microveil import certify
    from microveil.package import read_register
    from microveil.package.run_signers import keys_beside

    beside = keys_beside([file.resolve().parent])
    keys = beside if trust is None else {keyid: key for key in certify.read_trusted(trust) for keyid in key.keyids}
    known = read_register(file)
    for entry in known.releases:
        state = f"revoked {entry.date}: {entry.reason}" if entry.state == "revoked" else f"released {entry.date}"
        review = f"; review by {entry.review}" if entry.review else ""
        by = ", ".join(_signer(one, keys) for one in entry.signed_by)
        signed = f"signed by {by}" if by else "not signed when it was entered"
        told = f"{entry.number}  {entry.run}  {entry.title} ({entry.kind}); {state}{review}; {signed}"
        out.print(one_line(told), markup=False)
    if not known.releases:
        out.print(f"{file} has no release yet.", markup=False)
    for fault in known.faults:
        out.print(f"BROKEN: {fault}.", markup=False)
    if known.faults:
        raise typer.Exit(1)


def _signer(entered: str, keys: Mapping[str, PublicKey]) -> str:
    """Who signed, by name where the register or a key has it, else by hash; such signatures nobody has tested."""
    if not _HASH.fullmatch(entered):
        return entered
    named = keys[entered].named if entered in keys else f"key {entered[:16]}"
    return f"{named}, unchecked"


def _check(file: Path, original: Path | None, trust: Path | None) -> None:
    from microveil import certify
    from microveil.package import check_register
    from microveil.package.register import is_left

    if not is_left(file):
        raise BadInput(f"there is no register {str(file)!r}; give it by --register, or add a release first")
    trusted = None if trust is None else certify.read_trusted(trust)
    found = check_register(file, original=original, trusted=trusted)
    for finding in found:
        out.print(str(finding), markup=False)
    if any(finding.state == "broken" for finding in found):
        raise typer.Exit(1)


def _add(file: Path, run: Path, kind: str | None, original: Path | None, trust: Path | None) -> None:
    from microveil import certify
    from microveil.package import add_release, tell_composition

    trusted = None if trust is None else certify.read_trusted(trust)
    entry = add_release(file, run, kind=kind, trusted=trusted)
    out.print(f"Entered {entry.run} as release {entry.number} of {file}.", markup=False)
    for finding in tell_composition(file, entry.number, original):
        out.print(str(finding), markup=False)


def _revoke(file: Path, number: str, reason: str | None) -> None:
    from microveil.package import revoke_release

    if not number.isdecimal():
        raise BadInput(f"{number!r} is no number of a release; microveil register list shows them")
    if not (reason or "").strip():
        raise BadInput("a release is revoked for a reason; give it by --reason")
    entry = revoke_release(file, int(number), str(reason))
    out.print(f"Release {entry.number} ({entry.run}) is revoked: {entry.reason}", markup=False)
    out.print("Its files are as they were; tell those who have them.", markup=False)
