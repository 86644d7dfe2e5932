"""k-map by the size of a population: a record of a simple sample stands for some people."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput

DRAWS = np.random.default_rng(8)
FRAME = pd.DataFrame({"age": DRAWS.integers(18, 60, 400), "job": DRAWS.choice(list("abcdef"), 400)})
DATA = mv.Microdata(FRAME, roles=dict.fromkeys(FRAME, "key"))


def smallest_class(release: mv.data.Release) -> int:
    return int(release.frame.groupby(list(FRAME)).size().min())


@pytest.mark.parametrize("method", [mv.mask.KAnonymise, mv.mask.Lattice], ids=lambda method: method.name)
def test_classes_stand_for_enough_people(method):
    # 400 of 8,000 people: each record stands for 20, so that 150 people are 8 records
    release = method(model=mv.Anonymity(k=2, population=150, population_size=8_000)).apply(DATA)
    assert smallest_class(release) >= 8
    promised = [str(claim) for claim in release.claims]
    assert any("8" in text and "records" in text for text in promised), promised
    asked = method(model=mv.Anonymity(k=8)).apply(DATA)
    assert (asked.frame == release.frame).all(axis=None)


def test_what_is_asked_can_be_told_and_makes_sense():
    model = mv.Anonymity(k=2, population=150, population_size=8_000)
    assert model.asked == "k=2, population=150, population_size=8000"
    with pytest.raises(BadInput, match="population_size=8000 needs population, which is left out"):
        mv.Anonymity(k=2, population_size=8_000)
    with pytest.raises(BadInput, match="population_size=300 is less than the 400 records"):
        mv.mask.Lattice(model=mv.Anonymity(k=2, population=5, population_size=300)).apply(DATA)
    with pytest.raises(BadInput, match="leave by out"):
        mv.mask.Lattice(model=model).apply(DATA, columns=["age"], by="job")


def test_records_that_stand_for_enough_people_by_themselves_need_no_change():
    model = mv.Anonymity(k=1, population=20, population_size=60)
    with pytest.raises(
        BadInput, match="each of the 3 records stands for 20 people, so that population=20 holds without"
    ):
        mv.mask.Lattice(model=model).apply(mv.Microdata(pd.DataFrame({"a": list("xyz")}), roles={"a": "key"}))
