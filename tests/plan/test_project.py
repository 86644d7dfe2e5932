"""The project file."""

from __future__ import annotations

import pytest

import microveil as mv
from microveil.core import BadInput, BrokenPromise, UnknownName
from microveil.plan import Project, inspect


@pytest.fixture
def project(tmp_path):
    (tmp_path / "data.csv").write_text("age,income\n" + "\n".join(f"{20 + i},{i * i}.5" for i in range(30)) + "\n")
    data = mv.read(tmp_path / "data.csv", missing={"age": [99]})
    return Project.propose("data.csv", mv.io.sha256_of(tmp_path / "data.csv"), data, inspect(data))


def test_round_trip(project, tmp_path):
    project.save(tmp_path / "project.yaml")
    again = Project.load(tmp_path / "project.yaml")
    assert again == project
    data = again.read(tmp_path)
    assert data.roles == {"age": "key", "income": "confidential"}
    assert data.schema["age"].missing == (99,)


def test_a_changed_file_is_refused(project, tmp_path):
    (tmp_path / "data.csv").write_text("age,income\n1,2\n")
    with pytest.raises(BrokenPromise, match=r"data\.csv is not the file the project was made for"):
        project.read(tmp_path)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("dataset: {path: a.csv}\ncolums: {}", UnknownName, r"no field 'colums'; .*did you mean 'columns'\?"),
        ("dataset: {path: /a.csv}", BadInput, "give a path relative to the project file"),
        ("dataset: {file: a.csv}", UnknownName, "the dataset has no field 'file'"),
        ("columns: {}", BadInput, "the dataset is a mapping"),
        ("dataset: {path: a.csv}\ncolumns: {x: {rol: key}}", UnknownName, r"the column 'x' has no field 'rol'"),
        ("dataset: {path: a.csv}\nversion: 7", BadInput, "version 7; this release reads version 1"),
        ("dataset: [", BadInput, "not valid YAML"),
    ],
)
def test_wrong_project_files_are_named(text, error, message):
    with pytest.raises(error, match=message):
        Project.from_text(text)


def test_a_plan_inside_is_read():
    text = "dataset: {path: a.csv}\nplan: {steps: [{method: {round: {base: 5}}}]}"
    assert Project.from_text(text).plan == mv.Plan([mv.mask.Round(base=5)])


def test_scenarios_are_kept_and_checked():
    text = "dataset: {path: a.csv}\nscenarios:\n- {name: neighbour, keys: [sex], thresholds: {risk: 0.1, share: 2}}\n"
    project = Project.from_text(text)
    assert project.scenarios == (mv.risk.Scenario("neighbour", ["sex"], thresholds={"risk": 0.1, "share": 2}),)
    assert Project.from_text(project.to_text()).scenarios == project.scenarios
    with pytest.raises(BadInput, match="scenarios is a list of mappings"):
        Project.from_text("dataset: {path: a.csv}\nscenarios: neighbour\n")
