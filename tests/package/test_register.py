"""The register: every line counts, two writers do not lose one another's, and releases are compared with each other."""

from __future__ import annotations

import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from pathlib import Path
from threading import Barrier, BrokenBarrierError

import numpy as np
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import microveil as mv
from microveil import certify
from microveil.certify import Statement
from microveil.cli.app import app
from microveil.core import locking
from microveil.core.errors import BadInput, BrokenPromise, FileProblem
from microveil.package import (
    add_release,
    audit,
    check_register,
    compare_with_earlier,
    earlier_releases,
    read_register,
    revoke_release,
    tell_composition,
    write_package,
)
from microveil.package.earlier import source_of
from microveil.package.register_entries import FIRST, hash_of
from tests.package.releases import FACTS, KEY, people

DAY = date(2026, 11, 16)
SECOND = "a second version of the same file is a new disclosure"


FREE = {name: fact for name, fact in FACTS.items() if name != "edits"}  # noise may fall below 0


def noisy(data: mv.Microdata, seed: str) -> mv.Release:
    return mv.mask.CorrelatedNoise(p=0.2).apply(data, columns=["income"], seed=seed)


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """Two runs on the same data under different keys, and their original."""
    folder = tmp_path_factory.mktemp("office")
    (folder / "runs").mkdir()
    pyarrow.parquet.write_table(people().frame, folder / "survey.parquet")
    for name, title, key in (("0001", "Incomes 2026", KEY), ("0002", "Incomes 2026, again", KEY[::-1])):
        release = noisy(mv.read(folder / "survey.parquet", **FREE), key)
        figures = mv.evaluate(release.original, release, measures=["pil"])
        write_package(
            release, folder / "runs" / name, evaluation=figures, title=title, review="2027-06-30", date="2026-11-01"
        )
    return folder


@pytest.fixture
def office(runs, tmp_path) -> Path:
    shutil.copytree(runs, tmp_path / "office")
    return tmp_path / "office"


@pytest.fixture
def two(office) -> Path:
    """A register of two releases."""
    for name in ("0001", "0002"):
        add_release(office / "register.jsonl", office / "runs" / name, day=DAY)
    return office / "register.jsonl"


def said(path: Path, **more: object) -> list[str]:
    return [str(one) for one in check_register(path, today=DAY, **more)]


def test_an_entry_says_what_was_released(office):
    entry = add_release(office / "register.jsonl", office / "runs" / "0001", day=DAY, kind="scientific")
    statement = certify.read_certificate(office / "runs" / "0001" / "package").statement
    log = mv.plan.load_log(office / "runs" / "0001" / "internal" / "log.json")
    assert (entry.number, entry.date, entry.state, entry.run) == (1, "2026-11-16", "released", "runs/0001")
    assert (entry.title, entry.kind, entry.review) == ("Incomes 2026", "scientific", "2027-06-30")
    assert entry.methods == ("correlated-noise",)
    assert entry.certificate == hash_of(statement.to_bytes().decode())
    assert entry.source == log["input"]["fingerprint"]
    assert (entry.signed_by, entry.previous) == ((), FIRST)
    text = (office / "register.jsonl").read_text()
    assert log["key"] not in text
    assert json.loads(text)["title"] == "Incomes 2026"


def test_lines_are_chained_and_numbered(two):
    first, second = two.read_text().splitlines()
    assert json.loads(second)["previous"] == hash_of(first)
    assert [entry.number for entry in read_register(two).releases] == [1, 2]
    assert (two.parent / "register.jsonl.head").read_text().strip() == hash_of(second)
    assert read_register(two).faults == ()


