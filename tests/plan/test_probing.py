"""Probing: what is tried, in which order, in which time, and on how many records."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.streams import Key
from microveil.plan import Plan, probing
from microveil.plan.probing import PROPOSED, VARIED, probe
from microveil.plan.space import Space

RNG = np.random.default_rng(6)
AMOUNTS = mv.Microdata(pd.DataFrame(RNG.gamma(2.0, size=(90, 3)), columns=["a", "b", "c"]))
MIXED = mv.Microdata(
    pd.DataFrame({"region": RNG.choice(list("nsew"), 90), "a": RNG.gamma(2.0, size=90), "b": RNG.gamma(2.0, size=90)}),
    roles={"region": "key", "a": "confidential", "b": "confidential"},
)
SWAP = Plan([(mv.mask.RankSwap(p=15), ["a", "b", "c"])])


def test_families_take_turns_so_that_little_time_shows_something_of_all():
    defaults, grid = probing._candidates(Space.of(AMOUNTS), SWAP)
    families = [one.plan.steps[-1].method.family for one in defaults[1:4]]
    assert defaults[0].method == PROPOSED
    assert len(set(families)) == 3
    assert {one.method for one in defaults[1:]} == set(Space.of(AMOUNTS).members)
    assert len({one.text for one in (*defaults, *grid)}) >= len(defaults) + len(grid) - 1  # the proposal may be there


def test_the_proposal_is_varied_by_its_grids():
    _, grid = probing._candidates(Space.of(AMOUNTS), SWAP)
    varied = [one.plan.steps[0] for one in grid if one.method == VARIED]
    assert {step.columns for step in varied} == {("a", "b", "c")}
    assert {step.method.p for step in varied} == {2.0, 7.0, 15.0}


def test_amounts_are_changed_after_what_the_proposal_does_to_keys():
    on_keys = (mv.mask.InvariantPram(), ["region"])
    proposed = Plan([on_keys, (mv.mask.RankSwap(p=5), ["a", "b"])])
    defaults, _ = probing._candidates(Space.of(MIXED), proposed)
    noise = next(one for one in defaults if one.method == "uncorrelated-noise")
    assert [step.method.name for step in noise.plan.steps] == ["invariant-pram", "uncorrelated-noise"]
    assert "pram" not in {one.method for one in defaults}


def test_labels_say_what_is_not_default():
    defaults, grid = probing._candidates(Space.of(AMOUNTS), SWAP)
    labels = [probing._label(one) for one in (*defaults, *grid)]
    assert labels[0] == f"rank-swap p=15 ({PROPOSED})"
    assert "micro-hybrid partition=mdav k=20" in labels
    assert probing._words(["a", "b", "c", "d"]) == "a,b,c,… (4)"


def test_plans_are_tried_until_the_time_is_over(monkeypatch: pytest.MonkeyPatch):
    seen, clock = [], iter(range(1000))
    monkeypatch.setattr(probing.time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(probing, "Apart", InHere)
    found = probe(
        AMOUNTS,
        6,
        proposed=SWAP,
        key=Key.of(1),
        progress=lambda name, number, total: seen.append((name, number, total)),
    )
    # every look at the clock is a second: one begins, one before each plan
    assert len(found.trials) == len(seen) == 5
    assert seen[0] == (PROPOSED, 2, 6)
    assert found.not_reached > 50
    assert found.records == 90
    first = found.trials[0]
    assert first.loss == mv.loss.PIL()(AMOUNTS, SWAP.run(AMOUNTS, seed=Key.of(1))).value
    assert set(first.figures) == {"overall-loss", "worst-case", "distance-linkage"}


def test_a_plan_that_takes_too_long_is_kept_with_the_reason(monkeypatch: pytest.MonkeyPatch):
    clock = iter(range(1000))
    monkeypatch.setattr(probing.time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(probing, "Apart", Silent)
    found = probe(AMOUNTS, 4, proposed=SWAP, key=Key.of(1))
    assert [trial.problem for trial in found.trials] == [
        "it took more than 5 seconds",
        "it took more than 2 seconds",
        "it took more than 1 seconds",
    ]
    assert found.trials.frontier == ()


def test_of_many_records_some_are_looked_at(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(probing, "MOST_RECORDS", 40)
    monkeypatch.setattr(probing, "Apart", Silent)
    assert probe(AMOUNTS, 0.01, key=Key.of(1)).records == 40
    some = probing._some_records(MIXED, Key.of(1))
    assert some.roles == MIXED.roles
    assert set(some.frame["a"]) < set(MIXED.frame["a"])


class InHere:
    """Answers in this process: no time limit."""

    def __init__(self, answer, known) -> None:
        self.answer, self.known = answer, known

    def ask(self, question, seconds):
        return self.answer(self.known, question)

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None: ...


class Silent(InHere):
    """Never answers in time."""

    def ask(self, question, seconds):
        return None
