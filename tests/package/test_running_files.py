"""`run --engine blocks`: a package of files of any size, or nothing."""

from __future__ import annotations

import json
import shutil
from importlib import import_module
from pathlib import Path

import pyarrow.parquet as parquet
import pytest
from pyarrow.csv import write_csv

import microveil as mv
from microveil.certify import read_certificate
from microveil.certify.certificate import files_in, write_certificate
from microveil.certify.statement import Statement
from microveil.core.errors import BadInput, BrokenPromise, FileProblem, OverLimit
from microveil.engines import BlockEngine, scan
from microveil.io import sha256_of
from microveil.package import FilesRun, audit, run_project_in_blocks, running_files
from microveil.package.writing import make_folders as make
from tests.engines.files import FACTS, write_parts

PROJECT = """\
version: 2
dataset: {path: "data/part*.parquet"}
columns:
  id: {role: identifier}
  weight: {role: weight}
  region: {role: key}
  sex: {role: key}
  account: {role: other}
  day: {role: other}
  income: {role: confidential}
  age: {role: other, missing: [3]}
plan:
  steps:
  - {method: {uncorrelated-noise: {p: 0.5}}, columns: [income]}
scenarios:
- {name: neighbour, keys: [region, sex], thresholds: {risk: 0.2, share: 0}}
release: {title: A survey, review: "2099-01-01"}
"""
KEY = "7c4f0b8e6a1d93f2507be8c1a4d6923f10b7e5c8d2a4961f3e0c7b5a8d4f6e21"
ENGINE = BlockEngine(block_rows=50)


