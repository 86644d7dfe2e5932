"""Who signed a run, as far as names of keys are known beside it, and which of its stated signers did not yet.

A name is that of a public key (`jane.key.pub`) in the folder of the project, in `keys` beside it, or beside the private
key that signs. It is there for people to read: whether a signature holds is for `audit` to say, with keys that are
trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from microveil.certify import PublicKey, read_public_key
from microveil.core.errors import MicroveilError
from microveil.core.printable import one_line
from microveil.core.words import list_all

KEYS = "keys"
_SHOWN = 16  # digits of a key whose name nobody knows


def keys_beside(folders: Iterable[Path]) -> dict[str, PublicKey]:
    """The public keys in these folders and in `keys` beside them, by the hashes that signatures may name."""
    found: dict[str, PublicKey] = {}
    for folder in folders:
        for path in sorted([*folder.glob("*.pub"), *(folder / KEYS).glob("*.pub")]):
            try:
                key = read_public_key(path)
            except MicroveilError:
                continue  # a key of another program names nobody here
            found |= dict.fromkeys(key.keyids, key)
    return found


def name_of(keyid: str, known: Mapping[str, PublicKey]) -> str:
    """The name of a key where it is known, else the beginning of its hash."""
    return one_line(known[keyid].called) if keyid in known else f"key {keyid[:_SHOWN]}"


def missing_signers(signers: Sequence[str], signed: Sequence[str], known: Mapping[str, PublicKey]) -> tuple[str, ...]:
    """The stated signers of whom no key that signed has the name; all keys are asked for what they are called."""
    names = [known[keyid].name.casefold() for keyid in signed if keyid in known and known[keyid].name]
    return tuple(one for one in signers if not any(_is_called(one, name) for name in names))


def _is_called(signer: str, name: str) -> bool:
    """Whether a stated signer is the one of a key; either may say the function too: Jane Doe (data protector)."""
    short, long = sorted((signer.casefold(), name), key=len)
    return long == short or long.startswith((f"{short} ", f"{short},"))


def signatures_told(signers: Sequence[str], signed: Sequence[str], known: Mapping[str, PublicKey]) -> str:
    """Whose keys signatures name, and who of the stated signers is still missing; empty if nobody is.

    It goes on after a subject. Keys whose names are not known here may be those of the missing ones, which is said.
    """
    missing = missing_signers(signers, signed, known)
    if not missing:
        return ""
    if not signed:
        return f"is not signed yet by {list_all(missing)}"
    keys = list(dict.fromkeys(signed))
    has = f"has {'a signature that names' if len(keys) == 1 else 'signatures that name'}"
    by = f"{has} {list_all([name_of(keyid, known) for keyid in keys])}"
    if all(keyid in known for keyid in keys):
        return f"{by}, and none yet of {list_all(missing)}"
    return (
        f"{by}; whether one of them is of {list_all(missing)} cannot be told without names: put the public keys (.pub) "
        "beside the project"
    )
