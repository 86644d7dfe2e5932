"""Tamper cases about certificates and signatures, and about every file of a signed package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import microveil as mv
from tests.frozen._tampers.cases import (
    audit,
    case,
    certified_anew,
    each,
    rows_turned,
    signed_package,
    signer,
)

CERTIFICATE = "certificate.json"
FILES = [CERTIFICATE, "codebook.txt", "codebook.xml", "report.html"]
FILES += [f"data.{ending}" for ending in ("csv", "dta", "feather", "parquet", "sav", "xlsx")]


def trusting(folder: Path) -> Any:
    """Audit for somebody who trusts both signers."""
    return audit(folder, trusted=[signer(1).public, signer(2).public], signers=2)


# -- bytes of a signed package ---------------------------------------------------------------------------


@case("signed, nothing tampered")
def _(folder: Path) -> Any:
    return trusting(signed_package(folder))


@each(
    "signed, a file tampered with",
    [
        (f"{name} {kind}", name, kind)
        for name in FILES
        for kind in ("first", "middle", "last", "truncated", "longer", "emptied", "removed", "renamed", "linked")
    ],
)
def _(folder: Path, name: str, kind: str) -> Any:
    package = signed_package(folder)
    path = package / name
    raw = bytearray(path.read_bytes())
    place = {"first": 0, "middle": len(raw) // 2, "last": len(raw) - 1}.get(kind)
    if place is not None:
        raw[place] ^= 1
        path.write_bytes(raw)
    elif kind == "removed":
        path.unlink()
    elif kind == "renamed":
        path.rename(path.with_name(f"old-{name}"))
    elif kind == "linked":
        path.rename(folder / name)
        path.symlink_to(folder / name)
    else:
        path.write_bytes({"truncated": raw[:-1], "longer": raw + b"\0", "emptied": b""}[kind])
    return trusting(package)


@each("signed, something added", ["more.txt", ".hidden", "inner/more.txt", "link", "empty/"])
def _(folder: Path, name: str) -> Any:
    package = signed_package(folder)
    path = package / name
    path.parent.mkdir(exist_ok=True)
    if name == "link":
        path.symlink_to(package / "data.csv")
    elif name.endswith("/"):
        path.mkdir()
    else:
        path.write_text("x")
    return trusting(package)


@case("signed, files changed places")
def _(folder: Path) -> Any:
    package = signed_package(folder)
    (package / "data.csv").rename(package / "x")
    (package / "data.sav").rename(package / "data.csv")
    (package / "x").rename(package / "data.sav")
    return trusting(package)


@each(
    "signed, certificate",
    ["signature taken away", "blank", "field", "nameless", "twice", "signature exchanged", "rewritten"],
)
def _(folder: Path, change: str) -> Any:
    package = signed_package(folder)
    path = package / CERTIFICATE
    fields = json.loads(path.read_text())
    text = ""
    if change == "signature taken away":
        fields["signatures"] = fields["signatures"][:1]
    elif change == "signature exchanged":
        fields["signatures"][1]["sig"] = fields["signatures"][0]["sig"]
    elif change == "field":
        fields["note"] = "signed by the minister"
    elif change == "nameless":
        del fields["signatures"][0]["keyid"]
    elif change == "blank":
        text = path.read_text() + " "
    elif change == "twice":
        text = path.read_text().replace('"payloadType"', '"payload": "",\n  "payloadType"')
    else:
        mv.certify.write_certificate(package, mv.certify.read_certificate(package).statement)
        return trusting(package)
    path.write_text(text or json.dumps(fields, indent=2) + "\n")
    return trusting(package)


@each(
    "signed, rehashed by a dishonest producer", [("nobody signs", 0), ("a stranger signs", 3), ("one of two signs", 1)]
)
def _(folder: Path, number: int) -> Any:
    package = signed_package(folder)
    rows_turned(package / "data.csv")
    certified_anew(package)
    if number:
        mv.certify.sign_folder(package, signer(number))
    return trusting(package)


@each("small certificate, every byte", [("bit 0", 0), ("bit 5", 5)])
def _(folder: Path, bit: int) -> Any:
    (folder / "data.csv").write_text("x\n1\n")
    statement = mv.certify.Statement.of_files(folder, ["data.csv"], {"title": "Ä", "review": ""})
    mv.certify.write_certificate(folder, statement)
    mv.certify.sign_folder(folder, signer(1))
    path = folder / CERTIFICATE
    raw = path.read_bytes()
    counted = {"refused": 0, "not as written": 0, "silent": 0}
    for place in range(len(raw)):
        changed = bytearray(raw)
        changed[place] ^= 1 << bit
        path.write_bytes(changed)
        try:
            found = mv.certify.read_certificate(folder, [signer(1).public])
        except mv.errors.MicroveilError:
            counted["refused"] += 1
        else:
            counted["silent" if found.as_written else "not as written"] += 1
    return counted


def _bare(folder: Path) -> Path:
    (folder / "data.csv").write_text("x\n1\n")
    (folder / "book").mkdir()
    (folder / "book" / "codebook.txt").write_text("x: a number\n")
    statement = mv.certify.Statement.of_files(folder, ["data.csv", "book/codebook.txt"], {"records": 1})
    mv.certify.write_certificate(folder, statement)
    return folder


@each("bare certificate, files", ["untouched", "changed", "linked"])
def _(folder: Path, change: str) -> Any:
    statement = mv.certify.read_certificate(_bare(folder)).statement
    if change == "changed":
        (folder / "data.csv").write_text("x\n2\n")
        (folder / "book" / "codebook.txt").unlink()
        (folder / ".hidden").write_text("")
    elif change == "linked":
        (folder / "data.csv").rename(folder.parent / "same")
        (folder / "data.csv").symlink_to(folder.parent / "same")
    found = mv.certify.find_changes(folder, statement)
    if change == "changed":
        mv.certify.sign_folder(folder, signer(1))  # refused
    return len(found)


@case("bare certificate, signing changed files")
def _(folder: Path) -> Any:
    _bare(folder)
    (folder / "data.csv").write_text("x\n2\n")
    mv.certify.sign_folder(folder, signer(1))


@each(
    "bare certificate, read with trusted keys",
    [
        ("nobody signed", (), (1,), 1),
        ("another signed", (1,), (2,), 1),
        ("one of two", (1,), (1, 2), 2),
        ("none trusted", (1,), (), 1),
        ("one key twice", (1,), (1, 1), 2),
        ("both", (1, 2), (1, 2), 2),
    ],
)
def _(folder: Path, signers: tuple[int, ...], trusted: tuple[int, ...], least: int) -> Any:
    _bare(folder)
    for number in signers:
        mv.certify.sign_folder(folder, signer(number))
    found = mv.certify.read_certificate(folder, [signer(number).public for number in trusted], least=least)
    return {"signed by": len(found.signed_by), "strangers": len(found.strangers)}


@each(
    "bare certificate, text",
    [
        ("empty", ""),
        ("open list", "[1"),
        ("deep", "[" * 100_000),
        ("field twice", '{"_type": 1, "_type": 2}'),
        ("no text", "\ufffd"),
        ("another statement", mv.certify.Envelope(b"{}", "text/plain").to_json()),
    ],
)
def _(folder: Path, text: str) -> Any:
    (_bare(folder) / CERTIFICATE).write_text(text)
    mv.certify.read_certificate(folder)


@each(
    "statement",
    [
        *(
            (f"name {name!r}", {"subject": [{"name": name, "digest": {"sha256": "0" * 64}}]})
            for name in ("../data.csv", "/data.csv", "a//b", "./a", "a\\b", "a/../b", "", ".", "a\0", "a\nb")
        ),
        ("another type", {"_type": "x"}),
        ("no subject", {"subject": []}),
        ("no digest", {"subject": [{"name": "a"}]}),
        ("short digest", {"subject": [{"name": "a", "digest": {"sha256": "00"}}]}),
        ("large digest", {"subject": [{"name": "a", "digest": {"sha256": "A" * 64}}]}),
        ("named twice", {"subject": [{"name": "a", "digest": {"sha256": "0" * 64}}] * 2}),
        ("predicate a list", {"predicate": []}),
        ("predicate type a number", {"predicateType": 1}),
        ("nothing changed", {}),
    ],
)
def _(folder: Path, change: dict[str, Any]) -> Any:
    fields = json.loads(mv.certify.Statement({"a": "0" * 64}).to_bytes())
    return len(mv.certify.Statement.from_fields({**fields, **change}).subjects)


@each(
    "envelope",
    [
        ("a list", []),
        ("no type", {"payload": "e30=", "signatures": []}),
        ("no signature", {"payloadType": "x", "payload": "e30=", "signatures": []}),
        ("no padding", {"payloadType": "x", "payload": "e30", "signatures": [{"sig": "e30="}]}),
        ("a bit too many", {"payloadType": "x", "payload": "e31=", "signatures": [{"sig": "e30="}]}),
        ("a blank", {"payloadType": "x", "payload": "e3 0=", "signatures": [{"sig": "e30="}]}),
        ("signature a number", {"payloadType": "x", "payload": "e30=", "signatures": [{"sig": 5}]}),
        ("key a number", {"payloadType": "x", "payload": "e30=", "signatures": [{"keyid": 5, "sig": "e30="}]}),
        ("signature a text", {"payloadType": "x", "payload": "e30=", "signatures": ["e30="]}),
        ("sound", {"payloadType": "x", "payload": "e30=", "signatures": [{"sig": "e30="}]}),
    ],
)
def _(folder: Path, fields: Any) -> Any:
    return len(mv.certify.Envelope.from_fields(fields).signatures)


@each(
    "trusted signature under a statement",
    [
        ("of another kind", "https://slsa.dev/provenance/v1", {"note": "must not be released"}),
        ("of a later version", "urn:microveil:release:2", {"limits": "kept"}),
        ("of an internal folder", "urn:microveil:internal:1", {"limits": "kept"}),
        ("that says broken", "urn:microveil:release:1", {"limits": "broken"}),
        ("that says nothing", "urn:microveil:release:1", {}),
        ("that says kept", "urn:microveil:release:1", {"limits": "kept"}),
    ],
)
def _(folder: Path, kind: str, said: dict[str, str]) -> Any:
    (folder / "data.csv").write_text("x\n1\n")
    mv.certify.write_certificate(folder, mv.certify.Statement.of_files(folder, ["data.csv"], said, kind))
    mv.certify.sign_folder(folder, signer(1))
    return audit(folder, trusted=[signer(1).public])
