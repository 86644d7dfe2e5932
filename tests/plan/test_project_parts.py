"""Odd project files: each wrong part is one error, with its line and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

import microveil as mv
from microveil.core import BadInput, MicroveilError
from microveil.core.errors import UnknownColumn
from microveil.plan import Project

SOUND = """\
version: 2
dataset: {path: a.csv}
columns:
  age: {role: key}
  pay: {role: confidential}
scenarios:
- {name: near, keys: [age]}
plan:
  steps:
  - {method: rank-swap, columns: [pay]}
"""
AGE, SCENARIO, STEP = "age: {role: key}", "{name: near, keys: [age]}", "{method: rank-swap, columns: [pay]}"


def test_the_sound_project_is_read() -> None:
    assert Project.from_text(SOUND).columns["age"] == {"role": "key"}


@pytest.mark.parametrize(
    ("part", "odd", "message"),
    [
        ("version: 2", "version: true", r"version True; this release reads version 2: .* \(line 1 of"),
        ("version: 2", "version: 3\nnew_field: 5", r"version 3; .* install the microveil that wrote it \(line 1"),
        ("version: 2", "version: 0", r"version 0; this release reads version 2: .* \(line 1 of"),
        ("version: 2", "version: [1]", r"version \[1\]; .* \(line 1 of"),
        ("{path: a.csv}", "a.csv", r"the dataset is a mapping with .*; this is a text \(line 2 of"),
        ("{path: a.csv}", "{path: ''}", r"path is ''; give a path relative .* \(line 2 of"),
        ("{path: a.csv}", "{path: 'C:\\a.csv'}", r"give a path relative to the project file \(line 2 of"),
        ("{path: a.csv}", "{path: a.csv, sha256: 5}", r"sha256 is 5; give the hash in quotes, .* \(line 2 of"),
        ("{path: a.csv}", "{path: a.csv, sha256: 1234}", r"sha256 is 1234; give the hash in quotes, .* \(line 2 of"),
        ("{path: a.csv}", "{path: a.csv, encoding: utf9}", r"encoding is 'utf9'; write the name of .* \(line 2 of"),
        ("{path: a.csv}", "{path: a.csv, encoding: 5}", r"encoding is 5; write the name .* \(line 2 of"),
        ("{path: a.csv}", "{path: a.csv, decimal: 1.5}", r'decimal is 1.5; write "," or ".", in quotes \(line 2 of'),
        ("{path: a.csv}", "{path: a.csv, delimiter: ab}", r"delimiter is 'ab'; write one plain .* \(line 2 of"),
        ("columns:\n", "integers: rund\ncolumns:\n", r"integers is 'rund', .* did you mean 'round'\? \(line 3 of"),
        (AGE, "age: null", r"the column 'age' is a mapping with .*; this is nothing \(line 4 of"),
        (AGE, "2020: {role: key}", r"a column is called 2020, which is not a text; put its name in quotes \(line 4 of"),
        (AGE, "age: {missing: 99}", r"missing\['age'\] is 99; give a list of codes, such as \[99, -1\] \(line 4 of"),
        (AGE, "age: {missing: null}", r"missing\['age'\] is None; give a list .* \(line 4 of"),
        (AGE, "age: {missing: [[1]]}", r"missing\['age'\] is \[\[1\]\]; give a list .* \(line 4 of"),
        (AGE, "age: {levels: abc}", r"levels\['age'\] is 'abc'; give a list of values in order, .* \(line 4 of"),
        (AGE, "age: {levels: []}", r"levels\['age'\] is \[\]; give a list .* \(line 4 of"),
        (AGE, "age: {levels: [a, b, a]}", r"levels\['age'\] names 'a' twice; .* \(line 4 of"),
        (AGE, "age: {hierarchy: [1]}", r"hierarchy of column 'age' is \[1\]; map each value .* \(line 4 of"),
        (AGE, "age: {hierarchy: {1: old}}", r"maps 1 to 'old'; give a list of coarser values, .* \(line 4 of"),
        (AGE, "age: {role: weight}\n  w: {role: weight}", r"2 columns have the role 'weight' .* \(line 5 of"),
        (AGE, "age: {role: key}\n  age: {role: other}", r"the project says 'age' twice, the second time at line 5"),
        (AGE, "age: {levels: &a [*a]}", r"levels\['age'\] is .*; give a list .* \(line 4 of"),
        (SCENARIO, "{name: near, keys: 5}", r"keys of scenario 'near' is 5; give a list of columns \(line 7 of"),
        (SCENARIO, "{name: near, keys: [[age]]}", r"keys of scenario 'near' is \[\['age'\]\]; .* \(line 7 of"),
        (SCENARIO, "{name: near, keys: [age], known: 5}", r"known of scenario 'near' is 5; .* \(line 7 of"),
        (SCENARIO, "{name: near, keys: [age], thresholds: 5}", r"thresholds of scenario 'near' is 5; .* \(line 7 of"),
        (SCENARIO, "{name: near, keys: [age], thresholds: {risk: low}}", r"between 0 and 1; 'low' was .* \(line 7 of"),
        (SCENARIO, "{name: near, keys: [age], thresholds: {risk: true}}", r"between 0 and 1; True was .* \(line 7 of"),
        (SCENARIO, f"{SCENARIO}\n- {SCENARIO}", r"several scenarios are called 'near'; .* \(line 8 of"),
        (STEP, "{method: {rank-swap: {p: big}}}", r"^p: 'big' is not a number \(line 10 of"),
        (STEP, "{method: rank-swap, missing: [drop]}", r"^missing: \['drop'\] is not one of .* \(line 10 of"),
        (STEP, "{method: rank-swap, columns: [[pay]]}", r"\[\['pay'\]\] is not a column name or .* \(line 10 of"),
        (STEP, "{method: rank-swap, columns: []}", r"columns is empty; name at least one column \(line 10 of"),
        (STEP, "{method: rank-swap, columns: [pay, pay]}", r"names a column twice: .* \(line 10 of"),
        (STEP, "{method: {rank-swap: {p: 5, p: 7}}}", r"the project says 'p' twice, the second time at line 10"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(part: str, odd: str, message: str) -> None:
    assert part in SOUND
    with pytest.raises(MicroveilError, match=message):
        Project.from_text(SOUND.replace(part, odd))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the project is empty; `microveil inspect FILE` writes one"),
        ("- a\n", "a project is a mapping with .*; this is a list"),
        ("version: 1\n\tdataset: x\n", r"not valid YAML at line 2; check indentation \(blanks, no tabs\)"),
        ("version: 1\nintegers: \x07\n", "not valid YAML at line 2: it holds a character that no text has"),
        ("version: " + "[" * 2000 + "]" * 2000, "nested more than 50 levels deep"),
    ],
)
def test_what_is_no_project_at_all(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Project.from_text(text)


@pytest.mark.parametrize(
    ("part", "odd", "message"),
    [
        (AGE, "aeg: {role: key}", r"no column 'aeg'; did you mean 'age'\? \(line 4 of"),
        (SCENARIO, "{name: near, keys: [aeg]}", r"scenario 'near': .*'aeg'; did you mean 'age'\? \(line 7 of"),
        (
            STEP,
            "{method: rank-swap, columns: [pya]}",
            r"step 1 of the plan: .*'pya'; did you mean 'pay'\? \(line 10 of",
        ),
    ],
)
def test_a_column_that_the_file_lacks_is_told_with_its_line(part: str, odd: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,pay\n1,2\n3,4\n")
    with pytest.raises(UnknownColumn, match=message):
        Project.from_text(SOUND.replace(part, odd)).read(tmp_path)


MULTILINE = """version: 2
dataset: {path: a.csv}
scenarios:
- name: near
  keys: [age]
  known:
  - pay
  thresholds:
    share: 0
    risk: 0.2
