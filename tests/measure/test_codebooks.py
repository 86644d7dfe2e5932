"""What labels stand for to an intruder: a codebook is read, the true pairs are not taken for one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.mask import GlobalRecode, KAnonymise, Pram, Pseudonymise, UncorrelatedNoise
from microveil.measure import Pair
from microveil.measure.codebooks import LEAST_SHOWN, public_classes
from microveil.plan.quick_attack import quick_worst_case

ROWS = 200
PLACES = ("north", "south", "east", "west")


def ages_and_places(seed: int = 1) -> mv.Microdata:
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"age": np.arange(ROWS) + 0.5, "place": draw.choice(PLACES, ROWS), "x": draw.normal(size=ROWS)}
    )
    return mv.Microdata(frame, kinds={"place": "nominal"}, roles={"age": "key", "place": "key"})


def tokens(count: int, rows: int = ROWS, seed: int = 2) -> list[str]:
    draw = np.random.default_rng(seed)
    return [f"t{one:03d}" for one in draw.permutation(np.arange(rows) % count)]


@pytest.mark.parametrize("column", ["age", "place"])
@pytest.mark.parametrize("count", [ROWS, ROWS // 2, ROWS // 10])
def test_random_tokens_find_nobody(column, count):
    """One token for each record, or for 2 or 10 that nothing has put together."""
    data = mv.Microdata(ages_and_places().frame[[column]], kinds={"place": "nominal"} if column == "place" else {})
    released = pd.DataFrame({column: tokens(count)})
    pair = Pair.of(data, released)
    assert public_classes(pair, column).silent
    worst = quick_worst_case(pair)
    assert worst.value < 2 * 100 / ROWS  # the highest of several ways, each of which finds one on average
    found = mv.attack.NestedLinkage().of_pair(pair)
    assert found.value == pytest.approx(100 / ROWS)
    assert f"labels of {column} stand for" in found.notes[-1]
    assert f"labels of {column} stand for" in " ".join(mv.risk.DistanceLinkage(categories=True).of_pair(pair).notes)


def test_pseudonyms_say_nothing_and_noise_beside_them_is_as_it_is():
    data = ages_and_places()
    noise = UncorrelatedNoise(p=2.0)
    alone = mv.Plan([(noise, ["x"])]).run(data, seed=1)
    both = mv.Plan([(Pseudonymise(), ["age"]), (noise, ["x"])]).run(data, seed=1)
    without = Pair.of(data, alone, columns=["x", "place"])
    hidden = quick_worst_case(Pair.of(data, both))
    assert hidden.value == pytest.approx(quick_worst_case(without).value, abs=3.0)
    assert public_classes(Pair.of(data, both), "age").silent


def test_real_recodings_are_read():
    data = ages_and_places()
    plans = {
        "merges": GlobalRecode(merges={"place": {"up or down": ["north", "south"], "aside": ["east", "west"]}}),
        "rules": GlobalRecode(rules={"age": ["young: 0-99.9", "old: 100-300"]}),
        "classes": KAnonymise(k=5),
    }
    for name, method in plans.items():
        column = "place" if name == "merges" else "age"
        release = method.apply(data, columns=[column], seed=1)
        classes = public_classes(Pair.of(release), column)
        assert not classes.silent
        assert classes.shares().max() < 0.7
        # the same file from elsewhere: nobody knows the plan, and the labels still say it
        plain = public_classes(Pair.of(data, release.frame), column)
        assert not plain.silent
        assert sorted(plain.shares()) == pytest.approx(sorted(classes.shares()))


def test_nodes_of_a_hierarchy_are_read_however_few_show_them():
    tree = {"north": ["vertical", "*"], "south": ["vertical", "*"], "east": ["flat", "*"], "west": ["flat", "*"]}
    frame = pd.DataFrame({"place": list(PLACES)})
    data = mv.Microdata(frame, kinds={"place": "nominal"}, hierarchies={"place": tree})
    classes = public_classes(Pair.of(data, pd.DataFrame({"place": ["vertical", "vertical", "flat", "flat"]})), "place")
    assert not classes.silent
    assert classes.shares().tolist() == [0.5, 0.5]


def test_few_records_of_an_unknown_label_say_nothing():
    """The last label is shown by one record less than needed."""
    rows = 2 * LEAST_SHOWN - 1
    data = mv.Microdata(pd.DataFrame({"age": np.arange(float(rows))}))
    label = ["low"] * LEAST_SHOWN + ["high"] * (LEAST_SHOWN - 1)
    classes = public_classes(Pair.of(data, pd.DataFrame({"age": label})), "age")
    assert classes.silent
    assert sorted(classes.shares().tolist()) == [LEAST_SHOWN / rows, 1.0]


def test_recoded_categories_that_were_changed_afterwards_say_nothing():
    data = ages_and_places()
    recode = GlobalRecode(merges={"place": {"up or down": ["north", "south"], "aside": ["east", "west"]}})
    release = mv.Plan([(recode, ["place"]), (Pram(stay=0.7), ["place"])]).run(data, seed=1)
    classes = public_classes(Pair.of(release), "place")
    assert classes.silent
    assert classes.shares().tolist() == [1.0, 1.0]