@pytest.mark.parametrize(
    "change", ["first", "last", "middle", "changed", "reordered", "doubled", "text", "short", "all"]
)
def test_a_line_that_is_removed_or_changed_is_found(two, change):
    revoke_release(two, 1, "an error", day=DAY)
    lines = two.read_text().splitlines(keepends=True)
    assert len(lines) == 3
    changed = {
        "first": lines[1:],
        "last": lines[:-1],
        "middle": [lines[0], lines[2]],
        "changed": [lines[0].replace("Incomes", "Outcomes"), *lines[1:]],
        "reordered": [lines[1], lines[0], lines[2]],
        "doubled": [*lines, lines[-1]],
        "text": [*lines[:2], "{}\n", lines[2]],
        "short": [*lines[:2], lines[2][:-1]],
        "all": [],
    }[change]
    two.write_text("".join(changed))
    assert read_register(two).faults
    assert any(line.startswith("BROKEN: register.jsonl: ") for line in said(two))
    with pytest.raises(BrokenPromise, match="nothing was entered"):
        revoke_release(two, 2, "an error")
    assert two.read_text() == "".join(changed)


@pytest.mark.parametrize("bits", [1, 7])  # 7 makes another end of a line of each
def test_every_byte_of_the_register_counts(two, bits):
    raw = two.read_bytes()
    silent = []
    for place in range(len(raw)):
        changed = bytearray(raw)
        changed[place] ^= bits
        two.write_bytes(changed)
        try:
            found = read_register(two).faults
        except FileProblem:
            continue  # no longer text
        if not found:
            silent.append(place)
    assert silent == []


def test_a_missing_register_or_end_is_told(two):
    head = two.parent / "register.jsonl.head"
    kept = head.read_text()
    head.unlink()
    assert "register.jsonl.head is missing" in read_register(two).faults[0]
    head.write_text(kept)
    two.unlink()
    assert "the register is not" in read_register(two).faults[0]


