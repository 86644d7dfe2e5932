"""The first plan for a survey: strata and weights change places too, nested categories stay possible."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.plan import Project, inspect


def proposed(frame: pd.DataFrame, **stated: object) -> tuple[mv.Microdata, Project]:
    data = mv.Microdata(frame, **stated)
    project = Project.propose("a.csv", "", data, inspect(data))
    facts = project.facts
    return mv.Microdata(frame, roles=facts["roles"], kinds=facts["kinds"]), project


@pytest.fixture(scope="module")
def survey() -> tuple[mv.Microdata, Project, mv.Release]:
    data, project = proposed(mv.datasets.make_survey(1000, seed=3).to_pandas())
    assert project.plan is not None
    return data, project, project.plan.run(data, seed=1)


def linked(release: mv.Release, block: list[str]) -> float:
    """The share of records whose nearest one, among those that agree on `block`, is their own; ties by expectation."""
    before = release.original.frame.iloc[release.origin].reset_index(drop=True)
    after = release.frame.reset_index(drop=True)
    rest = [name for name in before if name not in block and release.original.roles[name] in ("key", "confidential")]
    distance = np.zeros((len(after), len(after)), dtype=np.float32)
    for name in rest:
        if release.original.kinds[name] == "nominal":
            distance += before[name].to_numpy(str)[:, None] != after[name].to_numpy(str)[None, :]
        else:
            ranks = pd.concat([before[name], after[name]]).rank().fillna(0).to_numpy() / len(after)
            distance += np.abs(ranks[: len(after), None] - ranks[None, len(after) :]).astype(np.float32)
    for name in block:
        distance[before[name].to_numpy()[:, None] != after[name].to_numpy()[None, :]] += 100
    nearest = distance == distance.min(axis=1, keepdims=True)
    return float((np.diag(nearest) / nearest.sum(axis=1)).mean())


@pytest.mark.parametrize("block", [[], ["stratum"], ["stratum", "weight"]])
def test_who_knows_stratum_and_weight_too_links_few_records(
    survey: tuple[mv.Microdata, Project, mv.Release], block: list[str]
) -> None:
    assert linked(survey[2], block) < 0.2


def test_the_scenario_counts_the_stratum_and_the_weight(survey: tuple[mv.Microdata, Project, mv.Release]) -> None:
    (scenario,) = survey[1].scenarios
    assert "stratum" in scenario.keys
    assert "weight" in scenario.known


def test_totals_of_weights_stay_exact_in_strata(survey: tuple[mv.Microdata, Project, mv.Release]) -> None:
    release = survey[2]
    before, after = release.original.frame.iloc[release.origin], release.frame
    pd.testing.assert_series_equal(
        after.groupby(["stratum", "region"])["weight"].sum(), before.groupby(["stratum", "region"])["weight"].sum()
    )
    assert (after["weight"].to_numpy() != before["weight"].to_numpy()).mean() > 0.5


def test_districts_stay_in_their_regions(survey: tuple[mv.Microdata, Project, mv.Release]) -> None:
    released = survey[2].frame
    assert (released.groupby("district")["region"].nunique() == 1).all()
    assert (released.groupby("stratum")["region"].nunique() == 1).all()


def test_a_weight_stated_as_an_amount_is_left_and_told() -> None:
    frame = mv.datasets.make_survey(300, seed=1).to_pandas()
    _, project = proposed(frame, kinds={"weight": "continuous"})
    text = " ".join(project.to_text().replace("\n#", " ").split())
    assert "weight stays as it is" in text
    assert "give it the role identifier to leave it out of the release" in text


def test_the_project_says_what_households_tell_and_what_stays_together(
    survey: tuple[mv.Microdata, Project, mv.Release],
) -> None:
    text = " ".join(survey[1].to_text().replace("\n#", " ").split())
    for words in (
        "household_id says who lives together, under new numbers",
        "sizes of households stay true",
        "each district has one region",
        "The sum of weight over the released records stays exact",
    ):
        assert words in text


def test_a_note_counts_the_households_whose_members_disagree(survey: tuple[mv.Microdata, Project, mv.Release]) -> None:
    release = survey[2]
    before, after = release.original.frame.iloc[release.origin], release.frame
    apart = (after.groupby("household_id")["region"].nunique() > 1).sum()
    several = (before.groupby("household_id").size() > 1).sum()
    assert apart > 0
    (note,) = [note for note in release.notes if "no longer agree" in note]
    assert f"of {several:,} households" in note
    assert f"region ({apart:,})" in note


def test_no_household_is_told_where_none_was_stated() -> None:
    data = mv.Microdata(mv.datasets.make_survey(200, seed=3).to_pandas())
    release = mv.mask.RankSwap(p=10).apply(data, columns=["age", "wealth"], missing="mask", seed=1)
    assert not [note for note in release.notes if "no longer agree" in note]


def test_the_ready_repair_step_runs_and_ends_negative_amounts(
    survey: tuple[mv.Microdata, Project, mv.Release],
) -> None:
    data, project, release = survey
    names = ["income", "expenditure", "wealth", "debts"]
    assert (release.frame[names] < 0).any().any()
    text = project.to_text()
    ready = "".join(line.removeprefix("#+ ") for line in text.splitlines(keepends=True) if line.startswith("#+ "))
    repaired = Project.from_text(text + ready)
    assert repaired.plan is not None
    again = repaired.plan.run(data, seed=1)
    assert not (again.frame[names] < 0).any().any()
    assert again.lost
    assert "--accept-lost" in text


def test_one_note_tells_all_impossible_amounts(survey: tuple[mv.Microdata, Project, mv.Release]) -> None:
    release = survey[2]
    below = {name: int((release.frame[name] < 0).sum()) for name in ("income", "wealth", "debts")}
    (note,) = [note for note in release.notes if "below 0" in note]
    for name, count in below.items():
        assert f"{name} {count}" in note
