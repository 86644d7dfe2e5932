"""Tamper cases about packages of all formats and about runs: log, papers, certificates inside."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet

import microveil as mv
from tests.frozen._tampers.cases import (
    audit,
    case,
    certified_anew,
    command,
    each,
    kept_folder,
    restated,
    rows_turned,
    run_of_all_formats,
    signer,
    small_run,
    survey_file,
)

CERTIFICATE = "certificate.json"


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
        return audit(public, log=public.parent / "internal" / "log.json", original=survey_file(), words=["canary"])
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
    known = {"log": log, "original": survey_file()} if who == "all known" else {"words": ["canary-0007"]}
    return audit(package, **known)


@each(
    "all formats, rehashed by a dishonest producer",
    [(name, change) for name, change in _TAMPERED.items() if "certificate" not in name],
)
def _(folder: Path, change: Callable[[Path], Any]) -> Any:
    package, log = _given_away(folder)
    change(package)
    certified_anew(package)
    return audit(package, log=log, original=survey_file())


@case("all formats, category removed from the original")
def _(folder: Path) -> Any:
    package, _ = _given_away(folder)
    known = pyarrow.parquet.read_table(survey_file()).to_pandas()
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
    return command("audit", package, "--original", survey_file(), "--log", log)


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
        table = pyarrow.parquet.read_table(survey_file()).slice(1)
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
    (folder / "project.yaml").touch()
    (folder / "runs").mkdir()
    run = small_run(folder / "runs")
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
        place.symlink_to("../../away")
    elif way == "run is a link":
        run.rename(folder / "away")
        run.symlink_to("../away")
        shutil.rmtree(run / "internal")
    elif way == "run renamed":
        inside.rename(folder / "away")
        place = run.rename(run.with_name("final")) / "package"
    elif way == "package inside":
        place = place.rename(inside / "package")
    elif way == "package deeper":
        (run / "mine").mkdir()
        place = place.rename(run / "mine" / "package")
    elif way == "papers renamed":
        inside.rename(folder / "away")
        place = place.rename(folder / "away" / "package")
    return _sign(place)["status"]
