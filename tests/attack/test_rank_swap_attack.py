"""Intersection of swapped ranks: figures of the literature on Census, and that nobody true is ever excluded."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import RankSwapAttack
from microveil.attack.view import look
from microveil.core.measured import NotApplicable
from microveil.mask import Microaggregation, RankSwap, Sample

ANY, NEAREST, MATCHED = "any candidate", "nearest candidate", "one-to-one"


def figures(census: pa.Table, p: float, known: list[str]) -> dict[str, float]:
    """Means over both pairings: figures of the literature do not say which they used."""
    found = []
    for pairing in ("argus", "uniform"):
        release = RankSwap(p=p, pairing=pairing).apply(census, columns=census.column_names, seed=1)
        found.append(RankSwapAttack(known=known)(census, release).parts)
    assert all(parts["precision"] == 1.0 for parts in found)
    return {name: np.mean([parts[name] for parts in found]) for name in found[0]}


@pytest.mark.parametrize(
    ("p", "expected", "certain", "matched"), [(10, 98, 97, 100), (15, 91, 83, 99), (20, 68, 49, 92)]
)
def test_thirteen_attributes_of_census(census, p, expected, certain, matched):
    found = figures(census, p, census.column_names)
    assert found[ANY] == pytest.approx(expected, abs=2)
    assert found["certain"] == pytest.approx(certain, abs=3)
    assert found[MATCHED] == pytest.approx(matched, abs=1)


@pytest.mark.parametrize(("p", "expected", "certain", "matched"), [(5, 87, 77, 94), (10, 42, 21, 63)])
def test_six_attributes_of_census(census, p, expected, certain, matched):
    found = figures(census, p, census.column_names[1:12:2])
    assert found[ANY] == pytest.approx(expected, abs=4)
    assert found["certain"] == pytest.approx(certain, abs=6)
    assert found[MATCHED] == pytest.approx(matched, abs=6)


@pytest.mark.parametrize(("width", "certain"), [(4, 28), (7, 85), (13, 99.6)])
def test_certain_links_after_swapping_seven_per_cent(census, width, certain):
    assert figures(census, 7, census.column_names[:width])["certain"] == pytest.approx(certain, abs=2)


def ties_and_towns(rows: int = 60, seed: int = 1) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(seed)
    return {
        "a": draw.normal(size=rows).round(2),
        "b": draw.integers(0, 5, rows).astype(float),  # many ties
        "town": draw.choice(["x", "y", "z"], rows),
    }


def with_gaps(columns: dict[str, np.ndarray]) -> pa.Table:
    a = [None if i % 7 == 0 else value for i, value in enumerate(columns["a"])]
    return pa.table({**columns, "a": a})


@pytest.mark.parametrize("pairing", ["argus", "uniform"])
@pytest.mark.parametrize("seed", range(5))
def test_the_true_record_is_always_a_candidate(pairing, seed):
    data = with_gaps(ties_and_towns(seed=seed))
    for by in (None, "town"):
        release = RankSwap(p=15, pairing=pairing).apply(data, columns=["a", "b"], seed=seed, missing="mask", by=by)
        view, truth = look(mv.measure.Pair.of(data, release), ("a", "b", "town"), whole_release=True)
        answer = RankSwapAttack().guess(view)
        assert (answer.readings[ANY].found(truth) > 0).all()
        assert answer.readings[ANY].right(truth, answer.sure) == answer.sure.sum() > 0


def test_by_hand():
    """Values 0 to 9 with p=10: ranks move by one at most, and two columns in opposite order leave few candidates."""
    data = pa.table({"a": np.arange(10.0), "b": np.arange(10.0)})
    same = RankSwapAttack(p=0)(data, data)
    assert same.value == same.parts["certain"] == 100.0
    near = RankSwapAttack(p=10, known=["a"])(data, data)
    # each end has two candidates, the eight between have three
    assert near.parts[ANY] == pytest.approx(100 * (2 / 2 + 8 / 3) / 10)
    assert near.parts["certain"] == 0
    assert near.parts[NEAREST] == 100.0
    assert near.parts["baseline"] == 10.0


def test_equal_records_share_the_link():
    data = pa.table({"a": [1.0, 1.0, 1.0, 2.0]})
    found = RankSwapAttack(p=0)(data, data)
    assert found.parts["certain"] == 25.0
    assert found.value == pytest.approx(50.0)
    assert RankSwapAttack(p=0).records(data, data).tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1])
    assert RankSwapAttack(p=0).most_exposed(data, data, 1).tolist() == [3]


def test_what_an_intruder_cannot_conclude():
    data = pa.table({name: values for name, values in ties_and_towns().items() if name != "town"})
    swap = RankSwap(p=10)
    again = mv.Plan([(swap, ["a"]), (swap, ["a"])]).run(data, seed=1)
    assert "another step changed the columns of rank-swap" in RankSwapAttack()(data, again).reason
    fewer = mv.Plan([(swap, ["a"]), (Sample(fraction=0.5), ["b"])]).run(data, seed=1)
    assert "records were left out after rank-swap" in RankSwapAttack()(data, fewer).reason
    first = mv.Plan([(Sample(fraction=0.5), ["b"]), (swap, ["a"])]).run(data, seed=1)
    assert RankSwapAttack()(data, first).parts["precision"] in (0.0, 1.0)
    other = Microaggregation().apply(data, columns=["a", "b"], seed=1)
    assert "no step of this release" in RankSwapAttack()(data, other).reason
    plain = RankSwapAttack()(data, again.frame)
    assert isinstance(plain, NotApplicable)
    assert "RankSwapAttack(p=10)" in plain.reason
