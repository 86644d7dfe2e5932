"""Tamper cases about packages: their bytes, certificates, signatures, runs and registers."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet

import microveil as mv
from tests.frozen._tampering import (
    KEY,
    TODAY,
    answer,
    audit,
    case,
    certified_anew,
    command,
    each,
    frame,
    kept_folder,
    restated,
    rows_turned,
    run_of_all_formats,
    signed_package,
    signer,
    small_run,
    survey,
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


# -- packages of all formats, unsigned -------------------------------------------------------------------


@each("all formats, nothing tampered", ["all known", "a stranger", "late", "own run", "internal folder"])
def _(folder: Path, who: str) -> Any:
    run = run_of_all_formats(folder)
    if who == "own run":
        return audit(run / "package")
    if who == "internal folder":
        return audit(run / "internal")
    public = run.rename(folder / "run") / "package"
    if who == "all known":
        return audit(public, log=public.parent / "internal" / "log.json", original=survey(), words=["canary"])
    shutil.copytree(public, folder / "package")
    return audit(folder / "package", **({"today": date(2027, 7, 1)} if who == "late" else {}))


def _given_away(folder: Path) -> tuple[Path, Path]:
    run = run_of_all_formats(folder)
    package = Path(shutil.copytree(run / "package", folder / "package"))
    return package, run / "internal" / "log.json"


def _record_swapped(package: Path) -> None:
    text = (package / "data.csv").read_text().splitlines()
    (package / "data.csv").write_text("\n".join([text[0], text[2], text[1], *text[3:]]) + "\n")


def _record_lost(package: Path) -> None:
    text = (package / "data.csv").read_text().splitlines()
    (package / "data.csv").write_text("\n".join(text[:-1]) + "\n")


def _book(old: str, new: str) -> Callable[[Path], None]:
    def change(package: Path) -> None:
        book = (package / "codebook.xml").read_text()
        (package / "codebook.xml").write_text(book.replace(old, new))

    return change


def _doctype(package: Path) -> None:
    book = (package / "codebook.xml").read_text()
    (package / "codebook.xml").write_text("<!DOCTYPE x>" + book)


def _zip(package: Path) -> None:
    inner = package.parent / "inner"
    inner.mkdir()
    (inner / "a.txt").write_text("Name: canary-0007")
    shutil.make_archive(str(package / "more"), "zip", str(inner))


_TAMPERED: dict[str, Callable[[Path], Any]] = {
    "records swapped": _record_swapped,
    "record lost": _record_lost,
    "column renamed in the codebook": _book('name="income"', 'name="pay"'),
    "category in the codebook": _book(">north<", ">canary island<"),
    "document type in the codebook": _doctype,
    "no certificate": lambda package: (package / CERTIFICATE).unlink(),
    "canary in the report": lambda package: (package / "report.html").write_text("Name: canary-0007"),
    "canary packed": lambda package: (package / "more.gz").write_bytes(gzip.compress(b"Name: canary-0007", mtime=0)),
    "canary in utf-16": lambda package: (package / "more.bin").write_text("Name: canary-0007", encoding="utf-16-le"),
    "canary in a zip": _zip,
}


@each(
    "all formats",
    [(f"{name}, {who}", change, who) for name, change in _TAMPERED.items() for who in ("stranger", "all known")],
)
def _(folder: Path, change: Callable[[Path], Any], who: str) -> Any:
    package, log = _given_away(folder)
    change(package)
    known = {"log": log, "original": survey()} if who == "all known" else {"words": ["canary-0007"]}
    return audit(package, **known)


@each(
    "all formats, rehashed by a dishonest producer",
    [(name, change) for name, change in _TAMPERED.items() if "certificate" not in name],
)
def _(folder: Path, change: Callable[[Path], Any]) -> Any:
    package, log = _given_away(folder)
    change(package)
    certified_anew(package)
    return audit(package, log=log, original=survey())


@case("all formats, category removed from the original")
def _(folder: Path) -> Any:
    package, _ = _given_away(folder)
    known = pyarrow.parquet.read_table(survey()).to_pandas()
    known.loc[5, "region"] = "canary island"
    known.to_parquet(folder / "original.parquet")
    _book(">north<", ">canary island<")(package)
    return audit(package, original=folder / "original.parquet")


@case("all formats, key in the report")
def _(folder: Path) -> Any:
    package, log = _given_away(folder)
    (package / "report.html").write_text(mv.plan.load_log(log)["key"])
    return audit(package, log=log)


@each(
    "all formats, signatures",
    [("none", (), (1,), 1), ("one", (1,), (1,), 1), ("another's", (1,), (2,), 1), ("one of two", (1,), (1, 2), 2)],
)
def _(folder: Path, signers: tuple[int, ...], trusted: tuple[int, ...], least: int) -> Any:
    package, _ = _given_away(folder)
    for number in signers:
        mv.certify.sign_folder(package, signer(number))
    return audit(package, trusted=[signer(number).public for number in trusted], signers=least)


@each("all formats, command", ["sound", "tampered", "wrong words"])
def _(folder: Path, what: str) -> Any:
    package, log = _given_away(folder)
    if what == "tampered":
        (package / "data.csv").write_text("x\n1\n")
    if what == "wrong words":
        return command("audit", package, "--signers", 2)
    return command("audit", package, "--original", survey(), "--log", log)


# -- runs: log, papers, certificates inside --------------------------------------------------------------


@each(
    "run", ["sound", "records turned", "records turned, no papers", "report and notes", "statement", "certificate gone"]
)
def _(folder: Path, what: str) -> Any:
    run = small_run(folder)
    public = run / "package"
    if "turned" in what:
        rows_turned(public / "data.csv")
        certified_anew(public)
    if what == "records turned, no papers":
        shutil.rmtree(run / "internal")
    if what == "statement":
        certified_anew(public, records=99_999)
    if what == "report and notes":
        (public / "notes.txt").write_text("Firm 1 sold for 123456.")
        (public / "report.html").write_text("<p>Firm 1 sold for 123456.</p>")
        certified_anew(public)
    if what == "certificate gone":
        mv.certify.sign_folder(public, signer(1))
        (public / CERTIFICATE).unlink()
    return audit(public)


@each(
    "run, copied",
    ["with the log", "records turned, with the log", "beside another original", "pipe", "report, trusted"],
)
def _(folder: Path, what: str) -> Any:
    run = small_run(folder)
    public = Path(shutil.copytree(run / "package", folder / "package"))
    if what == "pipe":
        os.mkfifo(public / "data2.csv")
        return audit(public)
    if what == "report, trusted":
        mv.certify.sign_folder(public, signer(1))
        with (public / "report.html").open("a") as page:
            page.write(" ")
        return audit(public, trusted=[signer(1).public])
    if what != "with the log":
        rows_turned(public / "data.csv")
    if what == "beside another original":
        certified_anew(public)
        table = pyarrow.parquet.read_table(survey()).slice(1)
        pyarrow.parquet.write_table(table, folder / "other.parquet")
        return audit(public, log=run / "internal" / "log.json", original=folder / "other.parquet")
    return audit(public, log=run / "internal" / "log.json")


@each("internal certificate in a package", ["certificate", "log too"])
def _(folder: Path, what: str) -> Any:
    run = small_run(folder)
    place = folder / "package"
    place.mkdir()
    (place / "survey.bin").write_bytes(b"name,pay\ncanary,3\n")
    shutil.copy(run / "internal" / CERTIFICATE, place)
    if what == "log too":
        shutil.copy(run / "internal" / "log.json", place)
    return audit(place, words=["canary"])


STATED = """
version: 2
dataset: {path: people.csv}
columns:
  sex: {role: key, kind: nominal}
  region: {role: %s, kind: nominal}