def test_a_line_that_nobody_confirmed_is_told_and_can_be_confirmed(two, monkeypatch):
    write = mv.io.write_text

    def stop(path, text):
        if str(path).endswith(".head"):
            raise KeyboardInterrupt
        write(path, text)

    monkeypatch.setattr(mv.io, "write_text", stop)
    with pytest.raises(KeyboardInterrupt):
        revoke_release(two, 1, "an error")
    monkeypatch.setattr(mv.io, "write_text", write)
    assert [entry.state for entry in read_register(two).releases] == ["revoked", "released"]
    known = read_register(two)
    assert "does not know its last line" in known.faults[0]
    assert f"write {known.head} into" in known.faults[0]
    two.with_name(f"{two.name}.head").write_text(f"{known.head}\n")
    assert read_register(two).faults == ()
    revoke_release(two, 2, "an error too")
    assert read_register(two).faults == ()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_two_writers_lose_nothing(two, monkeypatch):
    monkeypatch.setattr(locking, "_PATIENCE", 600)  # a busy machine is no fault
    both = Barrier(2)

    def read_slowly(path: Path):
        found = read_register(path)
        with suppress(BrokenBarrierError):  # without a lock both would read before one of them writes
            both.wait(0.2)
        return found

    monkeypatch.setattr("microveil.package.register.read_register", read_slowly)
    with ThreadPoolExecutor(2) as writers:
        list(writers.map(lambda number: revoke_release(two, number, f"by {number}"), (1, 2)))
    known = read_register(two)
    assert known.faults == ()
    assert [entry.reason for entry in known.releases] == ["by 1", "by 2"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_a_writer_does_not_wait_for_ever(two, monkeypatch):
    import fcntl

    monkeypatch.setattr(locking, "_PATIENCE", 0.01)
    before = two.read_text()
    with (two.parent / ".register.jsonl.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(FileProblem, match="somebody else is writing"):
            revoke_release(two, 1, "an error")
    assert two.read_text() == before


def test_what_is_not_what_was_released_is_refused(office):
    book = office / "register.jsonl"
    with pytest.raises(FileProblem, match=r"no certificate\.json"):
        add_release(book, office / "runs" / "0003")
    with pytest.raises(BadInput, match="public, scientific, secure; 'open' was given"):
        add_release(book, office / "runs" / "0001", kind="open")
    add_release(book, office / "runs" / "0001")
    with pytest.raises(BadInput, match="release 1 of the register already"):
        add_release(book, office / "runs" / "0001")
    inside = office / "runs" / "0002" / "internal"
    shutil.move(inside, office / "kept")
    shutil.copytree(office / "runs" / "0001" / "internal", inside)
    with pytest.raises(BrokenPromise, match="different runs"):
        add_release(book, office / "runs" / "0002")
    (office / "runs" / "0002" / "package" / "data.csv").write_text("x\n")
    with pytest.raises(BrokenPromise, match=r"package: data\.csv was changed"):
        add_release(book, office / "runs" / "0002")
    assert len(book.read_text().splitlines()) == 1


def test_a_statement_that_its_run_did_not_write_is_refused(office):
    package = office / "runs" / "0001" / "package"
    stated = certify.read_certificate(package).statement
    certify.write_certificate(package, Statement(stated.subjects, {**stated.predicate, "review": "2099-01-01"}))
    with pytest.raises(BrokenPromise, match=r"certificate\.json does not say what the run wrote into it"):
        add_release(office / "register.jsonl", office / "runs" / "0001")


def test_what_was_revoked_is_not_entered_again_under_another_statement(two):
    revoke_release(two, 1, "a neighbour was found", day=DAY)
    run = two.parent / "runs" / "0001"
    stated = certify.read_certificate(run / "package").statement
    other = Statement(stated.subjects, {**stated.predicate, "title": "Another"})
    certify.write_certificate(run / "package", other)
    kept = certify.read_certificate(run / "internal").statement
    said = {**kept.predicate, "statement": hash_of(other.to_bytes().decode())}
    certify.write_certificate(run / "internal", Statement(kept.subjects, said, kept.predicate_type))
    with pytest.raises(BadInput, match=r"release 1 of the register, which was revoked on 2026-11-16"):
        add_release(two, run)
    assert len(two.read_text().splitlines()) == 3


def test_a_broken_register_does_not_say_that_a_release_stands(two):
    lines = two.read_text().splitlines()
    two.write_text(f"{lines[0]}\n")
    told = [str(one) for one in audit(two.parent / "runs" / "0001" / "package", register=two).findings]
    assert any("release 1 of register.jsonl, which is broken: whether it stands is not known" in one for one in told)
    assert not any("and stands" in one for one in told)


def test_a_release_is_revoked_once_and_for_a_reason(two):
    with pytest.raises(BadInput, match="for a reason"):
        revoke_release(two, 1, "  ")
    with pytest.raises(BadInput, match="no release 3; give one of those that it has: 1 and 2"):
        revoke_release(two, 3, "x")
    revoke_release(two, 1, "a neighbour\nwas found", day=DAY)
    with pytest.raises(BadInput, match="revoked on 2026-11-16 already: a neighbour was found"):
        revoke_release(two, 1, "again")
    assert [entry.state for entry in read_register(two).releases] == ["revoked", "released"]


def test_a_signature_that_comes_later_leaves_the_entry_as_it_is(two):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = certify.PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes(32)))
    for name in ("0001", "0002"):
        certify.sign_folder(two.parent / "runs" / name / "package", key)
    assert not [line for line in said(two, trusted=[key.public]) if line.startswith("BROKEN")]
    other = certify.PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([1] * 32)))
    assert any("must be signed" in line for line in said(two, trusted=[other.public]))


