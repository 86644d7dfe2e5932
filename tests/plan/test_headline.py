"""The headline does not flatter: attacks written here find no more than it says, and it says what it leaves out."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.stats import rankdata

import microveil as mv
from microveil.measure import Pair
from microveil.plan import evaluate, verdict_of
from microveil.risk import DistanceLinkage

N = 300
ROLES = {"reg": "key", "stratum": "stratum", "weight": "weight", "inc": "confidential"}
UNKNOWN = "the weight is taken as unknown to the intruder"
ALL_ALONE = f"it singles out {N} of {N} records together with the keys for whoever knows it."
FEW = ["distance-linkage", "global-linkage", "probabilistic-linkage"]


def strata(codes: list[object]) -> mv.Microdata:
    draw = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "reg": draw.choice(["a", "b", "c"], N),
            "stratum": codes,
            "weight": draw.uniform(1, 90, N).round(3),
            "inc": draw.normal(100, 20, N).round(2),
        }
    )
    return mv.Microdata(frame, roles=ROLES)


def noisy(data: mv.Microdata) -> mv.Release:
    return mv.mask.UncorrelatedNoise(p=1.0).apply(data, columns=["inc"], seed=3)


def found_by_stratum(data: mv.Microdata, release: mv.Release) -> float:
    """Per cent of records found by region and stratum, of those that agree the one with the nearest income."""
    before, after = data.frame, release.frame
    right = 0
    for i in range(N):
        same = (after["reg"] == before["reg"][i]) & (after["stratum"] == before["stratum"][i])
        away = (after["inc"] - before["inc"][i]).abs().where(same)
        right += int(away.idxmin() == i)
    return 100 * right / N


@pytest.mark.parametrize("code", [lambda i: f"S{i // 2:03d}", lambda i: 5000 - 7 * (i // 2)], ids=["text", "numbers"])
def test_who_knows_the_stratum_finds_no_more_than_the_headline_says(code) -> None:
    data = strata([code(i) for i in range(N)])
    release = noisy(data)
    mine = found_by_stratum(data, release)
    assert mine > 80
    figures = evaluate(data, release, measures=FEW)
    assert figures.worst.value >= mine - 1
    assert verdict_of(release).after.linked >= figures.worst.value  # it tries more than these few
    assert verdict_of(release).before.linked > 80
    assert "stratum" not in figures.columns  # nothing is lost with it


def test_a_stratum_that_only_looks_like_one_is_known_too() -> None:
    frame = strata([100 + i // 2 for i in range(N)]).frame
    data = mv.Microdata(frame)
    release = noisy(data)
    figures = evaluate(data, release, measures=FEW)
    assert "stratum (stratum)" in figures.notes[0]
    assert figures.worst.value >= found_by_stratum(data, release) - 1
    assert UNKNOWN in figures.worst.reading.lower()


def test_a_stratum_is_left_out_where_the_columns_are_named() -> None:
    data = strata([f"S{i // 2:03d}" for i in range(N)])
    assert evaluate(data, noisy(data), measures=FEW, columns=["reg", "inc"]).worst.value < 10


def test_the_headline_says_that_the_weight_is_unknown_and_whom_it_would_single_out() -> None:
    data = strata(["s"] * N)
    release = noisy(data)
    figures = evaluate(data, release, measures=FEW)
    assert UNKNOWN in figures.worst.reading.lower()
    assert ALL_ALONE in figures.worst.reading
    assert ALL_ALONE in json.dumps(figures.to_json())
    for verdict in (verdict_of(release), verdict_of(release, (), figures)):
        assert UNKNOWN in verdict.line
        assert verdict.because[-1].endswith(ALL_ALONE)


def test_a_weight_that_was_changed_singles_nobody_out() -> None:
    data = strata(["s"] * N)
    release = noisy(data)
    other = release.frame.assign(weight=np.random.default_rng(1).uniform(1, 90, N))
    reading = evaluate(data, other, measures=FEW).worst.reading
    assert UNKNOWN in reading.lower()
    assert "singles out" not in reading


def test_nothing_is_said_of_a_weight_that_is_not_released() -> None:
    data = strata(["s"] * N)
    release = noisy(data)
    assert "weight" not in evaluate(data, release.frame.drop(columns="weight"), measures=FEW).worst.reading
    named = evaluate(data, release, measures=FEW, columns=["reg", "weight"]).worst
    assert "unknown" not in named.reading
    assert named.value > 99


# -- ranks -----------------------------------------------------------------------------------------


def swapped(n: int = 300) -> tuple[mv.Microdata, mv.Release, list[str]]:
    data = mv.Microdata(mv.datasets.make_enterprises(n, seed=3).to_pandas(), **mv.datasets.enterprises_schema())
    amounts = list(data.names("confidential"))
    return data, mv.mask.RankSwap(p=15).apply(data, columns=amounts, seed=5), amounts


def found_by_ranks(data: mv.Microdata, release: mv.Release, amounts: list[str]) -> float:
    """Per cent of records found by matching both files one to one at least total distance in ranks of amounts."""
    before, after = (
        np.column_stack([rankdata(frame[name]) for name in amounts]) for frame in (data.frame, release.frame)
    )
    away = np.abs(before[:, None] - after[None]).sum(axis=2)
    rows, columns = linear_sum_assignment(away)
    return 100 * float((rows == columns).mean())


def test_who_compares_ranks_finds_no_more_than_the_headline_says() -> None:
    data, release, amounts = swapped()
    mine = found_by_ranks(data, release, amounts)
    figures = evaluate(data, release, measures=FEW, columns=amounts)
    by_values = max(figures[name].value for name in FEW)
    assert mine > by_values + 5  # values alone flatter
    assert figures.worst.value >= mine
    assert "One-to-one record linkage by ranks" in figures.worst.parts
    assert figures.worst.parts["Distance-based record linkage"] == figures["distance-linkage"].value
    assert "at least about" in figures.worst.reading
    everything = evaluate(data, release, measures=FEW).worst
    assert verdict_of(release).after.linked == everything.value


def test_ranks_are_not_tried_where_no_amount_was_changed() -> None:
    data, _, _ = swapped(100)
    release = mv.mask.KAnonymise(k=5).apply(data, columns=["region", "sector"], seed=1)
    assert not [name for name in evaluate(data, release, measures=FEW).worst.parts if "ranks" in name]


@pytest.mark.parametrize("metric", ["euclid", "manhattan"])
def test_ranks_of_some_records_are_those_among_all(metric) -> None:
    data, release, amounts = swapped(200)
    pair = Pair.of(data, release, amounts)
    measure = DistanceLinkage(scale="ranks", metric=metric)
    every = np.arange(200)
    halves = [measure.on(pair.domain(every[i::2], every)).value for i in range(2)]
    assert measure.on(pair).value == pytest.approx(np.mean(halves), abs=1e-9)


def test_ranks_by_hand() -> None:
    before = pd.DataFrame({"x": [1.0, 2.0, 3.0, 1000.0]})
    after = pd.DataFrame({"x": [-5.0, 0.0, 7.0, 8.0]})  # the same ranks
    assert DistanceLinkage(scale="ranks")(before, after).value == 100
    assert DistanceLinkage()(before, after).value < 100
    # among the originals, -5 and 0 come before all and 7 and 8 after three: ties of two, and of four for the second
    assert DistanceLinkage(scale="ranks", standardise="original")(before, after).value == pytest.approx(175 / 4)
