"""Losses by generalisation: by hand, and as the lattice that minimises them tells them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.core.measured import NotApplicable
from microveil.data.microdata import Microdata
from tests.mask.test_lattice_search import KEYS, survey_with_hierarchies

MEASURES = {
    "ncp": mv.loss.NCP,
    "geometric": mv.loss.GeometricLoss,
    "non-uniform-entropy": mv.loss.NonUniformEntropy,
    "precision": mv.loss.Precision,
    "height": mv.loss.Height,
    "discernibility": mv.loss.Discernibility,
    "class-size": mv.loss.AverageClassSize,
}
PARTS = {"discernibility": "discernibility", "class-size": "class size"}


def told(release):
    return float(re.search(r"loss ([\d.e+-]+)", release.notes[0])[1])


@pytest.mark.parametrize("kind", MEASURES)
@pytest.mark.parametrize("more", [{}, {"max_dropped": 0.1}, {"max_dropped": 0.1, "drop_price": 0.3}])
def test_the_measure_on_a_release_is_the_loss_that_was_minimised(kind, more, tmp_path):
    for gaps in (False, True):
        data = survey_with_hierarchies(300)
        if gaps:
            frame = data.frame.copy()
            frame.loc[::17, "job"] = None
            data = data.with_(frame)
        release = mv.mask.Lattice(k=3, loss=kind, **more).apply(data, seed=1)
        measure = MEASURES[kind](drop_price=more.get("drop_price", 1.0))
        found = measure(data, release, columns=KEYS)
        figure = found.parts[PARTS[kind]] if kind in PARTS else found.value
        assert figure == pytest.approx(told(release), rel=1e-3)
        # and on the file as it was written, where nobody may know which records were left out
        if len(release) == data.n:
            mv.write(release, tmp_path / "out.csv", reproducible=True, shuffle=False)
            written = pd.read_csv(tmp_path / "out.csv", keep_default_na=True)
            again = measure(data, written, columns=KEYS, linked=release.origin)
            figure = again.parts[PARTS[kind]] if kind in PARTS else again.value
            assert figure == pytest.approx(told(release), rel=1e-3)


def test_weights_count_in_mask_and_measure():
    data = survey_with_hierarchies(300)
    weights = {"age": 3.0, "job": 0.5}
    for kind in ("ncp", "geometric", "non-uniform-entropy", "precision", "height"):
        release = mv.mask.Lattice(k=3, loss=kind, weights=weights).apply(data, seed=1)
        found = MEASURES[kind](weights=weights)(data, release, columns=KEYS)
        assert found.value == pytest.approx(told(release), rel=1e-3)


FRAME = pd.DataFrame({"job": ["smith", "miner", "nurse", "nurse"], "age": [20, 30, 40, 40]})
PATHS = {"smith": ("manual", "any"), "miner": ("manual", "any"), "nurse": ("care", "any")}


def known():
    return Microdata(FRAME, kinds={"job": "nominal", "age": "ordinal"}, hierarchies={"job": PATHS})


def test_figures_by_hand():
    coarse = FRAME.assign(job=["manual", "manual", "care", "care"])
    # smith and miner cannot be told from each other, one of two other values; a bit each
    assert mv.loss.NCP()(known(), coarse, columns=["job"]).value == pytest.approx(0.25)
    assert mv.loss.NCP()(known(), coarse).value == pytest.approx(0.125)
    assert mv.loss.GeometricLoss()(known(), coarse).value == pytest.approx(np.sqrt(1.25) - 1)
    assert mv.loss.NonUniformEntropy()(known(), coarse).value == pytest.approx(2.0)
    assert mv.loss.Precision()(known(), coarse, columns=["job"]).value == pytest.approx(0.5)
    assert mv.loss.Height()(known(), coarse).value == pytest.approx(1 / 3)
    grown = mv.loss.Discernibility()(known(), coarse, columns=["job"])
    assert grown.parts == pytest.approx({"discernibility": 0.5, "in the original": 6 / 16, "left out": 0})
    assert mv.loss.AverageClassSize()(known(), coarse, columns=["job"]).value == pytest.approx(2 - 4 / 3)


def test_what_is_left_out_or_false_is_lost():
    one_gone = FRAME.iloc[1:]
    found = mv.loss.NCP()(known(), one_gone, columns=["job"], linked=np.array([1, 2, 3]))
    assert found.value == pytest.approx(0.25)
    assert found.parts["left out"] == 1
    gone = mv.loss.Discernibility()(known(), one_gone, columns=["job"], linked=np.array([1, 2, 3]))
    # 1 + 4 of pairs among the three, and 4 for the one that is not there: 9 of 16
    assert gone.said == (
        "A record cannot be told from 2.25 of 4 records on average; in the original from 1.5. 1 of these come from 1 "
        "record that was left out: it counts as one that cannot be told from 4 records."
    )
    false = FRAME.assign(job=["care", "miner", "nurse", "nurse"])
    assert mv.loss.NCP()(known(), false, columns=["job"]).value == pytest.approx(0.25)
    assert mv.loss.Precision()(known(), false, columns=["job"]).value == pytest.approx(0.25)


def test_levels_that_nobody_stated_cannot_be_told():
    ranges = FRAME.assign(age=["20..30", "20..30", "40", "40"])
    assert isinstance(mv.loss.Precision()(known(), ranges), NotApplicable)
    assert "age was recoded without a hierarchy" in mv.loss.Height()(known(), ranges).reason


@pytest.mark.parametrize(
    ("kind", "lost"), [("ncp", 0.6), ("geometric", np.sqrt(2 * 1.2) - 1), ("non-uniform-entropy", 9.932)]
)
def test_a_star_stands_for_gaps_that_are_left_out(kind, lost):
    """The star hides two other values, x or y and the gap; bits are 4 log2(5/2) + log2 5, and log2 5 for the q."""
    data = Microdata(pd.DataFrame({"a": ["x", "x", "y", "y", None], "b": ["p"] * 4 + ["q"]}))
    mask = mv.mask.Lattice(k=4, max_dropped=0.2, loss=kind, levels={"a": 1, "b": 0})
    release = mask.apply(data, columns=["a", "b"], seed=1)
    assert told(release) == pytest.approx(lost, rel=1e-3)
    assert MEASURES[kind]()(data, release).value == pytest.approx(lost, rel=1e-3)
    # gaps that are released as gaps are told from a star
    shown = pd.DataFrame({"a": ["*"] * 4 + [None], "b": data.frame["b"]})
    assert mv.loss.NCP()(data, shown, columns=["a"]).value == pytest.approx(4 * 0.5 / 5)


@pytest.mark.parametrize("kind", ["precision", "height"])
def test_values_that_only_a_register_has_add_no_level(kind):
    paths = {"Linz": ("Austria", "*"), "Graz": ("Austria", "*"), "Bonn": ("Germany", "*")}
    data = Microdata(pd.DataFrame({"city": ["Linz", "Graz"]}), roles={"city": "key"}, hierarchies={"city": paths})
    mask = mv.mask.Lattice(model=mv.Anonymity(k=1, register=3), loss=kind)
    release = mask.apply(data, register=pd.DataFrame({"city": ["Linz", "Linz", "Graz", "Bonn"]}))
    assert set(release.frame["city"]) == {"Austria"}
    assert told(release) == MEASURES[kind]()(data, release).value == 0.5


def test_a_star_among_the_values_is_refused():
    data = Microdata(pd.DataFrame({"a": ["x", "*", "*", "y"]}), roles={"a": "key"})
    with pytest.raises(BadInput, match=r"'a' holds the value '\*', which stands for every value .*missing=\['\*'\]"):
        mv.mask.Lattice(k=2).apply(data, seed=1)
    gaps = data.with_(missing={"a": ["*"]})
    assert set(mv.mask.Lattice(k=2).apply(gaps, seed=1).frame["a"]) == {"*"}


def test_a_growth_below_one_record_is_not_called_a_size():
    before = pd.DataFrame({"a": list(range(20))})
    after = before.assign(a=[0, 0, *range(2, 20)])
    found = mv.loss.AverageClassSize()(before, after)
    assert 0 < found.value < 1 <= found.parts["class size"]
    assert mv.loss.AverageClassSize.title.startswith("Growth")
