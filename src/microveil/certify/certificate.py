"""The certificate of a folder: a statement about its files, bare or signed, and what becomes of it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from microveil.certify.envelope import IN_TOTO, Envelope, Signer
from microveil.certify.keys import PublicKey
from microveil.certify.statement import Statement
from microveil.core.errors import BadInput, BrokenPromise, FileProblem
from microveil.core.locking import locked_folder
from microveil.core.printable import one_line

CERTIFICATE = "certificate.json"
_LARGEST = 1 << 24


@dataclass(frozen=True)
class Certificate:
    """What a certificate says, and by whom it is known to be signed.

    `signed_by` are trusted keys whose signatures hold; `strangers` the key ids of all other signatures, of which
    nothing is known. A bare statement has neither. `as_written` is whether the file has the very bytes that this
    package writes: blanks between its fields are signed by nobody.
    """

    statement: Statement
    signed_by: tuple[PublicKey, ...] = ()
    strangers: tuple[str, ...] = ()
    as_written: bool = True

    @property
    def is_signed(self) -> bool:
        """Whether there is any signature at all."""
        return bool(self.signed_by or self.strangers)


def write_certificate(folder: Path, statement: Statement) -> None:
    """Write the bare statement; `sign_folder` puts it into an envelope later."""
    from microveil.io import write_text

    write_text(folder / CERTIFICATE, statement.to_bytes().decode())


def read_certificate(
    folder: str | os.PathLike[str], trusted: Sequence[PublicKey] | None = None, least: int = 1
) -> Certificate:
    """Read the certificate of a folder; with trusted keys nothing of it is looked at before the signatures hold.

    `least` is how many of the trusted keys must have signed. Without `trusted` a statement is read as it stands, and
    every signature counts as a stranger's.
    """
    raw = _read(Path(folder) / CERTIFICATE)
    content = _content(raw)
    if trusted is None:
        strangers = () if isinstance(content, bytes) else tuple(one.keyid for one in content.signatures)
        return Certificate(_statement_in(content), (), strangers, _is_as_written(raw, content))
    if isinstance(content, bytes):
        raise BrokenPromise("the certificate is not signed, so that nobody answers for it")
    holding = _check_signatures(content, trusted, max(least, 1))
    strangers = tuple(one.keyid for one in content.signatures if not any(content.holds(one, key) for key in holding))
    return Certificate(_statement_in(content), holding, strangers, _is_as_written(raw, content))


def _check_signatures(envelope: Envelope, trusted: Sequence[PublicKey], least: int) -> tuple[PublicKey, ...]:
    """The trusted keys that signed; too few are an error, and so is a signature in the name of one that is not its."""
    by_id = {key.keyid: key for key in trusted}
    for one in envelope.signatures:
        if one.keyid in by_id and not envelope.holds(one, by_id[one.keyid]):
            raise BrokenPromise(
                f"the signature in the name of {by_id[one.keyid].called} does not hold: the certificate was changed, "
                "or somebody else signed it"
            )
    holding = tuple(key for key in by_id.values() if any(envelope.holds(one, key) for one in envelope.signatures))
    if len(holding) < least:
        found = ", ".join(key.called for key in holding) or "none of them"
        raise BrokenPromise(f"the certificate must be signed by {least} of the trusted keys, and it is by {found}")
    return holding


def sign_folder(folder: str | os.PathLike[str], signer: Signer) -> Statement:
    """Add a signature to the certificate of a folder; nobody signs for files that are not as it says.

    Two people who sign at the same moment wait for one another, so that neither signature is lost.
    """
    from microveil.io import write_text

    place = Path(folder) / CERTIFICATE
    _read(place)  # what is no package is told before anything waits
    with locked_folder(Path(folder)):
        raw = _read(place)
        content = _content(raw)
        envelope = content if isinstance(content, Envelope) else Envelope(content)
        statement = _statement_in(envelope)
        wrong = find_changes(folder, statement)
        if wrong:
            raise BrokenPromise(f"{'; '.join(wrong)}: the certificate does not fit the files, and was not signed")
        signed = envelope.signed_by(signer).to_json()
        if _read(place) != raw:  # where the system knows no locks
            raise FileProblem("somebody else signed at the same moment; nothing was written: sign again")
        write_text(place, signed)
    return statement


def find_changes(folder: str | os.PathLike[str], statement: Statement) -> list[str]:
    """In words, every file that is not as the statement says, is missing, or is not named by it."""
    from microveil.io import sha256_of
    from microveil.io.holding import is_strange_link

    place, found = Path(folder), []
    for name, digest in statement.subjects.items():
        file = place / name
        if is_strange_link(file) or not file.is_file():
            found.append(f"{one_line(name)} is missing")
        elif sha256_of(file) != digest:
            found.append(f"{one_line(name)} was changed")
    others = [name for name in files_in(place) if name not in statement.subjects and name != CERTIFICATE]
    named = {str(parent) for name in statement.subjects for parent in PurePosixPath(name).parents}
    others += [f"{name}/" for name in _empty_folders(place) if name not in named]
    return [*found, *(f"{one_line(name)} is not named by the certificate" for name in others)]


def files_in(folder: Path) -> list[str]:
    """Everything in a folder but folders themselves, hidden files and links too, by names from there."""
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()
    )


def _empty_folders(folder: Path) -> list[str]:
    """Folders without anything in them: their names may tell something too."""
    folders = (path for path in folder.rglob("*") if path.is_dir() and not path.is_symlink())
    return sorted(path.relative_to(folder).as_posix() for path in folders if not any(path.iterdir()))


def _content(raw: bytes) -> Envelope | bytes:
    """The envelope in the bytes of a certificate, or the bytes themselves if they are a bare statement."""
    fields = _parsed(raw, CERTIFICATE)
    return Envelope.from_fields(fields) if isinstance(fields, dict) and "payloadType" in fields else raw


def _is_as_written(raw: bytes, content: Envelope | bytes) -> bool:
    return raw == (_statement_in(content).to_bytes() if isinstance(content, bytes) else content.to_json().encode())


def _statement_in(content: Envelope | bytes) -> Statement:
    if isinstance(content, bytes):
        return Statement.from_fields(_parsed(content, CERTIFICATE))
    if content.payload_type != IN_TOTO:
        raise BadInput(f"the envelope holds {content.payload_type!r:.80}, not an in-toto statement ({IN_TOTO})")
    return Statement.from_fields(_parsed(content.payload, "the statement"))


def _parsed(raw: bytes, what: str) -> object:
    try:
        found: object = json.loads(raw.decode(), object_pairs_hook=_said_once)
        json.dumps(found, ensure_ascii=False).encode()  # halves of characters can be escaped, and are no text
    except (ValueError, RecursionError):
        raise BadInput(f"{what} is no JSON as a certificate has it; use it as it was written") from None
    return found


def _said_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Of two fields of one name readers take one or the other: that is refused."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field is said twice")
    return found


def _read(path: Path) -> bytes:
    from microveil.io.holding import is_strange_link

    if is_strange_link(path) or not path.is_file():
        raise FileProblem(f"there is no {path.name} in {str(path.parent)!r}; name the folder of a package")
    if path.stat().st_size > _LARGEST:
        raise BadInput(f"{path.name} has more than {_LARGEST:,} bytes, and a certificate has a few thousand")
    try:
        return path.read_bytes()
    except OSError as problem:
        raise FileProblem(f"{str(path)!r} cannot be read: {problem.strerror}") from None
