"""The first plan for a survey: strata and weights change places too, nested categories stay possible."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.numbers import format_number
from microveil.plan import Project, inspect
from tests.plan.test_proposal import proposed


@pytest.fixture(scope="module")
def strata() -> tuple[mv.Microdata, Project, mv.Release]:
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
    strata: tuple[mv.Microdata, Project, mv.Release], block: list[str]
) -> None:
    assert linked(strata[2], block) < 0.2


def test_the_scenario_counts_the_stratum_and_the_weight(strata: tuple[mv.Microdata, Project, mv.Release]) -> None:
    (scenario,) = strata[1].scenarios
    assert "stratum" in scenario.keys
    assert "weight" in scenario.known


def test_totals_of_weights_stay_exact_in_strata(strata: tuple[mv.Microdata, Project, mv.Release]) -> None:
    release = strata[2]
    before, after = release.original.frame.iloc[release.origin], release.frame
    pd.testing.assert_series_equal(
        after.groupby(["stratum", "region"])["weight"].sum(), before.groupby(["stratum", "region"])["weight"].sum()
    )
    assert (after["weight"].to_numpy() != before["weight"].to_numpy()).mean() > 0.5


def test_districts_stay_in_their_regions(strata: tuple[mv.Microdata, Project, mv.Release]) -> None:
    released = strata[2].frame
    assert (released.groupby("district")["region"].nunique() == 1).all()
    assert (released.groupby("stratum")["region"].nunique() == 1).all()


def test_a_weight_stated_as_an_amount_is_left_and_told() -> None:
    frame = mv.datasets.make_survey(300, seed=1).to_pandas()
    _, project = proposed(frame, kinds={"weight": "continuous"})
    text = " ".join(project.to_text().replace("\n#", " ").split())
    assert "weight stays as it is" in text
    assert "give it the role identifier to leave it out of the release" in text


def words_of(project: Project) -> str:
    return " ".join(project.to_text().replace("\n#", " ").split())


def test_the_project_says_what_households_tell_and_what_stays_together(
    strata: tuple[mv.Microdata, Project, mv.Release],
) -> None:
    text = words_of(strata[1])
    for words in (
        "household_id says who lives together and is left out",
        "is about records and does not decide, since household_id has several",
        "give household_id the role household",
        "each district has one region",
    ):
        assert words in text


def test_the_number_of_the_household_is_left_out_of_the_file(
    strata: tuple[mv.Microdata, Project, mv.Release], tmp_path: Path
) -> None:
    assert strata[0].roles["household_id"] == "identifier"
    mv.write(strata[2], tmp_path / "out.csv", reproducible=True)
    assert "household_id" not in pd.read_csv(tmp_path / "out.csv").columns


def test_a_stated_household_is_kept_and_its_cost_is_told() -> None:
    data, project = proposed(mv.datasets.make_survey(200, seed=3).to_pandas(), roles={"household_id": "household"})
    assert data.roles["household_id"] == "household"
    assert "household_id says who lives together, under new numbers" in words_of(project)


def test_households_stay_where_nothing_is_done_about_a_file() -> None:
    found = inspect(pd.DataFrame({"household_id": [1, 1, 2, 2, 3, 3, 4, 4]}))
    assert found.plan is None
    assert "household" in found.roles.values()


def test_project_and_note_tell_the_true_totals_of_weights(strata: tuple[mv.Microdata, Project, mv.Release]) -> None:
    data, project, release = strata
    before, after = data.frame["weight"].sum(), release.frame["weight"].sum()
    assert after < before
    note = release.notes[0]  # the command line shows the first ones
    assert "add up to" in note
    for text in (note, words_of(project)):
        for total in (before, after):
            assert format_number(total) in text
        assert f"{before / after:.6g}" in text


def test_no_total_is_told_where_no_record_is_left_out() -> None:
    frame = mv.datasets.make_survey(300, seed=3).to_pandas().dropna()
    data, project = proposed(frame)
    assert "The sum of weight stays exact, in every stratum too." in words_of(project)
    assert project.plan is not None
    release = project.plan.run(data, seed=1)
    assert release.frame["weight"].sum() == pytest.approx(frame["weight"].sum(), rel=1e-12)
    assert not [note for note in release.notes if "add up to" in note]


def test_a_note_counts_the_households_whose_members_disagree(strata: tuple[mv.Microdata, Project, mv.Release]) -> None:
    data, project = strata[0].with_(roles={"household_id": "household"}), strata[1]
    assert project.plan is not None
    release = project.plan.run(data, seed=1)
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


def test_no_amount_is_released_below_zero_and_no_promise_given_up(
    strata: tuple[mv.Microdata, Project, mv.Release],
) -> None:
    data, project, release = strata
    names = ["income", "expenditure", "wealth", "debts"]
    assert project.plan is not None
    without = project.plan.run(data.with_(edits=[]), seed=1)
    assert (without.frame[names] < 0).mean().max() > 0.1
    assert not (release.frame[names] < 0).any(axis=None)
    assert not release.lost
    assert any("covariances" in str(promise) for promise in release.promises)
    assert release.guarantee.k == 10
    assert "redrawn inside the rules under constraints, with means and covariances exact" in words_of(project)


def test_amounts_of_which_too_few_show_a_rule_are_repaired() -> None:
    frame = mv.datasets.make_survey(18, seed=3).to_pandas()[["sex", "income", "expenditure"]]
    data, project = proposed(frame.fillna(0.5))
    assert not data.edits
    assert project.plan is not None
    assert [step.method.name for step in project.plan.steps][-1] == "repair"
    release = project.plan.run(data, seed=1)
    assert not (release.frame[["income", "expenditure"]] < 0).any(axis=None)
    text = words_of(project)
    assert "would be below 0" in text
    assert "take out `jitter_moments` and the step `repair`" in text


def test_amounts_far_above_zero_keep_exact_moments() -> None:
    draw = np.random.default_rng(4)
    frame = pd.DataFrame(
        {"sex": ["f", "m"] * 100, "income": draw.normal(3000, 300, 200), "wealth": draw.normal(9000, 500, 200)}
    ).round(2)
    data, project = proposed(frame)
    assert project.plan is not None
    assert len(project.plan.steps) == 1
    assert "Means and covariances of the amounts in the whole file stay exact" in words_of(project)
    release = project.plan.run(data, seed=1)
    assert any("covariances" in str(promise) for promise in release.promises)


def regions(n: int = 600) -> pd.DataFrame:
    """Weights and a secret that follow from the region."""
    draw = np.random.default_rng(6)
    region = draw.integers(0, 12, n)
    return pd.DataFrame(
        {
            "region": [f"r{code}" for code in region],
            "age": draw.integers(18, 90, n),
            "weight": 10.5 + region // 2,
            "health": draw.permutation(["good", "fair", "bad", "poor"])[region % 4],
            "income": draw.gamma(2.0, 900.0, n).round(2),
        }
    )


def test_weights_that_lie_in_a_key_stay_with_it_and_secrets_that_do_are_named() -> None:
    data, project = proposed(regions())
    assert project.plan is not None
    assert project.plan.steps[0].method.to_spec()["micro-hybrid"]["blocks"] == [["weight", "region"]]
    text = words_of(project)
    assert "each region has one weight" in text
    assert "In the original, each region has one health. They are drawn apart all the same" in text
    release = project.plan.run(data, seed=1)
    assert (release.frame.groupby("region")["weight"].nunique() == 1).all()
    (note,) = [note for note in release.notes if "do not lie" in note]
    assert "one health" in note
    assert "one weight" not in note


def test_a_second_weight_that_repeats_changes_places_as_the_first_does() -> None:
    frame = mv.datasets.make_survey(200, seed=3).to_pandas().assign(household_weights=100 / (1 + np.arange(200) % 7))
    _, project = proposed(frame)
    assert project.plan is not None
    assert "household_weights" in project.plan.steps[0].columns
    assert project.columns["household_weights"]["kind"] == "ordinal"
