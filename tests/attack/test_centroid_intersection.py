"""Intersection of neighbouring averages: figures of the literature on Census, and that nobody true is excluded."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import CentroidIntersection
from microveil.attack.view import look
from microveil.mask import IndividualRanking

ANY, NEAREST, MATCHED = "any candidate", "nearest candidate", "one-to-one"


def figures(census: pa.Table, k: int, known: list[str], **how) -> dict[str, float]:
    release = IndividualRanking(k=k).apply(census, columns=census.column_names, seed=1)
    return CentroidIntersection(known=known, **how)(census, release).parts


def test_three_attributes_in_groups_of_25(census):
    """58 % certain, all true; nearest 91 % and one-to-one 94 %, as plain linkage finds."""
    found = figures(census, 25, ["AGI", "EMCONTRB", "FEDTAX"])
    assert found["certain"] == pytest.approx(58, abs=0.5)
    assert found["precision"] == 1.0
    assert found[NEAREST] == pytest.approx(91, abs=1.5)
    assert found[MATCHED] == pytest.approx(94, abs=1)


def test_the_nearer_average_claims_more_of_which_some_are_false(census):
    both, nearest = (figures(census, 25, ["AGI", "EMCONTRB", "FEDTAX"], neighbours=how) for how in ("both", "nearest"))
    assert nearest["certain"] > both["certain"] + 10
    assert 0.95 < nearest["precision"] < 1


@pytest.mark.parametrize(("k", "certain"), [(3, 96.5), (5, 92.2), (10, 70.3)])
def test_two_attributes(census, k, certain):
    found = figures(census, k, ["AFNLWGT", "EMCONTRB"])
    assert found["certain"] == pytest.approx(certain, abs=0.5)
    assert found["precision"] == 1.0


@pytest.mark.parametrize("k", [3, 10])
def test_four_attributes(census, k):
    assert figures(census, k, census.column_names[:4])["certain"] >= 99.7


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("grouping", ["consecutive", "optimal"])
def test_the_true_record_is_always_a_candidate(seed, grouping):
    draw = np.random.default_rng(seed)
    data = pa.table(
        {
            "a": draw.normal(size=70).round(1),
            "b": draw.integers(0, 25, 70),  # many equal values, and averages that are rounded
            "town": draw.choice(["x", "y"], 70),
        }
    )
    for by in (None, "town"):
        release = IndividualRanking(k=4, grouping=grouping).apply(data, columns=["a", "b"], by=by, seed=seed)
        view, truth = look(mv.measure.Pair.of(data, release), ("a", "b", "town"), whole_release=True)
        answer = CentroidIntersection().guess(view)
        assert (answer.readings[ANY].found(truth) > 0).all()
        assert answer.readings[ANY].right(truth, answer.sure) == answer.sure.sum()


def test_by_hand():
    """Averages 2 and 11: 1 and 3 lie at 2 or between, 10 and 12 at 11 or between."""
    data = pa.table({"a": [1.0, 3.0, 10.0, 12.0]})
    released = pa.table({"a": [2.0, 2.0, 11.0, 11.0]})
    found = CentroidIntersection(assumed=True)(data, released)
    # 1 and 12 have the two records of one average, 3 and 10 all four
    assert found.parts[ANY] == pytest.approx(100 * (2 / 2 + 2 / 4) / 4)
    assert found.parts[NEAREST] == 50.0
    assert found.parts["certain"] == 0
    assert "CentroidIntersection(assumed=True)" in CentroidIntersection()(data, released).reason
