"""Labels that somebody states: in place of those of the file, in codebooks and files, and again in a replay."""

from __future__ import annotations

from pathlib import Path

import pytest

import microveil as mv
from microveil.core.errors import BadInput, UnknownColumn
from microveil.plan import Project

DATA = "job,income\n" + "".join(f"{1 + i % 2},{100 * i}\n" for i in range(20))
STATED = {"titles": {"income": "Income in euros"}, "labels": {"job": {1: "employed", 2: "other"}}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text(DATA, encoding="utf-8")
    return path


def test_labels_are_kept_to_the_written_file(file: Path):
    data = mv.read(file, kinds={"job": "nominal"}, roles={"job": "key", "income": "confidential"}, **STATED)
    assert data.codebook.titles["income"] == "Income in euros"
    release = mv.mask.RankSwap(p=20).apply(data, columns=["income"])
    mv.write(release, file.with_name("out.sav"), titles=True)
    again = mv.read(file.with_name("out.sav"))
    assert dict(again.codebook.labels["job"]) == {1: "employed", 2: "other"}
    assert again.codebook.titles["income"] == "Income in euros"


def test_stated_labels_replace_those_of_the_file_one_by_one(file: Path):
    data = mv.read(file, kinds={"job": "nominal"}, **STATED)
    mv.write(mv.mask.RankSwap(p=20).apply(data, columns=["income"]), file.with_name("one.sav"), shuffle=True)
    again = mv.read(file.with_name("one.sav"), labels={"job": {2: "self-employed"}})
    assert dict(again.codebook.labels["job"]) == {1: "employed", 2: "self-employed"}


def test_a_replay_has_them_again(file: Path):
    data = mv.read(file, kinds={"job": "nominal"}, **STATED)
    release = mv.mask.RankSwap(p=20).apply(data, columns=["income"])
    mv.plan.save_log(release, file.with_name("log.json"))
    log = mv.plan.load_log(file.with_name("log.json"))
    again = mv.plan.replay(log, mv.plan.read_logged(log, file))
    assert dict(again.original.codebook.labels["job"]) == {1: "employed", 2: "other"}
    assert again.original.codebook.titles == {"income": "Income in euros"}


def test_a_project_states_them(file: Path):
    text = (
        "version: 1\ndataset: {path: data.csv}\ncolumns:\n"
        "  job: {role: key, kind: nominal, label: Work, labels: {1: employed}}\n  income: {role: confidential}\n"
    )
    project = Project.from_text(text)
    book = project.read(file.parent).codebook
    assert (dict(book.titles), dict(book.labels["job"])) == ({"job": "Work"}, {1: "employed"})
    assert Project.from_text(project.to_text()).columns == project.columns


@pytest.mark.parametrize(
    ("stated", "kind", "said"),
    [
        ({"titles": {"wage": "Wage"}}, UnknownColumn, "wage"),
        ({"labels": {"wage": {1: "x"}}}, UnknownColumn, "wage"),
        ({"titles": {"job": " "}}, BadInput, "the label of column 'job' is ' '; give a text"),
        ({"titles": {"job": "a\x1b[31mb"}}, BadInput, "in one line of signs that are shown"),
        ({"labels": {"job": {1: 2}}}, BadInput, "give a text for each value"),
        ({"labels": {"job": "x"}}, BadInput, "give a text for each value"),
    ],
)
def test_what_is_no_label_is_refused(file: Path, stated: dict[str, object], kind: type[Exception], said: str):
    with pytest.raises(kind, match=said):
        mv.read(file, **stated)


def test_a_wrong_label_of_a_project_is_told_with_its_line():
    with pytest.raises(BadInput, match=r"the labels of column 'job' are \['x'\].*line 3 of the project"):
        Project.from_text("dataset: {path: a.csv}\ncolumns:\n  job: {labels: [x]}\n")
