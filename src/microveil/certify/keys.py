"""Keys of people who sign: Ed25519, the private half in a file under a passphrase, the public half for everybody."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from microveil.certify.key_files import foreign_kind, kind_of_key
from microveil.core.errors import BadInput, FileProblem
from microveil.core.words import counted

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PUBLIC_ENDING = ".pub"
SHORTEST_PASSPHRASE, FEWEST_SIGNS = 12, 5  # signs, and different ones
_NAME = "Name: "
_PUBLIC = re.compile(r"-----BEGIN PUBLIC KEY-----\n.*?\n-----END PUBLIC KEY-----\n", re.DOTALL)
_PRIVATE = re.compile(r"-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----(.*?)-----END ", re.DOTALL)
_OURS = "give the file that microveil key new wrote"
_LARGEST = 1 << 14


@dataclass(frozen=True)
class PublicKey:
    """The half of a key by which anybody tells its signatures, and the name under which the office knows it."""

    key: Ed25519PublicKey = field(repr=False)
    name: str = ""

    @property
    def keyid(self) -> str:
        """The SHA-256 of the public key in DER, in hexadecimal digits."""
        return hashlib.sha256(_public_bytes(self.key, "DER")).hexdigest()

    @property
    def keyids(self) -> tuple[str, str]:
        """How a signature may name this key: as we do, or by the hash of a JSON object, as TUF and in-toto do."""
        public = {"public": self.key.public_bytes_raw().hex()}
        stated = json.dumps({"keytype": "ed25519", "keyval": public, "scheme": "ed25519"}, separators=(",", ":"))
        return self.keyid, hashlib.sha256(stated.encode()).hexdigest()

    @property
    def named(self) -> str:
        """The name with the beginning of the hash, which tells two of one name apart."""
        return f"{self.name} (key {self.keyid[:16]})" if self.name else self.called

    @property
    def called(self) -> str:
        """The name, or the beginning of the hash where nobody gave one."""
        return self.name or f"key {self.keyid[:16]}"

    def verifies(self, message: bytes, signature: bytes) -> bool:
        """Whether the signature of a message is by this key."""
        from cryptography.exceptions import InvalidSignature

        try:
            self.key.verify(signature, message)
        except InvalidSignature:
            return False
        return True

    def to_text(self) -> str:
        """The key as a file holds it: PEM, with the name in a line before."""
        return (f"{_NAME}{self.name}\n" if self.name else "") + _public_bytes(self.key, "PEM").decode()


@dataclass(frozen=True)
class PrivateKey:
    """The half of a key that signs; nothing shows it."""

    key: Ed25519PrivateKey = field(repr=False)

    @property
    def public(self) -> PublicKey:
        """The other half."""
        return PublicKey(self.key.public_key())

    @property
    def keyid(self) -> str:
        """The SHA-256 of the public key in DER, in hexadecimal digits."""
        return self.public.keyid

    def sign(self, message: bytes) -> bytes:
        """The signature of a message; Ed25519 draws nothing, so that it is the same every time."""
        return self.key.sign(message)


def require_signing() -> None:
    """One clear line where the library for signatures is not installed."""
    try:
        import cryptography  # noqa: F401 - asked for, not used
    except ImportError:
        raise BadInput(
            "signatures need the package cryptography, which is not installed; install it with "
            "pip install 'microveil[sign]'"
        ) from None


def new_key(path: str | os.PathLike[str], passphrase: str, name: str = "") -> PublicKey:
    """Draw a key, write its private half under a passphrase, and the public half beside it (`.pub`).

    The private file is PKCS8 in PEM and can be read by its owner only. Neither file is ever replaced: who loses the key
    can no longer sign in its name, and that must not happen by a command said twice.
    """
    check_new_key(path)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

    _check_passphrase(passphrase)
    if not name.isprintable():
        raise BadInput("the name of a key is one line of text; leave line breaks and other signs out")
    key = Ed25519PrivateKey.generate()
    public = PublicKey(key.public_key(), name.strip())
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(passphrase.encode()))
    place = Path(path)
    _write_new(place, text, 0o600)
    try:
        _write_new(_public_place(place), public.to_text().encode(), 0o666)
    except FileProblem:
        place.unlink()
        raise
    return public


def check_new_key(path: str | os.PathLike[str]) -> None:
    """Refuse now what `new_key` would refuse, before somebody has thought of a passphrase."""
    require_signing()
    place = Path(path)
    for one in (place, _public_place(place)):
        if os.path.lexists(one):
            raise FileProblem(f"{str(one)!r} is there already, and a key is never replaced; choose another name")


def require_private_key(path: str | os.PathLike[str]) -> str:
    """The text of a file that holds a private key, still locked; any other file is refused."""
    name, text = Path(path).name, _read(path)
    _refuse_foreign(name, text)
    if not is_private(text):
        told = f"is a public key, and holds no private key; give the file without {PUBLIC_ENDING}"
        raise BadInput(f"{name} {told if _PUBLIC.search(text) else f'holds no private key; {_OURS}'}")
    return text


def _check_passphrase(passphrase: str) -> None:
    """Refuse one that whoever has the file would soon have tried."""
    if not passphrase:
        raise BadInput("the passphrase is empty, so that anybody with the file could sign; give one of several words")
    if len(passphrase) < SHORTEST_PASSPHRASE or len(set(passphrase)) < FEWEST_SIGNS:
        raise BadInput(
            f"the passphrase has {counted(len(passphrase), 'sign')}, {len(set(passphrase))} of them different; give "
            f"one of at least {SHORTEST_PASSPHRASE} signs, {FEWEST_SIGNS} of them different: several words that do "
            "not belong together"
        )


def read_private_key(path: str | os.PathLike[str], passphrase: str) -> PrivateKey:
    """The private half of a key from its file."""
    require_signing()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    name, text = Path(path).name, require_private_key(path)
    try:
        key = load_pem_private_key(text.encode(), passphrase.encode() or b"\0")  # an empty one is a wrong one
    except TypeError:
        raise BadInput(
            f"{name} is a key without a passphrase, which anybody could use; make one by microveil key new"
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        raise BadInput(_why_closed(name, text)) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise BadInput(f"{name} holds {kind_of_key(key)}; Ed25519 is needed, as microveil key new makes it")
    return PrivateKey(key)


def _refuse_foreign(name: str, text: str) -> None:
    """One line for the file of another program."""
    kind = foreign_kind(text)
    if kind:
        raise BadInput(f"{name} is {kind}; Ed25519 in PKCS8 is needed, as microveil key new makes it")


def _why_closed(name: str, text: str) -> str:
    """Why a private key does not open: by a wrong passphrase, unless the file cannot be one."""
    body = _PRIVATE.search(text)
    try:
        raw = base64.b64decode("".join(body[1].split()), validate=True) if body is not None else b""
    except ValueError:
        raw = b""
    if not _is_whole(raw):
        return f"{name} is damaged: it does not hold a whole key; take the copy that you keep of it"
    return f"the passphrase is not that of {name}; say the passphrase again, or that of the right key"


def _is_whole(raw: bytes) -> bool:
    """Whether bytes are as long as their head in DER says."""
    if len(raw) < 2:
        return False
    further = raw[1] & 0x7F if raw[1] & 0x80 else 0  # bytes that hold the length, where one does not
    length = int.from_bytes(raw[2 : 2 + further], "big") if further else raw[1]
    return len(raw) == 2 + further + length


def read_public_key(path: str | os.PathLike[str]) -> PublicKey:
    """The public half of a key from its file, with the name in the line before it."""
    require_signing()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    name, text = Path(path).name, _read(path)
    if not is_private(text):
        _refuse_foreign(name, text)
    found = _PUBLIC.findall(text)
    if len(found) != 1:
        told = "is a private key: keep it secret, and give" if is_private(text) else "holds no public key; give"
        raise BadInput(f"{name} {told} the file ending in {PUBLIC_ENDING} that microveil key new wrote beside it")
    try:
        key = load_pem_public_key(found[0].encode())
    except (ValueError, UnsupportedAlgorithm):
        raise BadInput(f"{name} holds a damaged public key; ask its owner for it again") from None
    if not isinstance(key, Ed25519PublicKey):
        raise BadInput(f"{name} holds {kind_of_key(key)}; Ed25519 is needed, as microveil key new makes it")
    first = text.partition("\n")[0]
    return PublicKey(key, first.removeprefix(_NAME).strip() if first.startswith(_NAME) else "")


def is_private(text: str) -> bool:
    """Whether the text of a file is that of a private key."""
    return "PRIVATE KEY-----" in text


def read_trusted(path: str | os.PathLike[str]) -> tuple[PublicKey, ...]:
    """The keys that an office trusts: one public key, or all of a folder (`*.pub`). They never come from a package."""
    place = Path(path)
    if not place.is_dir():
        return (read_public_key(place),)
    files = sorted(place.glob(f"*{PUBLIC_ENDING}"))
    if not files:
        raise BadInput(
            f"there is no public key (*{PUBLIC_ENDING}) in {str(place)!r}; put those of the people you trust there"
        )
    keys = {key.keyid: key for key in map(read_public_key, files)}
    return tuple(keys.values())


def _public_bytes(key: Ed25519PublicKey, encoding: Literal["DER", "PEM"]) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    kind = Encoding.PEM if encoding == "PEM" else Encoding.DER
    return key.public_bytes(kind, PublicFormat.SubjectPublicKeyInfo)


def _public_place(place: Path) -> Path:
    return place.with_name(place.name + PUBLIC_ENDING)


def _write_new(place: Path, text: bytes, mode: int) -> None:
    """Write a file that was not there before, with its permissions from the first moment on, whole or not at all."""
    made = False
    try:
        handle = os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        made = True
        with os.fdopen(handle, "wb") as file:
            file.write(text)
    except OSError as problem:
        if made:  # half a key would be taken for one, and is never replaced
            place.unlink(missing_ok=True)
        raise FileProblem(f"{str(place)!r} cannot be written: {problem.strerror}; choose another place") from None


def _read(path: str | os.PathLike[str]) -> str:
    from microveil.io import read_text

    place = Path(path)
    if place.is_file() and place.stat().st_size > _LARGEST:
        raise BadInput(f"{place.name} is too large for a key; {_OURS}")
    try:
        return read_text(place)
    except FileProblem:
        if place.is_file() and b"\0" in place.read_bytes():
            raise BadInput(f"{place.name} is no key in text (PEM), and perhaps one in DER; {_OURS}") from None
        raise
