"""The project file."""

from __future__ import annotations

import pytest

import microveil as mv
from microveil.core import BadInput, UnknownName
from microveil.data.schema import KINDS, ROLES
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
    with pytest.raises(BadInput, match=r"data\.csv is not the file the project was made for"):
        project.read(tmp_path)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("dataset: {path: a.csv}\ncolums: {}", UnknownName, r"no field 'colums'; did you mean 'columns'\? \(line 2 of"),
        ("dataset: {path: /a.csv}", BadInput, "give a path relative to the project file"),
        ("dataset: {file: a.csv}", UnknownName, "the dataset has no field 'file'"),
        ("columns: {}", BadInput, "the dataset is a mapping"),
        ("dataset: {path: a.csv}\ncolumns: {x: {rol: key}}", UnknownName, r"the column 'x' has no field 'rol'"),
        (
            "dataset: {path: a.csv}\n\ncolumns:\n  x:\n    role: kee",
            BadInput,
            r"the role of column 'x' is 'kee', not one of .*did you mean 'key'\? \(line 5 of the project\)",
        ),
        (
            "dataset: {path: a.csv}\nscenarios:\n- name: a\n  keys: [x]\n- name: b\n  key: [x]",
            UnknownName,
            r"a scenario has no 'key'; did you mean 'keys'\? \(line 6 of the project\)",
        ),
        (
            "dataset: {path: a.csv}\nscenarios: {name: a}",
            BadInput,
            r"scenarios is a list; .* \(line 2 of the project\)",
        ),
        (
            "dataset: {path: a.csv}\nintegers: false",
            BadInput,
            r"integers is False, not one of .* \(line 2 of the project\)",
        ),
        (
            "dataset: {path: a.csv}\nplan:\n  steps:\n  - method: rank-swap\n  - method: rond",
            UnknownName,
            r"no method called 'rond'; did you mean 'round'\? \(line 5 of the project\)",
        ),
        (
            "dataset: {path: a.csv}\nplan: {stepps: []}",
            UnknownName,
            r"did you mean 'steps'\? \(line 2 of the project\)",
        ),
        ("dataset: {path: a.csv}\nversion: 7", BadInput, "version 7; this release reads version 2: write"),
        ("dataset: [", BadInput, "not valid YAML"),
    ],
)
def test_wrong_project_files_are_named(text, error, message):
    with pytest.raises(error, match=message):
        Project.from_text(text)


def test_a_plan_inside_is_read():
    text = "dataset: {path: a.csv}\nplan: {steps: [{method: {round: {base: 5}}}]}"
    assert Project.from_text(text).plan == mv.Plan([mv.mask.Round(base=5)])


def test_scenarios_are_read_and_written():
    text = "dataset: {path: a.csv}\nscenarios: [{name: neighbour, keys: [age], thresholds: {risk: 0.1}}]"
    project = Project.from_text(text)
    assert project.scenarios == (mv.risk.Scenario("neighbour", ("age",), thresholds={"risk": 0.1}),)
    assert Project.from_text(project.to_text()) == project


def test_the_text_explains_itself(project):
    text = project.to_text()
    assert "age: {role: key, kind: ordinal, missing: [99]}  # its name says something others may know; its" in text
    for allowed in (*ROLES, *KINDS):
        assert any(allowed in line for line in text.splitlines() if line.startswith("#")), allowed


def test_comments_stand_where_nothing_was_proposed():
    text = Project("a.csv").to_text()
    assert "# scenarios:" in text
    assert "# plan:" in text
    assert Project.from_text(text) == Project("a.csv")


def test_names_that_yaml_must_quote_come_back() -> None:
    names = [
        "plain",
        "yes",
        "1.5",
        "a: b",
        "# no",
        "ends in null",
        "null",
        "two\nlines",
        "x" * 140,
        "ends null\n",
        " null\n",
    ]
    columns = {name: {"role": "other", "kind": "nominal"} for name in names}
    project = Project("in.csv", columns=columns)
    assert Project.from_text(project.to_text()).columns == columns


def test_numbers_that_yaml_reads_as_others_are_refused_and_written_in_quotes() -> None:
    told = r"the project says 012 \(line 4, in plan, steps, entry 1, method, mdav, k\); write 12, or '012'"
    with pytest.raises(BadInput, match=told):
        Project.from_text("dataset: {path: a.csv}\nplan:\n  steps:\n  - method: {mdav: {k: 012}}\n")
    codes = {"region": {"role": "key", "labels": {"08": "South", "012": "North"}, "missing": ["09"]}}
    again = Project.from_text(Project("a.csv", "", codes).to_text())
    assert again.columns == codes
