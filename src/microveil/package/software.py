"""The software that made a package: names and versions for everybody, hashes of what is installed for the office."""

from __future__ import annotations

import hashlib
import platform
import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution

_OWN = "microveil"
_NAME = re.compile(r"[\w.-]+")


def versions(*used: str) -> dict[str, str]:
    """The versions of this package, of all that it always needs, and of extras that were used."""
    needed = {name: distribution(name).version for name in sorted({_OWN, *_needs(distribution(_OWN)), *used})}
    return {"python": platform.python_version(), **needed}


def installed(*used: str) -> list[dict[str, str]]:
    """Name, version and hash of every distribution that was used or leant on, and that these lean on in turn.

    The hash is that of the list of installed files (RECORD), which holds the hash of each of them; one that was
    installed without a list has none.
    """
    known: dict[str, Distribution] = {}
    for name in (_OWN, *used):
        _find_all(name, known)
    return [
        {"name": name, "version": found.version, "sha256": _hash_of(found)} for name, found in sorted(known.items())
    ]


def _find_all(name: str, known: dict[str, Distribution]) -> None:
    """Enter a distribution that is there and all that it needs, extras of our own included."""
    try:
        found = distribution(name)
    except PackageNotFoundError:  # an extra that nobody installed, or a need of another system
        return
    plain = re.sub(r"[-_.]+", "-", name).lower()
    if plain not in known:
        known[plain] = found
        for other in _needs(found, extras=plain == _OWN):
            _find_all(other, known)


def _needs(found: Distribution, extras: bool = False) -> list[str]:
    stated = [one for one in found.requires or () if "extra ==" not in one or (extras and _is_for_users(one))]
    return [name[0] for one in stated if (name := _NAME.match(one)) is not None]


def _is_for_users(requirement: str) -> bool:
    return not re.search(r"extra == ['\"](dev|docs|all)['\"]", requirement)


def _hash_of(found: Distribution) -> str:
    record = found.read_text("RECORD")
    return hashlib.sha256(record.encode()).hexdigest() if record else ""
