"""The first plan for a file runs on it as it stands, and holds against somebody who knows keys and amounts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.plan import Project, evaluate, inspect, verdict_of
from tests.marks import ANY_FILE
from tests.reference import shared_file

draw = np.random.default_rng(8)


def with_gaps(frame: pd.DataFrame) -> pd.DataFrame:
    holes = np.random.default_rng(4).random(frame.shape) < 0.03
    return frame.mask(pd.DataFrame(holes, frame.index, frame.columns))


def workers(n: int = 200) -> pd.DataFrame:
    draw = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "occupation": [f"job {code}" for code in draw.integers(0, 200, n)],
            "region": [f"r{code}" for code in draw.integers(0, 60, n)],
            "age": draw.integers(18, 90, n),
            "sex": draw.choice(["f", "m"], n),
            "income": draw.gamma(2.0, 900.0, n).round(2),
            "wealth": draw.gamma(2.0, 9000.0, n).round(2),
            "hours worked": draw.integers(10, 60, n),
            "health": draw.choice(["good", "fair", "bad"], n, p=[0.5, 0.3, 0.2]),
        }
    )


TOGETHER = {
    "small survey": lambda: mv.datasets.make_survey(60, seed=1).to_pandas(),
    "survey": lambda: mv.datasets.make_survey(200, seed=1).to_pandas(),
    "small enterprises": lambda: mv.datasets.make_enterprises(60, seed=1).to_pandas(),
    "enterprises": lambda: mv.datasets.make_enterprises(200, seed=1).to_pandas(),
    "many categories": workers,
    "gaps everywhere": lambda: with_gaps(workers()),
    "gaps of enterprises": lambda: with_gaps(mv.datasets.make_enterprises(120, seed=2).to_pandas()),
    "gaps in nearly every record": lambda: workers(120).assign(
        income=lambda frame: frame["income"].where(np.arange(120) % 2 == 0),
        wealth=lambda frame: frame["wealth"].where(np.arange(120) % 20 > 0),
    ),
    "counts only": lambda: pd.DataFrame(
        {"sex": ["f", "m"] * 40, "region": list("abcd") * 20, "hours worked": draw.integers(10, 60, 80)}
    ),
    "sexes in tens": lambda: pd.DataFrame({"sex": ["f", "m"] * 40, "income": draw.gamma(2.0, 900.0, 80).round(2)}),
    "few gaps in counts": lambda: pd.DataFrame(
        {"sex": ["f", "m"] * 40, "children": [0.0, 1.0, 2.0, np.nan, 0.0] * 16, "rate": np.r_[np.arange(79) % 7, 1.05]}
    ),
    "a second weight": lambda: workers().assign(
        weight=1.0 + np.arange(200) / 100, household_weight=np.random.default_rng(6).gamma(3.0, size=200).round(3)
    ),
    "amounts only": lambda: workers()[["income", "wealth"]],
}


def proposed(frame: object, **stated: object) -> tuple[mv.Microdata, Project]:
    data = mv.Microdata(frame, **stated)
    project = Project.propose("a.csv", "", data, inspect(data))
    again = Project.from_text(project.to_text())
    assert again == project
    facts = again.facts
    return mv.Microdata(frame, roles=facts["roles"], kinds=facts["kinds"], edits=facts["edits"]), project


def methods(project: Project) -> list[str]:
    assert project.plan is not None
    return [step.method.name for step in project.plan.steps]


MARKS = {
    **dict.fromkeys(("survey", "enterprises", "many categories", "gaps of enterprises"), pytest.mark.full),
    **dict.fromkeys(("a second weight", "gaps everywhere", "gaps in nearly every record"), pytest.mark.long),
}


@pytest.mark.parametrize("name", [pytest.param(name, marks=MARKS.get(name, ())) for name in TOGETHER])
def test_who_knows_keys_and_amounts_links_few_records(name: str) -> None:
    data, project = proposed(TOGETHER[name]())
    assert project.plan is not None
    assert methods(project)[0] == "micro-hybrid"
    assert set(methods(project)[1:]) <= {"repair"}
    release = project.plan.run(data, seed=1)  # a column that came back whole would warn, and that is an error here
    assert not release.lost
    assert len(release) >= 0.9 * data.n
    worst = evaluate(data, release, scenarios=project.scenarios).worst
    assert worst.value <= 20
    assert verdict_of(release, project.scenarios).ok


def test_an_original_is_linked_where_the_proposed_release_is_not() -> None:
    frame = workers(100)
    data, project = proposed(frame)
    as_it_is = mv.risk.ScenarioRisk(scenarios=project.scenarios)(data, frame)
    assert as_it_is.value == 100


def test_secrets_do_not_stand_beside_true_keys() -> None:
    data, project = proposed(workers())
    assert project.plan is not None
    release = project.plan.run(data, seed=1)
    learnt = mv.risk.AttributeDisclosure(targets=("health",)).on(mv.measure.Pair.of(data, release))
    before = mv.risk.AttributeDisclosure(targets=("health",)).on(mv.measure.Pair.of(data))
    assert before.value > 95
    assert getattr(learnt, "value", 0.0) < 20


def test_keys_alone_lose_single_cells_only() -> None:
    weights = {"weight": np.arange(1.0, 81.0), "household_weight": np.arange(1.0, 41.0).repeat(2) / 8}
    _, project = proposed(
        pd.DataFrame({"sex": ["f", "m"] * 40, "region": ["a"] * 40 + ["b"] * 38 + ["c"] * 2, **weights})
    )
    assert methods(project) == ["local-suppression"]
    assert [scenario.name for scenario in project.scenarios] == ["all keys"]


@ANY_FILE
def test_keys_with_gaps_alone_are_made_alike() -> None:
    frame = pd.DataFrame({"age": np.r_[np.random.default_rng(3).integers(18, 80, 119), np.nan], "sex": ["f", "m"] * 60})
    data, project = proposed(frame)
    assert project.plan is not None
    release = project.plan.run(data, seed=1)
    assert mv.risk.KAnonymity(keys=project.scenarios[0].keys)(data, release).value >= 5


def test_counts_alone_are_exchanged() -> None:
    _, project = proposed(workers()[["hours worked"]])
    assert methods(project) == ["rank-swap"]


def test_few_records_form_one_group_and_chance_is_allowed_for() -> None:
    income = np.random.default_rng(2).gamma(2.0, 900.0, 8).round(2)
    data, project = proposed(pd.DataFrame({"age": [20, 30, 40, 50] * 2, "income": income}))
    assert project.plan is not None
    release = project.plan.run(data, seed=1)
    assert release.guarantee.k == 8
    assert project.scenarios[0].limit("share") == 75  # 6 of 8: more are linked in one of 40,000 draws
    assert verdict_of(release, project.scenarios).ok


def test_one_record_is_nothing_to_redraw() -> None:
    _, project = proposed(pd.DataFrame({"age": [20], "income": [5.5]}))
    assert project.plan is None


@pytest.mark.long
def test_a_stated_kind_is_kept_and_no_promise_is_given_up() -> None:
    frame = workers().assign(children=np.random.default_rng(1).integers(0, 4, 200))
    roles = {"children": "confidential"}
    data, project = proposed(frame, kinds={"children": "continuous"}, roles=roles)
    assert data.kinds["children"] == "continuous"
    assert project.plan is not None
    release = project.plan.run(data, seed=1)
    assert not release.lost
    assert verdict_of(release, project.scenarios).ok


def test_many_records_are_grouped_without_the_keys_of_most_categories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("microveil.partition.mdav.MANY", 300)
    data, project = proposed(workers(700))
    assert project.plan is not None
    alike = project.plan.steps[0].method.to_spec()["micro-hybrid"]["cluster_on"]
    assert "occupation" not in alike
    assert "region" in alike
    assert project.plan.run(data, seed=1).unchanged["occupation"] < 0.5


@pytest.mark.parametrize("name", ["small survey", "small enterprises", "gaps everywhere"])
def test_the_plan_with_true_keys_can_be_taken_instead(name: str) -> None:
    data, project = proposed(TOGETHER[name]())
    text = project.to_text()
    instead = "".join(line.removeprefix("#| ") for line in text.splitlines(keepends=True) if line.startswith("#| "))
    other = Project.from_text(text[: text.index("\nscenarios:\n") + 1] + instead)
    assert other.plan is not None
    release = other.plan.run(data, seed=1)
    assert not release.lost
    assert verdict_of(release, other.scenarios).ok
    # the limit asks for something: the file as it is does not keep it
    assert mv.risk.ScenarioRisk(scenarios=other.scenarios)(data, data.frame).value > 0
    assert mv.risk.KAnonymity(keys=other.scenarios[0].keys)(data, release).value >= 5


def test_the_project_says_why_and_what_is_lost() -> None:
    _, project = proposed(mv.datasets.make_survey(300, seed=1).to_pandas())
    text = " ".join(project.to_text().replace("\n#", " ").split())
    for words in (
        "Keys and amounts are redrawn together, in groups of 10 records",
        "share is the per cent of records that may be linked",
        "1 in 10 through on average; 20 is twice as much",
        "stratum, weight change places in the same groups",
        "tables of amounts by key are no longer exact",
        "If keys must stay true",
        "finds most records again",
    ):
        assert words in text


@pytest.mark.parametrize(
    "name",
    [
        "francdat",
        *(
            pytest.param(name, marks=pytest.mark.full)
            for name in ("testdata", "census", "thyroid", "eia", "free1", "tarragona")
        ),
    ],
)
def test_it_runs_on_reference_files(name: str) -> None:
    data, project = proposed(mv.read(shared_file("data", f"{name}.csv"), backend="pandas").frame)
    assert project.plan is not None
    release = project.plan.run(data, seed=1)
    assert not release.lost
    assert verdict_of(release, project.scenarios).ok
