"""Tampering: whatever is changed in a signed package, an audit names the file."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path

import pytest

import microveil as mv
from microveil import certify
from microveil.certify import CERTIFICATE, PrivateKey, Statement
from microveil.package import audit, write_package
from microveil.package.audit_certificate import audit_certificate
from tests.package.releases import released

pytest.importorskip("cryptography", reason="signatures need the package cryptography")

TODAY = date(2026, 11, 16)
FORMATS = ("csv", "spss")  # the hash of a file is found without reading it
FILES = [
    "certificate.json",
    "codebook.txt",
    "codebook.xml",
    "data.csv",
    "data.sav",
    "report.html",
]
KINDS = ["first", "middle", "last", "truncated", "longer", "emptied", "removed", "renamed", "linked"]


def signer(number: int) -> PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([number] * 32)))


JANE, JOHN = signer(1), signer(2)


@pytest.fixture(scope="module")
def signed(tmp_path_factory) -> Path:
    release = released()
    figures = mv.evaluate(release.original, release, measures=["pil"])
    made = write_package(release, tmp_path_factory.mktemp("runs") / "0001", FORMATS, evaluation=figures)
    certify.sign_folder(made.public, JANE)
    certify.sign_folder(made.public, JOHN)
    return made.public


@pytest.fixture
def copied(signed, tmp_path) -> Path:
    shutil.copytree(signed, tmp_path / "package")
    return tmp_path / "package"


def findings(copied: Path, trusted: tuple[PrivateKey, ...] = (JANE, JOHN)) -> list[str]:
    keys = [one.public for one in trusted]
    return [str(one) for one in audit_certificate(copied, keys, len(keys), TODAY)]


def tamper(path: Path, kind: str) -> None:
    """Change one file."""
    raw = bytearray(path.read_bytes())
    place = {"first": 0, "middle": len(raw) // 2, "last": len(raw) - 1}.get(kind)
    if place is not None:
        raw[place] ^= 1
        path.write_bytes(raw)
    elif kind == "removed":
        path.unlink()
    elif kind == "renamed":
        path.rename(path.with_name(f"old-{path.name}"))
    elif kind == "linked":
        path.rename(path.parent.parent / path.name)
        path.symlink_to(path.parent.parent / path.name)
    else:
        path.write_bytes({"truncated": raw[:-1], "longer": raw + b"\0", "emptied": b""}[kind])


@pytest.mark.long
def test_the_package_is_sound_and_all_its_files_are_tried(signed):
    assert sorted(path.name for path in signed.iterdir()) == FILES
    assert not [line for line in findings(signed) if not line.startswith("holds")]
    assert audit(signed, trusted=[JANE.public, JOHN.public], signers=2, today=TODAY).ok


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_was_tampered_with_is_named(copied, name, kind):
    tamper(copied / name, kind)
    # the last blank of the certificate is signed by nobody, and its absence a note
    worst = ("BROKEN", "note") if (name, kind) == (CERTIFICATE, "truncated") else ("BROKEN",)
    told = [line for line in findings(copied) if line.startswith(worst)]
    assert any(name in line for line in told), (kind, told)


@pytest.mark.parametrize("name", ["data.sav", CERTIFICATE])
def test_the_whole_audit_ends_with_a_fault(copied, name):
    tamper(copied / name, "middle")
    found = audit(copied, trusted=[JANE.public], today=TODAY)
    assert not found.ok
    assert any(name in one.text for one in found.broken)


@pytest.mark.parametrize("name", ["more.txt", ".hidden", "inner/more.txt", "link", "empty/"])
def test_what_was_added_is_named(copied, name):
    path = copied / name
    path.parent.mkdir(exist_ok=True)
    if name == "link":
        path.symlink_to(copied / "data.csv")
    elif name.endswith("/"):
        path.mkdir()
    else:
        path.write_text("x")
    assert f"BROKEN: {name} is not named by the certificate." in findings(copied)


def test_files_that_changed_places_are_named(copied):
    (copied / "data.csv").rename(copied / "x")
    (copied / "data.sav").rename(copied / "data.csv")
    (copied / "x").rename(copied / "data.sav")
    told = findings(copied)
    assert "BROKEN: data.csv was changed." in told
    assert "BROKEN: data.sav was changed." in told


@pytest.fixture
def short(tmp_path) -> Path:
    """A signed copied whose certificate is short enough to change every byte of it."""
    (tmp_path / "data.csv").write_text("x\n1\n")
    certify.write_certificate(tmp_path, Statement.of_files(tmp_path, ["data.csv"], {"title": "Ä", "review": ""}))
    certify.sign_folder(tmp_path, JANE)
    return tmp_path


@pytest.mark.parametrize("bit", [0, 5])
def test_every_byte_of_a_signed_certificate_counts(short, bit):
    path = short / CERTIFICATE
    raw, sound = path.read_bytes(), findings(short, (JANE,))
    silent = []
    for place in range(len(raw)):
        changed = bytearray(raw)
        changed[place] ^= 1 << bit
        path.write_bytes(changed)
        told = [line for line in findings(short, (JANE,)) if line not in sound]
        if not any(CERTIFICATE in line and line.startswith(("BROKEN", "note")) for line in told):
            silent.append(place)
    assert silent == []


@pytest.mark.parametrize("change", ["blank", "field", "nameless", "twice"])
def test_what_no_signature_reaches_is_told_or_refused(short, change):
    path = short / CERTIFICATE
    fields = json.loads(path.read_text())
    if change == "blank":
        path.write_text(path.read_text() + " ")
    elif change == "field":
        path.write_text(json.dumps({**fields, "note": "signed by the minister"}, indent=2) + "\n")
    elif change == "nameless":
        del fields["signatures"][0]["keyid"]
        path.write_text(json.dumps(fields, indent=2) + "\n")
    else:
        path.write_text(path.read_text().replace('"payloadType"', '"payload": "",\n  "payloadType"'))
    told = findings(short, (JANE,))
    assert any(line.startswith("BROKEN" if change == "twice" else "note") and CERTIFICATE in line for line in told)


def test_a_signature_that_was_taken_away_is_missed(copied):
    fields = json.loads((copied / CERTIFICATE).read_text())
    fields["signatures"] = fields["signatures"][:1]
    (copied / CERTIFICATE).write_text(json.dumps(fields, indent=2) + "\n")
    assert any("signed by 2 of the trusted keys" in line for line in findings(copied))
