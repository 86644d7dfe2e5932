"""Keys: known signatures, files that only their owner reads, and clear words for everything else."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import sys

import pytest

from microveil.certify import PrivateKey, new_key, read_private_key, read_public_key, read_trusted, who_else_reads
from microveil.core.errors import BadInput, FileProblem

pytest.importorskip("cryptography", reason="signatures need the package cryptography")

# RFC 8032, section 7.1: secret key, public key, message, signature
RFC_8032 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
            "655141438e7a100b"
        ),
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aee"
            "b00d291612bb0c00"
        ),
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28d"
            "c027beceea1ec40a"
        ),
    ),
]


def key_of(secret: str) -> PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret)))


@pytest.mark.parametrize(("secret", "public", "message", "signature"), RFC_8032)
def test_signatures_are_those_of_the_standard(secret, public, message, signature):
    key, text = key_of(secret), bytes.fromhex(message)
    assert key.sign(text).hex() == signature
    assert key.public.verifies(text, bytes.fromhex(signature))
    assert not key.public.verifies(text + b"x", bytes.fromhex(signature))
    assert not key.public.verifies(text, b"")
    # RFC 8410: the public key in DER is twelve fixed bytes and the 32 of the key
    der = bytes.fromhex("302a300506032b6570032100" + public)
    assert key.keyid == hashlib.sha256(der).hexdigest()


def test_a_new_key_is_written_once_and_read_again(tmp_path):
    public = new_key(tmp_path / "jane.key", "three quiet words", "Jane Doe, data protector")
    assert read_private_key(tmp_path / "jane.key", "three quiet words").keyid == public.keyid
    found = read_public_key(tmp_path / "jane.key.pub")
    assert (found.keyid, found.name) == (public.keyid, "Jane Doe, data protector")
    before = (tmp_path / "jane.key").read_bytes()
    assert before.startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----")
    with pytest.raises(FileProblem, match="never replaced"):
        new_key(tmp_path / "jane.key", "three other words")
    (tmp_path / "jane.key").rename(tmp_path / "safe")
    with pytest.raises(FileProblem, match="never replaced"):
        new_key(tmp_path / "jane.key", "three other words")  # the public half is there still
    assert not (tmp_path / "jane.key").exists()
    assert (tmp_path / "safe").read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such permissions there")
def test_a_full_disk_leaves_no_half_of_a_key(tmp_path, monkeypatch):
    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(28, "No space left on device")

    def full(handle: int, _: str) -> io.BytesIO:
        os.close(handle)
        return Full()

    with monkeypatch.context() as patched:
        patched.setattr("os.fdopen", full)
        with pytest.raises(FileProblem, match="No space left"):
            new_key(tmp_path / "a.key", "three quiet words")
    assert list(tmp_path.iterdir()) == []


def test_only_the_owner_reads_a_private_key(tmp_path):
    new_key(tmp_path / "a.key", "three quiet words")
    assert stat.S_IMODE((tmp_path / "a.key").stat().st_mode) == 0o600


def test_two_keys_differ(tmp_path):
    assert new_key(tmp_path / "a", "three quiet words").keyid != new_key(tmp_path / "b", "three quiet words").keyid


@pytest.mark.parametrize(
    ("passphrase", "name", "told"),
    [
        ("", "", "empty"),
        ("x", "", "has 1 sign, 1 of them different; give one of at least 12 signs, 5 of them different"),
        ("elevensigns", "", "has 11 signs, 7 of them different"),
        ("abababababab", "", "has 12 signs, 2 of them different"),
        ("three quiet words", "two\nlines", "one line"),
    ],
)
def test_a_key_needs_a_passphrase_and_a_plain_name(tmp_path, passphrase, name, told):
    with pytest.raises(BadInput, match=told):
        new_key(tmp_path / "a", passphrase, name)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_passphrase_is_told_as_such_and_not_as_a_wrong_file(tmp_path):
    new_key(tmp_path / "a", "three quiet words")
    with pytest.raises(BadInput, match=r"^the passphrase is not that of a; say the passphrase again"):
        read_private_key(tmp_path / "a", "three other words")
    with pytest.raises(BadInput, match="the passphrase is not that of a"):
        read_private_key(tmp_path / "a", "")


@pytest.mark.parametrize("change", ["cut", "signs", "empty"])
def test_a_damaged_private_key_is_told_as_such(tmp_path, change):
    new_key(tmp_path / "a", "three quiet words")
    lines = (tmp_path / "a").read_text().splitlines(keepends=True)
    changed = {"cut": [*lines[:2], lines[-1]], "signs": [lines[0], "?!\n", lines[-1]], "empty": [lines[0], lines[-1]]}
    (tmp_path / "a").write_text("".join(changed[change]))
    with pytest.raises(BadInput, match="a is damaged"):
        read_private_key(tmp_path / "a", "three quiet words")


def foreign_keys() -> dict[str, bytes]:
    """Keys of other kinds, as other programs write them."""
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa
    from cryptography.hazmat.primitives.serialization import (
        BestAvailableEncryption,
        Encoding,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )

    closed, ours = BestAvailableEncryption(b"three quiet words"), key_of(RFC_8032[0][0]).key
    big, curve = rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP256R1())
    pkcs8, spki = PrivateFormat.PKCS8, PublicFormat.SubjectPublicKeyInfo
    return {
        "open": ours.private_bytes(Encoding.PEM, pkcs8, NoEncryption()),
        "rsa": big.private_bytes(Encoding.PEM, pkcs8, closed),
        "old rsa": big.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, closed),
        "curve": curve.private_bytes(Encoding.PEM, pkcs8, closed),
        "ed448": ed448.Ed448PrivateKey.generate().private_bytes(Encoding.PEM, pkcs8, closed),
        "openssh": ours.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()),
        "der": ours.private_bytes(Encoding.DER, pkcs8, NoEncryption()),
        "public": ours.public_key().public_bytes(Encoding.PEM, spki),
        "public rsa": big.public_key().public_bytes(Encoding.PEM, spki),
        "public openssh": ours.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH),
        "text": b"nothing\n",
    }


def test_what_is_no_private_key_of_ours_is_told_in_one_line(tmp_path):
    told = {
        "open": "without a passphrase",
        "rsa": "holds an RSA key; Ed25519 is needed",
        "old rsa": "is a private RSA key; Ed25519",
        "curve": "holds a key of elliptic curves",
        "ed448": "holds an Ed448 key",
        "openssh": "is a private key of OpenSSH",
        "der": "no key in text",
        "public": "is a public key, and holds no private key; give the file without .pub",
        "public rsa": "is a public key, and holds no private key",
        "public openssh": "is a public key of OpenSSH",
        "text": "holds no private key; give the file that microveil key new wrote",
    }
    for name, raw in foreign_keys().items():
        (tmp_path / name).write_bytes(raw)
        with pytest.raises(BadInput, match=told[name]) as problem:
            read_private_key(tmp_path / name, "three quiet words")
        assert "\n" not in str(problem.value)


def test_what_is_no_public_key_of_ours_is_told_in_one_line(tmp_path):
    told = {
        "open": "is a private key: keep it secret",
        "rsa": "is a private key: keep it secret",
        "old rsa": "is a private key: keep it secret",
        "openssh": "is a private key: keep it secret",
        "der": "no key in text",
        "public rsa": "holds an RSA key; Ed25519 is needed",
        "public openssh": "is a public key of OpenSSH; Ed25519 in PKCS8",
        "text": "holds no public key",
    }
    for name, raw in foreign_keys().items():
        if name in told:
            (tmp_path / name).write_bytes(raw)
            with pytest.raises(BadInput, match=told[name]):
                read_public_key(tmp_path / name)


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such permissions there")
def test_a_key_that_others_may_read_is_told(tmp_path):
    new_key(tmp_path / "a.key", "three quiet words")
    assert who_else_reads(tmp_path / "a.key") == ""
    for mode, told in ((0o640, "640"), (0o604, "604"), (0o622, "622")):
        (tmp_path / "a.key").chmod(mode)
        assert f"open to others than its owner (permissions {told})" in who_else_reads(tmp_path / "a.key")


def test_what_is_no_public_key_is_told(tmp_path):
    new_key(tmp_path / "a", "three quiet words")
    with pytest.raises(BadInput, match="is a private key: keep it secret"):
        read_public_key(tmp_path / "a")
    (tmp_path / "text").write_text("nothing\n")
    with pytest.raises(BadInput, match="holds no public key"):
        read_public_key(tmp_path / "text")
    damaged = (tmp_path / "a.pub").read_text().replace("MCow", "MCox")
    (tmp_path / "damaged").write_text(damaged)
    with pytest.raises(BadInput, match=r"damaged|another kind"):
        read_public_key(tmp_path / "damaged")
    (tmp_path / "large").write_text("x" * 20_000)
    with pytest.raises(BadInput, match="too large"):
        read_public_key(tmp_path / "large")


def test_trusted_keys_are_those_of_a_folder_or_one_file(tmp_path):
    ids = {new_key(tmp_path / name, "three quiet words").keyid for name in ("a", "b")}
    assert {key.keyid for key in read_trusted(tmp_path)} == ids
    assert len(read_trusted(tmp_path / "a.pub")) == 1
    (tmp_path / "none").mkdir()
    with pytest.raises(BadInput, match="no public key"):
        read_trusted(tmp_path / "none")


def test_a_key_shows_nothing_of_itself(tmp_path):
    key = key_of(RFC_8032[0][0])
    assert "9d61" not in repr(key)
    assert "key=" not in repr(key)


def test_without_the_library_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(BadInput, match=r"pip install 'microveil\[sign\]'"):
        new_key(tmp_path / "a", "three quiet words")
