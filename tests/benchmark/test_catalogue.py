"""The catalogue of the benchmark and its data: 109 published maskings, every method, amounts alone."""

from __future__ import annotations

from collections import Counter

import pytest

from microveil.benchmark.data import available, data_called
from microveil.benchmark.entries import GOOD, PUBLISHED, entries_for, published_maskings
from microveil.core.errors import FileProblem, UnknownName
from microveil.plan import Space
from microveil.plan.plan_words import words_of
from microveil.reproduce.pil_tables import many_maskings


@pytest.fixture(scope="module")
def generated():
    return data_called("generated")


def test_as_many_maskings_as_the_paper_has():
    found = published_maskings()
    assert len(found) == len(set(found)) == 109
    assert list(found[:105]) == list(many_maskings())
    assert Counter(method.name for method in found) == {
        "microaggregation": 76,
        "rank-swap": 20,
        "uncorrelated-noise": 10,
        "resample": 3,
    }


def test_every_method_that_suits_amounts_is_there_and_each_plan_once(generated):
    found = entries_for(generated)
    assert len({entry.text for entry in found}) == len(found) == len({entry.label for entry in found})
    assert {entry.plan.steps[0].method.name for entry in found} == set(Space.of(generated).members)
    swap = next(entry for entry in found if entry.plan.steps[0].method.name == "rank-swap")
    assert swap.label == words_of(swap.plan) == "rank-swap (p: 1)"  # the names of searches and comparisons
    groups = Counter(entry.group for entry in found)
    assert groups[PUBLISHED] == 109
    assert groups[GOOD] == 3  # those that are not rescaled are published ones
    assert {"mask", "hybrid", "synth"} < set(groups)


def test_generated_data_hold_amounts_alone_and_are_always_the_same(generated):
    assert set(generated.kinds.values()) == {"continuous"}
    assert generated.n == 1000
    assert generated.frame.equals(data_called("generated").frame)


def test_without_reference_files_the_generated_one_is_taken(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MICROVEIL_DATA", str(tmp_path))
    assert available() == ("generated",)
    with pytest.raises(FileProblem, match="census"):
        data_called("census")
    (tmp_path / "census.csv").write_text("a,b\n1,2\n")
    assert available() == ("census",)


def test_an_unknown_file_is_told():
    with pytest.raises(UnknownName, match="did you mean 'census'"):
        data_called("cenus")
