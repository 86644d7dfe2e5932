"""One section of a project's text replaced: all else stays as it was, comments too."""

from __future__ import annotations

import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.plan import Project, with_section
from microveil.plan.project_sections import comments_above, reasons_in, support_in

TEXT = """\
# head
version: 1
dataset: {path: a.csv}  # the file
columns:
  "a: b": {role: key, kind: nominal}  # its name # says so
  income:
    role: confidential
    hierarchy: {1: [x]}
constraints:
- income >= 0  # never below
- total == a + b

# what follows
integers: round
"""


def test_reasons_stand_behind_columns_and_rules():
    assert reasons_in(TEXT) == {"a: b": "its name # says so", "income": ""}
    assert support_in(TEXT) == {"income >= 0": "never below", "total == a + b": ""}


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("columns", {"a: b": {"role": "other"}, "income": {"role": "key"}}, ["# its name # says so"]),
        ("columns", {}, ["columns: {}\n"]),
        ("constraints", ["income >= 0", "a <= b"], ["- income >= 0  # never below\n- a <= b\n"]),
        ("constraints", [], []),
        ("scenarios", [{"name": "n", "keys": ["income"]}], []),
        ("release", {"title": "T"}, []),
        ("search", {"budget": "5 min"}, []),
        ("dataset", {"path": "b.csv"}, []),
    ],
)
def test_one_section_is_replaced_and_the_rest_stays(name: str, value: object, kept: list[str]):
    changed = with_section(TEXT, name, value)
    assert changed.startswith("# head\nversion: 1\n")
    assert "# what follows\nintegers: round\n" in changed
    assert all(part in changed for part in kept)
    assert with_section(changed, name, value) == changed
    found = Project.from_text(changed)
    said = {"columns": found.columns, "constraints": list(found.constraints), "search": found.search}
    assert said.get(name, value) == value


def test_an_example_gives_its_place():
    text = Project("a.csv").to_text()
    assert "# constraints:\n# - income >= 0\n" in text
    changed = with_section(text, "constraints", ["income >= 0"])
    assert "\n# constraints:" not in changed
    assert changed.index("constraints:\n- income >= 0") < changed.index("# Who might attack")


def test_what_a_proposal_says_of_its_plan_is_found():
    data = mv.Microdata(mv.datasets.make_survey(200, seed=1), **mv.datasets.survey_schema())
    text = Project.propose("a.csv", "", data, mv.inspect(data)).to_text()
    said = comments_above(text, "plan")
    assert said[0].startswith("Keys and amounts are redrawn together, in groups of")
    assert not any("#" in one or "microveil methods" in one for one in said if "#|" not in one)
    assert comments_above(TEXT, "plan") == comments_above(TEXT, "dataset") == []
    assert comments_above(TEXT, "integers") == ["what follows"]


def test_what_cannot_be_read_is_not_made():
    with pytest.raises(BadInput, match="cannot be read; write for instance"):
        with_section(TEXT, "constraints", ["income >= "])
    anchored = "dataset: &d {path: a.csv}\nrelease: {title: T}\n"
    assert Project.from_text(with_section(anchored, "release", {"title": "U"})).release.title == "U"