def test_people_are_entered_by_name_where_their_keys_are_trusted(office):
    certify.new_key(office / "jane.key", "three quiet words", "Jane Doe")
    package = office / "runs" / "0001" / "package"
    certify.sign_folder(package, certify.read_private_key(office / "jane.key", "three quiet words"))
    trusted = certify.read_trusted(office / "jane.key.pub")
    entry = add_release(office / "register.jsonl", office / "runs" / "0001", trusted=trusted)
    assert entry.signed_by == (f"Jane Doe (key {trusted[0].keyid[:16]})",)
    with pytest.raises(BrokenPromise, match="not signed"):
        add_release(office / "register.jsonl", office / "runs" / "0002", trusted=trusted)


def test_the_list_has_the_names_of_those_who_signed_with_their_keys(office, run, monkeypatch):
    monkeypatch.chdir(office)
    jane = certify.new_key(office / "jane.key", "three quiet words", "Jane Doe")
    private = certify.read_private_key(office / "jane.key", "three quiet words")
    for name in ("0001", "0002"):
        certify.sign_folder(office / "runs" / name / "package", private)
    run("register", "add", "runs/0001", "--trust", "jane.key.pub")
    run("register", "add", "runs/0002")
    key = jane.keyid[:16]

    def listed(*more: str) -> list[str]:
        return CliRunner().invoke(app, ["register", "list", *more]).output.splitlines()

    first, second = listed()
    assert first.endswith(f"; signed by Jane Doe (key {key})")
    assert second.endswith(f"; signed by Jane Doe (key {key}), unchecked")  # by the public key beside it
    Path("jane.key.pub").rename("elsewhere")
    assert listed()[1].endswith(f"; signed by key {key}, unchecked")
    Path("elsewhere").rename("jane.key.pub")
    assert listed("--trust", "jane.key.pub")[1].endswith(f"; signed by Jane Doe (key {key}), unchecked")


def test_the_original_is_looked_for_beside_the_project(tmp_path):
    run = tmp_path / "runs" / "0001"
    (run / "internal").mkdir(parents=True)
    assert source_of(run) is None
    mv.plan.Project("data/survey.csv", columns={"x": {}}).save(run / "internal" / "project.yaml")
    assert source_of(run) is None
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "survey.csv").write_text("x\n1\n")
    assert source_of(run) == tmp_path / "data" / "survey.csv"


# -- checks ----------------------------------------------------------------------------------------


def test_a_check_tells_what_two_releases_say_together(two):
    lines = said(two, original=two.parent / "survey.parquet")
    assert lines[:3] == [
        "holds: register.jsonl: 2 lines, each as it was written.",
        "holds: release 1 (runs/0001) is as it was entered.",
        "holds: release 2 (runs/0002) is as it was entered.",
    ]
    assert lines[3].startswith("note: release 1 and release 2: Who combines 2 releases finds")
    assert len(lines) == 4


def test_the_figure_is_that_of_the_attack(two):
    folder = two.parent
    data = mv.read(folder / "survey.parquet", **FREE)
    releases = [mv.plan.replay(folder / "runs" / name / "internal" / "log.json", data) for name in ("0001", "0002")]
    wanted = mv.attack.Composition()(data, releases)
    assert wanted.parts["error combined"] < wanted.parts["error of one"]
    found = tell_composition(two, 2, folder / "survey.parquet")
    assert [SECOND in found[0].text, found[1].text] == [True, f"release 2 and release 1: {wanted.reading}"]
    assert tell_composition(two, 1, folder / "survey.parquet") == []
    assert compare_with_earlier(releases[1], earlier_releases(two)[:1])[1].text.endswith(wanted.reading)


def test_without_the_original_it_is_told_that_nothing_was_measured(two):
    lines = said(two)
    assert sum("the original is not where its project says" in line for line in lines) == 2
    found = tell_composition(two, 2)
    assert SECOND in found[0].text
    assert found[1].state == "not checked"
    other = two.parent / "other.parquet"
    changed = people().frame.to_pandas().assign(income=np.arange(120.0))
    changed.to_parquet(other, index=False)
    assert sum("these are not the data of the log" in line for line in said(two, original=other)) == 2


