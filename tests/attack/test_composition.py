"""Several releases: chance cancels out as theory says, and classes that differ share few values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import Composition
from microveil.core.errors import BadInput
from microveil.core.measured import NotApplicable
from microveil.mask import ExactNoise, GlobalRecode, Pram, Round, UncorrelatedNoise
from tests.reference import shared_file

ERROR, LEFT, ONE = "error of one", "error combined", "found in one"


def numbers_and_letters(rows: int = 500, seed: int = 1) -> pa.Table:
    draw = np.random.default_rng(seed)
    return pa.table({"a": draw.normal(size=rows), "b": draw.normal(size=rows), "c": draw.choice(list("xyz"), rows)})


def several(method, data, columns, count: int = 20):
    return [method.apply(data, columns=columns, seed=number) for number in range(count)]


def test_noise_shrinks_with_the_root_of_the_number_of_releases():
    data = numbers_and_letters().select(["a", "b"])
    found = Composition()(data, several(UncorrelatedNoise(p=0.3), data, ["a", "b"]))
    assert found.parts[ERROR] == pytest.approx(0.30, abs=0.01)
    assert found.parts[LEFT] == pytest.approx(0.30 / np.sqrt(20), abs=0.005)
    assert found.value > found.parts[ONE] + 20
    assert found.parts["baseline"] == pytest.approx(100 / 500)


def test_the_same_release_twice_says_no_more():
    data = numbers_and_letters().select(["a", "b"])
    release = UncorrelatedNoise(p=0.3).apply(data, columns=["a", "b"], seed=1)
    found = Composition()(data, [release, release])
    assert found.value == pytest.approx(found.parts[ONE])
    assert found.parts[LEFT] == pytest.approx(found.parts[ERROR])


def test_a_release_that_gives_more_away_than_the_mean_of_all_counts_by_itself():
    data = numbers_and_letters().select(["a", "b"])
    noisy = UncorrelatedNoise(p=2.0).apply(data, columns=["a", "b"], seed=1)
    found = Composition()(data, [noisy, data])
    assert found.value == 100.0  # the file itself was given away before
    assert "finds 100 % of the records by the one that gives most away (" in found.reading


def test_releases_that_have_nothing_to_do_with_the_original_are_at_chance():
    data = numbers_and_letters().select(["a", "b"])
    strangers = [numbers_and_letters(seed=seed).select(["a", "b"]) for seed in range(2, 7)]
    assert Composition()(data, strangers).value < 2


def test_categories_are_told_by_the_commonest():
    data = numbers_and_letters().select(["c"])
    found = Composition()(data, several(Pram(stay=0.6), data, ["c"], 25))
    assert found.parts[ERROR] > 0.2
    assert found.parts[LEFT] < 0.05


def test_classes_that_differ_share_few_values():
    data = pa.table({"x": np.repeat(np.arange(12.0), 10)})
    ways = [GlobalRecode(cuts={"x": cuts}).apply(data, columns=["x"], seed=1) for cuts in ([3.5, 7.5], [1.5, 5.5, 9.5])]
    found = Composition()(data, ways)
    # classes of four, and of two, four, four, two: together all values stand two by two
    assert found.parts["cells pinned by all"] == 0.0
    third = GlobalRecode(cuts={"x": [0.5, 2.5, 4.5, 6.5, 8.5, 10.5]}).apply(data, columns=["x"], seed=1)
    every = Composition()(data, [*ways, third])
    assert every.parts["cells pinned by all"] == 100.0
    assert every.value == 100.0
    assert every.parts["cells pinned by one"] == pytest.approx(100 * (0 + 0 + 2 / 12) / 3)


def test_classes_of_all_releases_leave_few_whose_amounts_are_compared():
    draw = np.random.default_rng(5)
    data = pa.table({"x": draw.permutation(np.arange(60.0)), "pay": np.zeros(60)})
    ways = [
        GlobalRecode(cuts={"x": cuts}).apply(data, columns=["x"], seed=1)
        for cuts in ([9.5, 19.5, 29.5, 39.5, 49.5], [4.5, 14.5, 24.5, 34.5, 44.5, 54.5])
    ]
    found = Composition()(data, ways)
    # classes of ten hide each record among ten (the ends of the second among five), and both together among five
    assert found.value == pytest.approx(100 / 5)
    assert found.parts[ONE] == pytest.approx((100 * 6 / 60 + 100 * 7 / 60) / 2)


def test_groups_of_categories_and_gaps_are_looked_at_too():
    data = pa.table({"c": ["a", "b", "c", "d", None] * 8, "pay": np.zeros(40)})
    ways = [
        GlobalRecode(merges={"c": merges}).apply(data, columns=["c"], seed=1)
        for merges in ({"ab": ["a", "b"], "cd": ["c", "d"]}, {"ac": ["a", "c"], "bd": ["b", "d"]})
    ]
    # eight share a letter, and eight gaps fit any; who has a gap is one of all
    assert Composition()(data, ways).value == pytest.approx(100 * (32 / 16 + 8 / 40) / 40)


def test_the_order_of_rows_does_not_matter():
    data = numbers_and_letters().select(["a", "b"])
    releases = several(UncorrelatedNoise(p=0.5), data, ["a", "b"], 3)
    order = np.random.default_rng(1).permutation(500)
    again = Composition()(data.take(order), [release.frame.take(order) for release in releases])
    assert again.parts == pytest.approx(Composition()(data, releases).parts)


def test_what_it_needs():
    data = numbers_and_letters()
    release = Round(base=0.5).apply(data, columns=["a"], seed=1)
    for given in (release, [release]):
        assert "give a list of them" in Composition()(data, given).reason
    assert "nobody knows which rows" in Composition()(data, [release, release.frame.slice(0, 100)]).reason
    with pytest.raises(BadInput, match="leave by and linked out"):
        Composition()(data, [release, release], by="c")
    assert isinstance(Composition().of_pair(mv.measure.Pair.of(data, release)), NotApplicable)


@pytest.mark.parametrize(
    ("method", "one", "left"), [(UncorrelatedNoise(p=0.3), 0.30, 0.07), (ExactNoise(), 0.37, 0.11)]
)
def test_census(method, one, left):
    shared_file("data", "census.csv")
    census = mv.datasets.load("census")
    found = Composition()(census, several(method, census, census.column_names))
    assert found.parts[ERROR] == pytest.approx(one, abs=0.01)
    assert found.parts[LEFT] == pytest.approx(left, abs=0.01)