def project_in(place: Path) -> Path:
    (place / "data").mkdir()
    write_parts(place / "data")
    (place / "project.yaml").write_text(PROJECT)
    return place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("microveil.engines.part_files.PART_ROWS", 80)
    return project_in(tmp_path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> FilesRun:
    """One run for all tests that change nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("microveil.engines.part_files.PART_ROWS", 80)
        return ran(project_in(tmp_path_factory.mktemp("made")))


@pytest.fixture
def copied(made: FilesRun, tmp_path: Path) -> Path:
    """A copy of that run, to change."""
    return shutil.copytree(made.package.folder, tmp_path / "runs" / "0001")


def ran(place: Path) -> FilesRun:
    return run_project_in_blocks(place / "project.yaml", ENGINE, seed=KEY, measures="quick")


def nothing(place: Path) -> bool:
    return not any((place / "runs").iterdir()) if (place / "runs").exists() else True


def test_a_project_becomes_a_package_that_its_own_audit_accepts(made):
    public, internal = made.package.public, made.package.internal
    run = made.package.folder
    assert (run.parent.name, run.name) == ("runs", "0001")
    assert (public, internal) == (run / "package", run / "internal")
    assert sorted(path.name for path in public.iterdir()) == [
        "certificate.json",
        "codebook.txt",
        "codebook.xml",
        "data",
        "report.html",
    ]
    assert [path.name for path in made.release.files] == [f"part-0000{number}.parquet" for number in range(3)]
    assert sum(parquet.read_metadata(path).num_rows for path in made.release.files) == 180
    assert made.verdict.ok is True
    certified = json.loads((public / "certificate.json").read_text())
    named = {one["name"] for one in certified["subject"]}
    assert {f"data/part-0000{number}.parquet" for number in range(3)} < named
    assert certified["predicate"]["limits"].startswith("kept")
    assert made.release.check() == ()  # the files are those that were written; noise promises nothing
    found = audit(public)  # with the private log beside it
    assert found.ok, str(found)
    assert "every file has the bytes that the log says were written" in str(found)
    assert "Scenario 'neighbour' is kept" in str(found)
    assert "not checked: what other programs read" in str(found)


def test_users_are_told_no_figure_of_risk_and_the_office_what_was_not_measured(made):
    public = (made.package.public / "report.html").read_text()
    inside = (made.package.internal / "report.html").read_text()
    assert "Probabilistic information loss" in public
    for word in ("risk", "re-identif", "intruder", "neighbour", KEY):
        assert word not in public, word
    assert "What was not measured" in inside
    assert "Scenario &#39;neighbour&#39; is kept" in inside or "Scenario 'neighbour' is kept" in inside
    assert KEY not in inside
    text = (made.package.public / "codebook.txt").read_text()
    assert "A survey" in text
    assert "180 records" in text


def test_the_codebook_tells_what_one_of_the_same_release_in_memory_tells(made):
    whole = scan(str(made.package.folder.parents[1] / "data" / "part*.parquet"), **FACTS).read()
    release = made.release
    variables = {one.name: one for one in mv.package.variables_of_files(release, release.in_blocks())}
    assert variables["sex"].categories[0].count == int((whole.values("sex").data == 0).sum())
    assert variables["region"].missing == int(whole.values("region").missing.sum())
    assert variables["tax"].figures["mean"] == pytest.approx(whole.values("tax").numbers.mean(), rel=1e-12)
    assert variables["tax"].figures["stdev"] == pytest.approx(whole.values("tax").numbers.std(ddof=1), rel=1e-12)
    assert "id" not in variables


def test_values_that_are_too_many_to_be_counted_end_no_run(place, monkeypatch):
    monkeypatch.setattr("microveil.engines.counted_rows.MOST_ROWS", 20)
    monkeypatch.setattr("microveil.engines.pair_of_files.BLOCK_ROWS", 50)
    # the function of the same name hides its module
    monkeypatch.setattr(import_module("microveil.package.variables_of_files"), "MOST_ROWS", 20)
    made = ran(place)
    text = (made.package.public / "codebook.txt").read_text()
    assert "day\n  date, nominal; 180 values, 0 missing\n  more than 20 different values\n" in text
    assert "more than 20 different values" in (made.package.public / "codebook.xml").read_text()


def test_the_log_of_a_package_is_replayed_to_the_same_bytes(made, tmp_path, monkeypatch):
    monkeypatch.setattr("microveil.engines.part_files.PART_ROWS", 80)
    source = scan(str(made.package.folder.parents[1] / "data" / "part*.parquet"), **FACTS)
    again = mv.plan.replay(made.package.internal / "log.json", source, into=tmp_path / "again", engine="memory")
    assert [one.read_bytes() for one in again.files] == [one.read_bytes() for one in made.release.files]


@pytest.mark.parametrize(
    ("old", "new", "problem", "match"),
    [
        ("risk: 0.2", "risk: 0.001", OverLimit, "is not kept"),
        ("sex], thresholds: {risk: 0.2", "sex], known: [income], thresholds: {risk: 1.0", OverLimit, "not shown to be"),
        ("keys: [region, sex]", "keys: [region]", BrokenPromise, "no scenario knows it"),
        ("release: {", "release: {formats: [spss], ", BadInput, "written as Parquet"),
        ("release: {", "release: {earlier: [x], ", BadInput, "judged with all records in memory"),
        ("  age: {role", "  age: {label: x, role", BadInput, "do not have"),
    ],
)
def test_what_is_not_kept_or_cannot_be_judged_leaves_nothing(old, new, problem, match, place):
    (place / "project.yaml").write_text(PROJECT.replace(old, new))
    with pytest.raises(problem, match=match):
        ran(place)
    assert nothing(place)


def test_an_audit_finds_a_part_that_is_another_one(copied):
    public = copied / "package"
    first = public / "data" / "part-00000.parquet"
    parquet.write_table(parquet.read_table(first).slice(1), first)
    found = audit(public)
    assert not found.ok
    assert "its bytes differ" in str(found)
    (public / "data" / "more.txt").write_text("x")
    assert "more.txt is no file of the release" in str(audit(public))


def test_papers_of_a_package_in_parts_are_looked_at_as_those_of_any_other(copied):
    public, log = copied / "package", copied / "internal" / "log.json"
    (public / "notes.txt").write_text("Jane Doe, North, 2604")
    (public / "raw.csv").write_text("name,income\nJane Doe,2604\n")
    (public / "about.json").write_bytes(log.read_bytes())
    statement = read_certificate(public).statement
    (public / "certificate.json").unlink()
    names = [name for name in files_in(public) if name != "certificate.json"]
    write_certificate(public, Statement.of_files(public, names, dict(statement.predicate)))
    found = str(audit(public, words=["A survey"]))
    for told in (
        "BROKEN: notes.txt was not written by the run.",
        "BROKEN: certificate.json does not say what the run wrote into it.",
        "BROKEN: raw.csv is a file of data that does not lie in data.",
        "BROKEN: about.json holds a private log, which stays inside.",
        "BROKEN: codebook.txt holds 1 word of the source that must not be in it.",
    ):
        assert told in found
    alone, given = copied / "log.json", copied / "given"  # what the run kept beside it is not there
    log.rename(alone)
    public.rename(given)
    assert "note: notes.txt is no file that an audit knows; look at it." in str(audit(given, log=alone))


def test_an_audit_without_the_log_is_no_permission(copied, tmp_path):
    elsewhere = tmp_path / "given"
    (copied / "package").rename(elsewhere)
    found = audit(elsewhere)
    assert not found.ok
    assert found.undecided


def test_csv_files_are_named_as_they_are_and_lie_beside_the_runs_meanwhile(place, monkeypatch):
    for path in (place / "data").glob("*.parquet"):
        write_csv(parquet.read_table(path), path.with_suffix(".csv"))
        path.unlink()
    (place / "project.yaml").write_text(PROJECT.replace("part*.parquet", "part*.csv"))
    beside = []
    monkeypatch.setattr(running_files, "make_folders", lambda new: (beside.append(place_of_csv(place)), make(new)))
    made = ran(place)
    assert all(beside)
    inside = made.package.internal
    sources = {path.name: sha256_of(path) for path in (place / "data").iterdir()}
    assert json.loads((inside / "manifest.json").read_text())["files"] == sources
    page = (inside / "sign_off.html").read_text()
    assert "part0.csv, part1.csv, part2.csv: 180 records" in page
    assert "records.parquet" not in page


def test_a_csv_file_that_changes_during_the_run_ends_it(place, monkeypatch):
    table = parquet.read_table(place / "data" / "part0.parquet")
    write_csv(table, place / "data" / "one.csv")
    (place / "project.yaml").write_text(PROJECT.replace("part*.parquet", "one.csv"))
    monkeypatch.setattr(
        running_files,
        "make_folders",
        lambda new: (write_csv(table.slice(1), place / "data" / "one.csv"), make(new)),
    )
    with pytest.raises(FileProblem, match="changed during the run"):
        ran(place)


def place_of_csv(place: Path) -> list[Path]:
    """Where the records of CSV files lie while a run looks at them."""
    return list((place / "runs").rglob("records.parquet"))


def test_how_a_csv_file_is_read_is_said_by_the_project(place):
    (place / "data" / "one.csv").write_text(
        "region;income\n" + "".join(f"{'ns'[i % 2]};1.{i % 9}00\n" for i in range(90))
    )
    columns = "columns: {region: {role: key}, income: {role: confidential}}\n"
    rest = PROJECT[PROJECT.index("plan:") :].replace("[region, sex]", "[region]")
    told = 'dataset: {path: data/one.csv, delimiter: ";", decimal: ".", encoding: utf-8}\n'
    (place / "project.yaml").write_text(f"version: 2\n{told}{columns}{rest}")
    made = ran(place)
    variables = {one.name: one for one in mv.package.variables_of_files(made.release, made.release.in_blocks())}
    assert 0 < variables["income"].figures["mean"] < 5
    (place / "project.yaml").write_text(
        f"version: 2\n{told.replace(', encoding', ', sheet: x, encoding')}{columns}{rest}"
    )
    with pytest.raises(BadInput, match="the project states sheet, which files in blocks do not have"):
        ran(place)


@pytest.mark.long
def test_whoever_signs_is_told_of_earlier_releases_and_of_what_was_decided(place):
    project = PROJECT.replace("review:", "as_they_are: [region], review:")
    (place / "project.yaml").write_text(project)
    first = ran(place)
    page = (first.package.internal / "sign_off.html").read_text()
    assert "The project states that region may leave as in the file." in page
    assert "a new disclosure" not in page
    mv.package.add_release(place / "register.jsonl", first.package.folder)
    again = run_project_in_blocks(place / "project.yaml", ENGINE, seed=KEY[::-1], measures="quick")
    page = (again.package.internal / "sign_off.html").read_text()
    assert "a second version of the same file is a new disclosure" in page
    assert "release 1 (A survey)" in page
    assert "were not combined" in (again.package.internal / "audit.txt").read_text()


@pytest.mark.long
def test_a_project_that_inspect_proposed_runs_in_blocks_as_the_page_says(tmp_path):
    write_csv(mv.datasets.make_survey(300, seed=1), tmp_path / "survey.csv")
    data = mv.read(tmp_path / "survey.csv")
    sha256 = sha256_of(tmp_path / "survey.csv")
    text = mv.plan.Project.propose("survey.csv", sha256, data, mv.inspect(data)).to_text()
    for old, new in {
        "      micro-hybrid:": "      micro-hybrid:\n        partition: {blocked: {base: {mdav: {k: 10}}}}",
        "    missing: mask": "    missing: drop",
        "integers: round": "integers: keep exact",
    }.items():
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "project.yaml").write_text(text, encoding="utf-8")
    made = run_project_in_blocks(tmp_path / "project.yaml", BlockEngine(2))
    assert audit(made.package.public).ok
