"""What a search tries: a planted optimum is found, nothing twice, and what fails is not tried for ever."""

from __future__ import annotations

from statistics import median

import pytest

import microveil as mv
from microveil.core.streams import Key, Streams
from microveil.plan.drawing import Decision
from microveil.plan.space import canonical_text
from microveil.study import proposing, sampling
from microveil.study.area import area_beaten, behind, edge_of
from microveil.study.arms import Arms
from tests.study.toys import OPTIMUM, study_here


@pytest.mark.parametrize("installed", [True, False])
def test_a_planted_optimum_off_the_grid_is_found(installed: bool, monkeypatch: pytest.MonkeyPatch):
    if installed:
        pytest.importorskip("optuna")
    monkeypatch.setattr(sampling, "is_installed", lambda: installed)
    study = study_here(60)
    (best,) = study.frontier  # both figures are least in one place
    assert best.plan.steps[0].method.far == pytest.approx(OPTIMUM, abs=0.02)
    assert best.loss == pytest.approx(100 * abs(best.plan.steps[0].method.far - OPTIMUM))
    assert study.best() == best


def test_a_sampler_knows_every_plan_of_its_method_before_it_draws(monkeypatch: pytest.MonkeyPatch):
    told: dict[str, list] = {}

    class Noting(sampling.RandomSampler):
        def ask(self):
            self.told.append("ask")
            return super().ask()

        def learn(self, decisions, figures):
            self.told.append(({one.path: one.share for one in decisions if one.share is not None}, figures))

    def noting(arm, streams):
        sampler = Noting(streams.at(arm))
        sampler.told = told.setdefault(arm, [])
        return sampler

    monkeypatch.setattr(proposing, "sampler_for", noting)
    study = study_here(20)
    first = study.trials[0]
    seen = told["toy-shift"]
    # the interval that is searched reaches from one point of the grid to the other
    assert seen[0] == ({(0, "far", "number"): pytest.approx(0.0)}, (first.loss, first.risk))
    second = next(each for each in seen[1:] if each != "ask")
    assert second[0] == {(0, "far", "number"): pytest.approx(1.0)}
    assert len([each for each in seen if each != "ask"]) == 2  # what it drew itself is told to it in another way


def test_what_a_sampler_learns_moves_its_draws():
    pytest.importorskip("optuna")
    draws = {}
    for best in (0.2, 0.8):
        sampler = sampling.LearningSampler(Streams(Key.of(1)))
        for number in range(40):
            share = number / 39
            sampler.learn([Decision(("far", "number"), share=share)], (abs(share - best), abs(share - best)))
        draws[best] = [sampler.ask().at("far", "number").share() for _ in range(12)]
    assert median(draws[0.2]) == pytest.approx(0.2, abs=0.1)
    assert median(draws[0.8]) == pytest.approx(0.8, abs=0.1)


def test_without_the_sampler_a_note_says_what_it_would_do(monkeypatch: pytest.MonkeyPatch):
    from microveil.study import searching

    monkeypatch.setattr(searching, "is_installed", lambda: False)
    assert study_here(2).notes == (sampling.NO_SAMPLER,)
    assert "microveil[search]" in sampling.NO_SAMPLER


def test_no_plan_is_run_twice_and_defaults_and_grid_come_first():
    told = []
    study = study_here(40, told=told)
    searched = [canonical_text(task.plan) for task in told[0].tasks][: len(study.trials)]
    assert len(set(searched)) == len(searched) == 40
    assert [trial.plan.steps[0].method.far for trial in study.trials[:2]] == [0.1, 0.9]
    assert [trial.text for trial in study.trials] == searched


def test_what_always_fails_is_tried_at_its_grid_and_no_more():
    study = study_here(40, methods=("toy-shift", "toy-failing"))
    failed = [trial for trial in study.trials if trial.state == "failed" and trial.arm == "toy-failing"]
    assert [trial.problem for trial in failed] == ["it never works"] * 2  # the default is one of the two grid points
    assert not any(trial.is_candidate for trial in failed)


def test_keys_and_amounts_are_protected_by_pairs_and_rules_are_repaired():
    data = mv.Microdata(mv.datasets.make_survey(120, seed=1), **mv.datasets.survey_schema(), edits=["income >= 0"])
    arms = Arms.of(data, None, ["pram", "uncorrelated-noise", "micro-hybrid"], ())
    pairs = {arm.name: arm for arm in arms.pairs}
    named = [name for name in pairs if name.endswith("then uncorrelated-noise")]
    assert named
    keys, amounts = (step.method.resolve(data, step)[0] for step in pairs[named[0]].steps)
    assert all(data.roles[name] == "key" for name in keys)
    assert all(data.roles[name] == "confidential" and data.kinds[name] == "continuous" for name in amounts)
    mended = arms.repaired(pairs[named[0]])
    assert mended is not None
    assert [step.method.name for step in mended.steps][1:] == ["uncorrelated-noise", "repair"]
    assert arms.repaired(mended) is None
    # no more than three steps, and nothing to restore where variances are exact
    firms = mv.Microdata(mv.datasets.make_enterprises(60, seed=1))
    swapped = Arms.of(firms, None, ["rank-swap", "microaggregation"], ())
    after = {arm.name: [one.name for one in swapped.after(arm)] for arm in swapped.single}
    assert after["rank-swap"] == []
    assert after["microaggregation"] == ["microaggregation then rescale", "microaggregation then uncorrelated-noise"]


def test_plans_that_are_given_come_first_and_are_varied():
    plan = mv.Plan([mv.mask.RankSwap(p=3)])
    arms = Arms.of(mv.Microdata(mv.datasets.make_enterprises(60, seed=1)), None, ["rank-swap"], (), [plan])
    assert arms.single[0].plan == plan
    assert {one.plan.steps[0].method.p for one in arms.single[0].grid(arms.data)} - {3} != set()


def test_geometry_by_hand():
    edge = edge_of([(1.0, 9.0), (2.0, 5.0), (3.0, 6.0), (4.0, 1.0), (2.0, 5.0)])
    assert edge == [(1.0, 9.0), (2.0, 5.0), (4.0, 1.0)]
    assert area_beaten(edge, (10.0, 10.0)) == 9 * 1 + 8 * 4 + 6 * 4
    assert area_beaten([(11.0, 1.0)], (10.0, 10.0)) == 0
    # with a weight of 0.8 on loss: 0.8 * 3 + 0.2 * 6 against 0.8 * 1 + 0.2 * 9
    assert behind((3.0, 6.0), edge) == pytest.approx(0.8 * 3 + 0.2 * 6 - min(0.8 + 1.8, 1.6 + 1.0, 3.2 + 0.2))