plan:
  steps:
  - method: rank-swap
    columns: [pay]
    by: [age]
"""


@pytest.mark.parametrize(
    ("part", "odd", "line"),
    [
        ("[age]\n  known", "[aeg]\n  known", 5),
        ("- pay", "- pya", 6),
        ("keys: [age]", "keys: age", 5),
        ("risk: 0.2", "risk: 2", 10),
        ("risk: 0.2", "rsik: 0.2", 10),
        ("known:", "knwon:", 6),
        ("columns: [pay]", "columns: [pya]", 14),
        ("by: [age]", "by: [aeg]", 15),
    ],
)
def test_a_field_on_a_line_of_its_own_is_told_with_that_line(part: str, odd: str, line: int, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,pay\n1,2\n3,4\n")
    with pytest.raises(MicroveilError, match=rf"\(line {line} of the project\)"):
        Project.from_text(MULTILINE.replace(part, odd)).read(tmp_path)


def test_the_order_and_the_hierarchy_of_a_column_are_checked_in_python_too() -> None:
    table = {"a": ["x", "y"]}
    import pyarrow as pa

    with pytest.raises(BadInput, match=r"levels\['a'\] is 'xy'; give a list"):
        mv.Microdata(pa.table(table), levels={"a": "xy"})
    with pytest.raises(BadInput, match="maps 'x' to 'all'; give a list"):
        mv.Microdata(pa.table(table), hierarchies={"a": {"x": "all"}})
