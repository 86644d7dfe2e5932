"""Tamper cases about registers of releases, and about folders and files of others."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet

import microveil as mv
from tests.frozen._tampers.cases import (
    KEY,
    TODAY,
    answer,
    audit,
    case,
    command,
    each,
    frame,
    kept_folder,
    restated,
    signer,
    survey_file,
)

CERTIFICATE = "certificate.json"


# -- registers -------------------------------------------------------------------------------------------


def _office() -> Path:
    """An office with two runs on the same data under different keys, and their original, made once."""
    place = kept_folder() / "office"
    if place.exists():
        return place
    (place / "runs").mkdir(parents=True)
    shutil.copy(survey_file(), place / "survey.parquet")
    from tests.frozen._tampers.cases import FACTS

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