def test_changes_revocations_and_reviews_are_told(two):
    folder = two.parent
    revoke_release(two, 1, "a neighbour was found", day=DAY)
    (folder / "runs" / "0001" / "package" / "data.csv").write_text("x\n")
    shutil.rmtree(folder / "runs" / "0002")
    late = [str(one) for one in check_register(two, today=date(2027, 7, 1))]
    assert "BROKEN: release 1, package: data.csv was changed." in late
    assert "note: release 1 was revoked on 2026-11-16: a neighbour was found" in late
    assert "BROKEN: release 2: its folder runs/0002 is not there." in late
    assert "note: release 2 was to be reviewed by 2027-06-30, which has passed." in late
    assert not any("release 1 was to be reviewed" in line for line in late)


def test_another_certificate_in_the_place_is_told(two):
    runs = two.parent / "runs"
    shutil.rmtree(runs / "0002")
    shutil.copytree(runs / "0001", runs / "0002")
    assert "BROKEN: release 2: its certificate is another one than was entered." in said(two)


def test_earlier_runs_that_the_register_does_not_know_are_named(two):
    folder = two.parent
    shutil.copytree(folder / "runs" / "0001", folder / "old")
    found = earlier_releases(two, [folder / "old", folder / "runs" / "0002"])
    assert [one.called for one in found] == ["release 1", "release 2", "the run in old"]
    assert earlier_releases(folder / "none.jsonl") == ()
    with pytest.raises(FileProblem, match="no folder"):
        earlier_releases(None, [folder / "nowhere"])
    with pytest.raises(FileProblem, match=r"runs' is no folder of an earlier run, .*; name one that has them, such as"):
        earlier_releases(None, [folder / "runs"])
    with pytest.raises(FileProblem, match=r"package' is no folder of an earlier run, .*; name the folder above it"):
        earlier_releases(None, [folder / "old" / "package"])


def test_an_audit_says_that_a_package_was_revoked(two):
    package = two.parent / "runs" / "0001" / "package"
    assert any(
        "the package is release 1 of register.jsonl" in one.text for one in audit(package, register=two).findings
    )
    revoke_release(two, 1, "a neighbour was found", day=DAY)
    shutil.copytree(package, two.parent / "sent")
    found = audit(two.parent / "sent", register=two)
    assert [one.text for one in found.broken] == ["REVOKED on 2026-11-16, release 1: a neighbour was found"]


def test_a_revoked_package_is_known_by_its_files_whatever_its_statement_says(two):
    revoke_release(two, 1, "a neighbour was found", day=DAY)
    package = two.parent / "runs" / "0001" / "package"
    told = "REVOKED on 2026-11-16, release 1, known by data.csv: a neighbour was found"
    stated = certify.read_certificate(package).statement
    certify.write_certificate(package, Statement(stated.subjects, {**stated.predicate, "title": "Another"}))
    assert told in [one.text for one in audit(package, register=two).broken]
    (package / "certificate.json").unlink()
    assert told in [one.text for one in audit(package, register=two).broken]
    assert told in [one.text for one in audit(package / "data.csv", register=two).broken]


def test_another_statement_about_files_that_stand_is_named(two):
    package = two.parent / "runs" / "0001" / "package"
    stated = certify.read_certificate(package).statement
    certify.write_certificate(package, Statement(stated.subjects, {**stated.predicate, "title": "Another"}))
    told = [one.text for one in audit(package, register=two).broken]
    assert "data.csv is of release 1 of register.jsonl, and the certificate is another than was entered." in told


