"""Another plan in the text of a project: everything else stays, in whatever way the plan is written."""

from __future__ import annotations

import pytest

import microveil as mv
from microveil.core.errors import UnknownName
from microveil.plan import Project, with_plan

HEAD = "version: 1\ndataset: {path: a.csv}  # here\n"
BLOCK = "plan:\n  steps:\n  # first\n  - method: {round: {base: 10}}\n    columns: [x]\n"
PLAN = mv.Plan([(mv.mask.RankSwap(p=7), ["x"])])


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"{HEAD}{BLOCK}", [HEAD]),
        (f"{HEAD}{BLOCK}\n# behind\nintegers: round\n", [HEAD, "\n# behind\nintegers: round\n"]),
        (f"{BLOCK}{HEAD}", [HEAD]),
        (
            f"{HEAD}plan: {{steps: [{{method: {{round: {{base: 10}}}}}}]}}\nintegers: round\n",
            [HEAD, "integers: round\n"],
        ),
        (f"{HEAD}plan:\n# behind\nintegers: round\n", [HEAD, "# behind\nintegers: round\n"]),
        (f"{HEAD}{BLOCK.replace('plan:', 'plan:  # agreed with #7')}", [HEAD, "plan:  # agreed with #7\n"]),
        (f"{HEAD}plan: {{steps: [{{method: {{round: {{base: 10}}}}}}]}}  # mine\n", [HEAD, "plan:  # mine\n"]),
        (f"{HEAD}plan: # none yet\nintegers: round\n", [HEAD, "plan: # none yet\n", "integers: round\n"]),
        (HEAD, [HEAD]),
        (HEAD.rstrip("\n"), [HEAD.rstrip("\n")]),
        (f"{HEAD}# plan:\n#   steps: []\n", [f"{HEAD}# plan:\n#   steps: []\n"]),
    ],
)
def test_the_plan_is_replaced_and_all_else_stays(text: str, kept: list[str]):
    changed = with_plan(text, PLAN, "chosen\nfor a reason")
    assert Project.from_text(changed).plan == PLAN
    assert all(part in changed for part in kept)
    assert changed.count("  # chosen for a reason\n") == 1
    assert "# first" not in changed
    assert with_plan(changed, PLAN, "chosen\nfor a reason") == changed


def test_a_method_that_a_search_does_not_know_is_refused_with_its_line():
    text = Project("a.csv", search={"without": ["latice"]}).to_text()
    with pytest.raises(UnknownName, match=r"no method called 'latice'.*'lattice'.*line \d+ of the project"):
        Project.from_text(text)


def test_the_search_of_a_project_survives_its_file():
    search = {"at_most": {"worst-case": 5}, "without": ["lattice"], "budget": "5 min"}
    text = Project("a.csv", search=search).to_text()
    assert Project.from_text(text).search == search
    assert "# search:" in Project("a.csv").to_text()
    assert Project.from_text(Project("a.csv").to_text()).search == {}
