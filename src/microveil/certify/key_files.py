"""Files of keys that are not ours: what they are, in words, and who else may read one that is."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_BEGINNINGS = {
    "-----BEGIN OPENSSH PRIVATE KEY-----": "a private key of OpenSSH",
    "-----BEGIN RSA PRIVATE KEY-----": "a private RSA key",
    "-----BEGIN EC PRIVATE KEY-----": "a private key of elliptic curves (ECDSA)",
    "-----BEGIN DSA PRIVATE KEY-----": "a private DSA key",
    "-----BEGIN RSA PUBLIC KEY-----": "a public RSA key",
    "-----BEGIN CERTIFICATE-----": "an X.509 certificate",
    "-----BEGIN PGP ": "a file of PGP",
    "---- BEGIN SSH2 PUBLIC KEY ----": "a public key of SSH",
    "PuTTY-User-Key-File": "a key of PuTTY",
    "ssh-": "a public key of OpenSSH",
    "ecdsa-sha2-": "a public key of OpenSSH",
    "sk-ssh-": "a public key of OpenSSH",
}
_CLASSES = {
    "RSA": "an RSA key",
    "EC": "a key of elliptic curves (ECDSA)",
    "EllipticCurve": "a key of elliptic curves (ECDSA)",
    "DSA": "a DSA key",
    "DH": "a Diffie-Hellman key",
    "Ed448": "an Ed448 key",
    "X25519": "an X25519 key, which cannot sign",
    "X448": "an X448 key, which cannot sign",
}
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def foreign_kind(text: str) -> str:
    """What the file of another program is by how it begins; empty for PKCS8 and for what is no key at all."""
    lines = (line for line in text.splitlines() if line.strip())
    first = next(lines, "").strip()
    return next((what for beginning, what in _BEGINNINGS.items() if first.startswith(beginning)), "")


def kind_of_key(key: object) -> str:
    """What a key is that was read from PKCS8 and is not of our kind."""
    name = type(key).__name__.removeprefix("_")
    return next((what for start, what in _CLASSES.items() if name.startswith(start)), "a key of another kind")


def who_else_reads(path: str | os.PathLike[str]) -> str:
    """A sentence if others than the owner may read or change the file of a private key; empty where nobody may."""
    if os.name != "posix":
        return ""
    mode = stat.S_IMODE(Path(path).stat().st_mode)
    if not mode & _OTHERS:
        return ""
    return (
        f"{Path(path).name} is open to others than its owner (permissions {mode:o}): its passphrase alone protects it; "
        f"say chmod 600 {Path(path).name}"
    )