def test_lines_of_older_registers_have_no_hashes_of_files(two):
    lines = [json.loads(line) for line in two.read_text().splitlines()]
    previous = FIRST
    for fields in lines:
        del fields["files"]
        fields["previous"] = previous
        previous = hash_of(json.dumps(fields, ensure_ascii=False))
    two.write_text("".join(f"{json.dumps(fields, ensure_ascii=False)}\n" for fields in lines))
    two.with_name("register.jsonl.head").write_text(f"{previous}\n")
    known = read_register(two)
    assert known.faults == ()
    assert [entry.files for entry in known.releases] == [(), ()]
    revoke_release(two, 1, "a neighbour was found", day=DAY)
    copy = two.parent / "alone.csv"
    shutil.copy(two.parent / "runs" / "0001" / "package" / "data.csv", copy)
    assert any("REVOKED" in one.text for one in audit(copy, register=two).broken)


@pytest.mark.parametrize("reason", ["a\ud800", "a\u202eb"])
def test_a_reason_is_plain_text(two, reason):
    with pytest.raises(BadInput, match="signs that are not shown"):
        revoke_release(two, 1, reason)


def test_an_audit_combines_a_package_with_earlier_ones(two):
    run = two.parent / "runs" / "0002"
    log, original = run / "internal" / "log.json", two.parent / "survey.parquet"
    found = audit(run / "package", log=log, original=original, register=two)
    told = [str(one) for one in found.findings if one.check == "composition"]
    assert SECOND in told[0]
    assert told[1].startswith("note: this release and release 1: Who combines 2 releases finds")
    assert len(told) == 2
    told = [str(one) for one in audit(run / "package", earlier=[two.parent / "runs" / "0001"]).findings]
    assert any("by its log and the original" in line for line in told)


# -- command ---------------------------------------------------------------------------------------


def test_the_command_keeps_a_register(office, run, monkeypatch):
    monkeypatch.chdir(office)
    run("register", "check", status=2)
    assert run("register", "add", "runs/0001") == "Entered runs/0001 as release 1 of register.jsonl. "
    text = run("register", "add", "runs/0002", "--original", "survey.parquet", match=SECOND)
    assert "Who combines 2 releases finds" in text
    run("register", "revoke", 1, "--reason", "a neighbour was found")
    text = run("register", "list")
    assert "1  runs/0001  Incomes 2026 (public); revoked" in text
    assert "2  runs/0002  Incomes 2026, again (public); released" in text
    run("register", "check", "--original", "survey.parquet")
    run("audit", "runs/0001/package", "--register", "register.jsonl", status=1, match="BROKEN: REVOKED on")
    lines = Path("register.jsonl").read_text().splitlines(keepends=True)
    Path("register.jsonl").write_text("".join(lines[:-1]))
    run("register", "check", status=1)
    run("register", "list", status=1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("lst",), "did you mean"),
        (("add",), "name the folder of a run"),
        (("list", "x"), "say microveil register list"),
        (("revoke", "one", "--reason", "x"), "no number"),
        (("revoke", "1"), "--reason"),
        (("list", "--reason", "x"), "belongs to revoke"),
    ],
)
def test_wrong_words_are_told(words, told, run, folder):
    assert told in " ".join(run("register", *words, status=2).split())
    assert list(folder.iterdir()) == []


def test_an_audit_says_of_a_register_of_which_only_the_head_is_left_that_it_is_broken(two, run):
    package = two.parent / "runs" / "0001" / "package"
    revoke_release(two, 1, "a neighbour was found", day=DAY)
    two.unlink()
    told = "register.jsonl: register.jsonl.head is there, and the register is not."
    found = audit(package, register=two)
    assert [one.text for one in found.broken] == [told]
    assert "register.jsonl is broken: whether this was released by it, or revoked, is not known" in str(found)
    run("audit", package, "--register", two, status=1, match=f"BROKEN: {told}")


def test_an_audit_with_a_register_that_is_not_there_is_refused(tmp_path: Path):
    (tmp_path / "data.csv").write_text("x\n1\n")
    with pytest.raises(FileProblem, match=r"there is no register '.*nosuch.jsonl'"):
        audit(tmp_path / "data.csv", register=tmp_path / "nosuch.jsonl")
