"""A search of a minute: its limits, and how many records it looks at."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.measure import Scenario
from microveil.study import short_search

RNG = np.random.default_rng(6)
MIXED = mv.Microdata(
    pd.DataFrame({"region": RNG.choice(list("nsew"), 90), "a": RNG.gamma(2.0, size=90)}),
    roles={"region": "key", "a": "confidential"},
)


def test_it_is_a_search_with_a_limit_on_what_attacks_find(monkeypatch: pytest.MonkeyPatch):
    asked = {}

    def search(data, **how):
        asked.update(how, n=data.n)
        return "the study"

    monkeypatch.setattr(short_search, "search", search)
    stated = [Scenario("neighbour", ("region",), thresholds={"risk": 0.2})]
    plan = mv.Plan([mv.mask.RankSwap(p=5)])
    found = short_search.search_shortly(MIXED, 30, 5, scenarios=stated, plans=[plan], workers=3, seed=1)
    assert (found.study, found.records) == ("the study", 90)
    assert asked["at_most"] == {"worst-case": 5}
    assert (asked["budget"], asked["workers"], asked["n"]) == (30, 3, 90)
    assert (asked["scenarios"], asked["plans"]) == (stated, [plan])


def test_of_many_records_some_are_looked_at(monkeypatch: pytest.MonkeyPatch):
    seen = []
    monkeypatch.setattr(short_search, "MOST_RECORDS", 40)
    monkeypatch.setattr(short_search, "search", lambda data, **_: seen.append(data))
    for seed in (1, 1, 2):
        assert short_search.search_shortly(MIXED, 30, 5, seed=seed).records == 40
    first, same, other = (set(data.frame["a"]) for data in seen)
    assert seen[0].roles == MIXED.roles
    assert first < set(MIXED.frame["a"])
    assert first == same != other


def test_households_are_looked_at_whole(monkeypatch: pytest.MonkeyPatch):
    # torn apart, people are not found by those whom they live with, and risks would look lower than they are
    homes = [*np.repeat(np.arange(20), 4), *[None] * 10]
    frame = MIXED.frame.assign(home=pd.array(RNG.permutation(np.array(homes, dtype=object)), dtype="Int64"))
    data = mv.Microdata(frame, roles={"region": "key", "a": "confidential", "home": "household"})
    seen = []
    monkeypatch.setattr(short_search, "MOST_RECORDS", 41)
    monkeypatch.setattr(short_search, "search", lambda data, **_: seen.append(data))
    for seed in range(5):
        assert 37 < short_search.search_shortly(data, 30, 5, seed=seed).records <= 41
    for some in seen:
        assert set(some.frame["home"].value_counts()) == {4}
    assert any(some.frame["home"].isna().any() for some in seen)  # who has none is one by himself
    monkeypatch.setattr(short_search, "MOST_RECORDS", 2)
    assert short_search.search_shortly(data.with_(frame.dropna()), 30, 5, seed=1).records == 4
