"""Attribute disclosure where keys were released as classes, sets and gaps, against a plain count of all pairs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.measure import Pair
from microveil.measure.sampling import Sample
from microveil.plan.sampled import on_sample

from .test_generalised_linkage import compatible

RNG = np.random.default_rng(5)
ROWS = 300
REGIONS = ("north", "south", "east", "west")
TREE = {"north": ("vertical", "all"), "south": ("vertical", "all"), "east": ("flat", "all"), "west": ("flat", "all")}
FRAME = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, ROWS),
        "sex": RNG.choice(["f", "m"], ROWS),
        "region": RNG.choice(REGIONS, ROWS),
        "pay": np.round(RNG.gamma(3.0, 900.0, ROWS), 1),
    }
)
FRAME["ill"] = np.where(FRAME["age"] > 60, RNG.choice(["heart", "lung"], ROWS), RNG.choice(["none", "lung"], ROWS))
KEYS = ("age", "sex", "region")
ROLES = {**dict.fromkeys(KEYS, "key"), "ill": "confidential", "pay": "confidential"}


def file_with(age: str) -> mv.Microdata:
    kinds = {"age": age, "pay": "continuous"}
    return mv.Microdata(FRAME, roles=ROLES, kinds=kinds, hierarchies={"region": TREE})


DATA = file_with(age="continuous")


def recount(released: pd.DataFrame, target: str, slack: float) -> dict[str, float]:
    """The figures for a target by looking at every original beside every released record."""
    may_be = compatible(DATA, released, KEYS)
    shown, truth = released[target].tolist(), FRAME[target].tolist()

    def agree(y: object, x: object) -> bool:
        return y == x or (slack > 0 and abs(y - x) <= slack * abs(x))

    def best(pool: list[object]) -> tuple[int, list[object]]:
        support = [sum(agree(other, y) for other in pool) for y in pool]
        return max(support), [y for y, count in zip(pool, support, strict=True) if count == max(support)]

    totals: Counter[str] = Counter()
    for i, x in enumerate(truth):
        pool = [shown[j] for j in np.flatnonzero(may_be[i])]
        most, leaders = best(pool or shown)
        totals["commonest"] += sum(agree(y, x) for y in leaders) / len(leaders)
        if pool:
            share = sum(agree(y, x) for y in pool) / len(pool)
            totals["cap"] += share
            totals["keys occur"] += 1
            totals["disco"] += share == 1 and most == len(pool)
    return {name: 100 * totals[name] / len(truth) for name in ("disco", "cap", "commonest", "keys occur")}


RELEASES = {
    "k-anonymous": mv.mask.KAnonymise(k=3),
    "diverse": mv.mask.KAnonymise(model=mv.Anonymity(k=2, sensitive=("ill",), l=2)),
    "close": mv.mask.KAnonymise(model=mv.Anonymity(k=2, sensitive=("ill",), t=0.3)),
    "suppressed": mv.mask.LocalSuppression(k=2),
}


@pytest.mark.parametrize("name", RELEASES)
def test_an_intruder_asks_every_record_whose_classes_hold_his_keys(name):
    data = file_with(age="ordinal" if name == "suppressed" else "continuous")
    release = RELEASES[name].apply(data, seed=3)
    for target, slack in (("ill", 0.0), ("pay", 0.1)):
        expected = recount(release.frame, target, slack)
        assert expected["keys occur"] == 100
        found = mv.risk.AttributeDisclosure(targets=[target])(data, release)
        assert {part: found.parts[part] for part in expected} == pytest.approx(expected)


def test_what_is_learned_stands_beside_guessing():
    release = mv.mask.KAnonymise(k=3).apply(DATA, seed=3)
    found = mv.risk.AttributeDisclosure(targets=["ill"], rule="commonest")(DATA, release)
    assert found.value == found.parts["commonest"] > found.parts["best guess"] > 0
    assert found.reading.startswith("The commonest ill among the released records that fit the keys is right for")


def test_sets_that_are_no_ranges_hold_their_members():
    released = FRAME.assign(region=["{north, east}" if r in ("north", "east") else r for r in FRAME["region"]])
    released.loc[::7, "region"] = "{south, east}"
    released.loc[::11, "region"] = "{south, north}"
    expected = recount(released, "ill", 0.0)
    found = mv.risk.AttributeDisclosure(targets=["ill"])(DATA, released, linked=False)
    assert {part: found.parts[part] for part in expected} == pytest.approx(expected)


def test_a_sample_of_raw_keys_is_asked_for_in_the_whole_release():
    many = mv.Microdata(mv.datasets.make_survey(4000, seed=2), **mv.datasets.survey_schema())
    keys = ("age", "sex", "region")
    pair = Pair.of(many, mv.mask.KAnonymise(k=5).apply(many, columns=keys, seed=3))
    measure = mv.risk.AttributeDisclosure(keys=keys, targets=["health"], rule="cap")
    found = on_sample(measure, pair, Sample("keys", 1000))
    assert "among all released records" in found.notes[0]
    assert found.parts["keys occur"] == 100
    low, high = found.interval
    assert low < measure.on(pair).value < high