scenarios:
- {name: stated, keys: [sex], thresholds: {risk: %s, share: 0}}
constraints: [income >= %s]
"""


@each(
    "run, with a project",
    [("sound", "key", 0.5, 0, 0), ("strict", "identifier", 0.001, 1_000_000, 0), ("turned", "key", 0.5, 0, 1)],
)
def _(folder: Path, role: str, risk: float, least: int, turned: int) -> Any:
    run = small_run(folder)
    (folder / "project.yaml").write_text(STATED % (role, risk, least))
    if turned:
        rows_turned(run / "package" / "data.csv")
    return audit(run / "package", project=folder / "project.yaml")


def _secret() -> Path:
    path = kept_folder() / "jane.key"
    if not path.exists():
        mv.certify.new_key(path, "three quiet words", "Jane")
        (kept_folder() / "words").write_text("three quiet words\n")
    return path


def _sign(place: Path) -> dict[str, Any]:
    return command("sign", place, "--key", _secret(), "--passphrase-file", kept_folder() / "words")


@each(
    "signing in a run",
    [
        "sound",
        "copy",
        "statement",
        "verdict inside",
        "link",
        "other name",
        "no papers",
        "no certificate inside",
        "rewritten inside",
        "package is a link",
        "run is a link",
        "run renamed",
        "package inside",
        "package deeper",
        "papers renamed",
    ],
)
def _(folder: Path, way: str) -> Any:
    run = small_run(folder)
    place, inside = run / "package", run / "internal"
    if way == "copy":
        place = Path(shutil.copytree(place, folder / "copy"))
    if way == "verdict inside":
        said = mv.certify.read_certificate(inside).statement.predicate
        restated(inside, verdict={**said["verdict"], "state": "doubtful"})
        return _sign(inside)
    statement = None if way in ("sound", "copy") else restated(place, review="2099-01-01")
    if way == "link":
        (folder / "mine").symlink_to(place)
        place = folder / "mine"
    elif way == "other name":
        place = place.rename(run / "Package")
    elif way == "no papers":
        shutil.rmtree(inside)
    elif way == "no certificate inside":
        (inside / CERTIFICATE).unlink()
    elif way == "rewritten inside":
        import hashlib

        restated(inside, statement=hashlib.sha256(statement.to_bytes()).hexdigest())
    elif way == "package is a link":
        place.rename(folder / "away")
        place.symlink_to("../away")
    elif way == "run is a link":
        run.rename(folder / "away")
        run.symlink_to("away")
        shutil.rmtree(run / "internal")
    elif way == "run renamed":
        inside.rename(folder / "away")
        place = run.rename(folder / "final") / "package"
    elif way == "package inside":
        place = place.rename(inside / "package")
    elif way == "package deeper":
        (run / "mine").mkdir()
        place = place.rename(run / "mine" / "package")
    elif way == "papers renamed":
        inside.rename(folder / "away")
        place = place.rename(folder / "away" / "package")
    return _sign(place)["status"]


# -- registers -------------------------------------------------------------------------------------------


def _office() -> Path:
    """An office with two runs on the same data under different keys, and their original, made once."""
    place = kept_folder() / "office"
    if place.exists():
        return place
    (place / "runs").mkdir(parents=True)
    shutil.copy(survey(), place / "survey.parquet")
    from tests.frozen._tampering import FACTS

    for name, title, key in (("0001", "Incomes 2026", KEY), ("0002", "Incomes 2026, again", KEY[::-1])):
        data = mv.read(place / "survey.parquet", **FACTS)
        release = mv.mask.CorrelatedNoise(p=0.2).apply(data, columns=["income"], seed=key)
        figures = mv.evaluate(release.original, release, measures=["pil"])
        said: dict[str, Any] = {"title": title, "review": "2027-06-30", "date": "2026-11-01"}
        mv.package.write_package(release, place / "runs" / name, evaluation=figures, reproducible=True, **said)
    return place


def _two(folder: Path, entered: int = 2) -> Path:
    office = Path(shutil.copytree(_office(), folder / "office"))
    for name in ("0001", "0002")[:entered]:
        mv.package.add_release(office / "register.jsonl", office / "runs" / name, day=TODAY)
    return office / "register.jsonl"


@each("register, lines", ["none", "first", "last", "middle", "changed", "reordered", "doubled", "text", "short", "all"])
def _(folder: Path, change: str) -> Any:
    book = _two(folder)
    mv.package.revoke_release(book, 1, "an error", day=TODAY)
    lines = book.read_text().splitlines(keepends=True)
    changed: dict[str, list[str]] = {
        "none": lines,
        "first": lines[1:],
        "last": lines[:-1],
        "middle": [lines[0], lines[2]],
        "changed": [lines[0].replace("Incomes", "Outcomes"), *lines[1:]],
        "reordered": [lines[1], lines[0], lines[2]],
        "doubled": [*lines, lines[-1]],
        "text": [*lines[:2], "{}\n", lines[2]],
        "short": [*lines[:2], lines[2][:-1]],
        "all": [],
    }
    book.write_text("".join(changed[change]))
    found = answer(mv.package.check_register(book, today=TODAY))
    audited = answer(audit(book.parent / "runs" / "0002" / "package", register=book))["outcome"]
    try:
        mv.package.revoke_release(book, 2, "an error", day=TODAY)
    except mv.errors.MicroveilError as problem:
        return {**found, "audited": audited, "revoking": type(problem).__name__}
    return {**found, "audited": audited, "revoking": "done"}


@each("register, every byte", [("bit 0", 1), ("three bits", 7)])
def _(folder: Path, bits: int) -> Any:
    book = _two(folder)
    raw = book.read_bytes()
    counted = {"faults": 0, "refused": 0, "silent": 0}
    for place in range(0, len(raw), 3):
        changed = bytearray(raw)
        changed[place] ^= bits
        book.write_bytes(changed)
        try:
            found = mv.package.read_register(book).faults
        except mv.errors.MicroveilError:
            counted["refused"] += 1
        else:
            counted["faults" if found else "silent"] += 1
    return counted


@each("register", ["head gone", "register gone", "only the head, audit"])
def _(folder: Path, what: str) -> Any:
    book = _two(folder)
    (book.with_name("register.jsonl.head") if what == "head gone" else book).unlink()
    if what == "only the head, audit":
        return audit(book.parent / "runs" / "0001" / "package", register=book)
    return mv.package.check_register(book, today=TODAY)


@each(
    "register, entering",
    [
        "sound",
        "no run",
        "again",
        "papers of another run",
        "data changed",
        "statement changed",
        "revoked, under another statement",
    ],
)
def _(folder: Path, what: str) -> Any:
    entered = {"again": 1, "revoked, under another statement": 2}.get(what, 0)
    book = _two(folder, entered)
    run = book.parent / "runs" / ("0003" if what == "no run" else "0001")
    if what == "papers of another run":
        shutil.rmtree(run / "internal")
        shutil.copytree(book.parent / "runs" / "0002" / "internal", run / "internal")
    if what == "data changed":
        (run / "package" / "data.csv").write_text("x\n")
    if what == "statement changed":
        restated(run / "package", review="2099-01-01")
    if what.startswith("revoked"):
        import hashlib

        mv.package.revoke_release(book, 1, "a neighbour was found", day=TODAY)
        other = restated(run / "package", title="Another")
        restated(run / "internal", statement=hashlib.sha256(other.to_bytes()).hexdigest())
    entry = mv.package.add_release(book, run, day=TODAY)
    return {"number": entry.number, "state": entry.state, "methods": list(entry.methods)}


@each(
    "register, revoking",
    [
        ("no reason", 1, "  "),
        ("no release", 3, "x"),
        ("hidden signs", 1, "a\u202eb"),
        ("half a sign", 1, "a\ud800"),
        ("sound", 1, "x"),
    ],
)
def _(folder: Path, number: int, reason: str) -> Any:
    return mv.package.revoke_release(_two(folder), number, reason, day=TODAY).number


@each(
    "register, checked",
    [
        "sound, with the original",
        "no original",
        "another original",
        "later",
        "tampered runs",
        "another certificate",
        "signed",
        "signed by others",
    ],
)
def _(folder: Path, what: str) -> Any:
    book = _two(folder)
    office = book.parent
    known: dict[str, Any] = {"today": TODAY}
    if what == "sound, with the original":
        known["original"] = office / "survey.parquet"
    if what == "another original":
        table = pyarrow.parquet.read_table(office / "survey.parquet").to_pandas().assign(income=range(120))
        table.to_parquet(office / "other.parquet", index=False)
        known["original"] = office / "other.parquet"
    if what == "later":
        known["today"] = date(2027, 7, 1)
    if what == "tampered runs":
        mv.package.revoke_release(book, 1, "a neighbour was found", day=TODAY)
        (office / "runs" / "0001" / "package" / "data.csv").write_text("x\n")
        shutil.rmtree(office / "runs" / "0002")
    if what == "another certificate":
        shutil.rmtree(office / "runs" / "0002")
        shutil.copytree(office / "runs" / "0001", office / "runs" / "0002")
    if what.startswith("signed"):
        for name in ("0001", "0002"):
            mv.certify.sign_folder(office / "runs" / name / "package", signer(1))
        known["trusted"] = [signer(2 if "others" in what else 1).public]
    return mv.package.check_register(book, **known)


@each(
    "register, audit of a package",
    [
        "stands",
        "revoked",
        "revoked, another statement",
        "revoked, no certificate",
        "revoked, one file",
        "another statement",
        "combined",
        "earlier run",
    ],
)
def _(folder: Path, what: str) -> Any:
    book = _two(folder)
    runs = book.parent / "runs"
    if what == "combined":
        known = {"log": runs / "0002" / "internal" / "log.json", "original": book.parent / "survey.parquet"}
        return audit(runs / "0002" / "package", register=book, **known)
    if what == "earlier run":
        return audit(runs / "0002" / "package", earlier=[runs / "0001"])
    if what.startswith("revoked"):
        mv.package.revoke_release(book, 1, "a neighbour was found", day=TODAY)
    package = Path(shutil.copytree(runs / "0001" / "package", folder / "sent"))
    if "another statement" in what:
        restated(package, title="Another")
    if "no certificate" in what:
        (package / CERTIFICATE).unlink()
    return audit(package / "data.csv" if "one file" in what else package, register=book)


@case("register, that is not there")
def _(folder: Path) -> Any:
    (folder / "data.csv").write_text("x\n1\n")
    return audit(folder / "data.csv", register=folder / "nosuch.jsonl")


# -- folders and files of others -------------------------------------------------------------------------


@each(
    "names that are not plain",
    [
        "notes.txt\nholds: the certificate is signed by Jane.\nx.txt",
        "\u202evsc.atad",
        "a\x1b[2J.txt",
        "re\u2028port.html",
    ],
)
def _(folder: Path, name: str) -> Any:
    pd.DataFrame({"sex": [1, 2, 2, 1] * 10}).to_csv(folder / "data.csv", index=False)
    (folder / name).write_text("x")
    return {**answer(audit(folder)), "command": command("audit", folder)["status"]}


@each(
    "files of others",
    [
        "csv",
        "xlsx",
        "csv alone",
        "email",
        "no data",
        "empty",
        "unknown",
        "nothing there",
        "trusted",
        "other file named",
    ],
)
def _(folder: Path, what: str) -> Any:
    if what == "xlsx":
        frame().to_excel(folder / "survey.xlsx", index=False)
    elif what in ("csv", "csv alone", "trusted"):
        frame().to_csv(folder / "survey.csv", index=False)
    elif what == "email":
        frame().assign(email=[f"p{place}@example.org" for place in range(40)]).to_csv(folder / "data.csv", index=False)
    elif what == "empty":
        (folder / "data.csv").write_bytes(b"")
    elif what == "unknown":
        (folder / "data.bin").write_bytes(b"")
    elif what == "nothing there":
        return audit(folder / "none")
    elif what == "other file named":
        frame().to_csv(folder / "data.csv", index=False)
        mv.certify.write_certificate(folder, mv.certify.Statement({"other.csv": "0" * 64}))
    if what == "trusted":
        return audit(folder / "survey.csv", trusted=[])
    return audit(folder / "survey.csv" if what == "csv alone" else folder)
