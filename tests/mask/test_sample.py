"""Sampling."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.data.microdata import Microdata
from microveil.mask import Sample
from microveil.mask.sample import risk_probabilities, systematic

FRAME = pd.DataFrame(
    {
        "area": ["n"] * 60 + ["s"] * 40,
        "x": np.arange(100.0),
        "w": np.full(100, 10.0),
        "hh": np.repeat(np.arange(25), 4),
    },
    index=np.arange(500, 600),
)
DATA = Microdata(FRAME, roles={"w": "weight", "hh": "household", "area": "key"}, kinds={"area": "nominal"})


@pytest.mark.parametrize("design", ["simple", "systematic"])
def test_rows_are_original_rows_and_weights_still_add_up(design):
    release = Sample(fraction=0.3, design=design).apply(DATA, seed=1)
    assert len(release) == 30
    pd.testing.assert_frame_equal(
        release.frame[["area", "x", "hh"]], FRAME.loc[release.frame.index, ["area", "x", "hh"]]
    )
    assert release.frame["w"].sum() == pytest.approx(1000)


def test_strata_keep_their_totals_and_never_vanish():
    release = Sample(fraction=0.25).apply(DATA, by="area", seed=1)
    totals = release.frame.groupby("area")["w"].sum()
    assert totals["n"] == pytest.approx(600)
    assert totals["s"] == pytest.approx(400)
    tiny = Sample(fraction=0.01).apply(DATA, by="area", seed=1)
    assert tiny.frame["area"].value_counts().tolist() == [1, 1]


def test_households_stay_whole():
    release = Sample(fraction=0.4, households=True).apply(DATA, seed=1)
    assert release.frame.groupby("hh").size().tolist() == [4] * 10
    assert len(Sample(fraction=0.4, households=True).apply(FRAME[["x"]], seed=1)) == 40
    with pytest.raises(BadInput, match="households=True needs design='simple' or 'systematic'; design is 'risk'"):
        Sample(households=True, design="risk")


def test_size_and_refusal():
    assert len(Sample(size=17).apply(DATA, seed=1)) == 17
    with pytest.raises(NotEnoughRecords, match="size=101 cannot be drawn from 100"):
        Sample(size=101).apply(DATA, seed=1)


def test_gaps_do_not_matter_to_a_sample_of_rows():
    frame = FRAME.assign(x=FRAME["x"].where(FRAME["x"] > 10))
    assert len(Sample().apply(Microdata(frame, roles={"w": "weight"}), seed=1)) == 50


def test_without_weights_the_note_tells():
    release = Sample().apply(FRAME[["x"]], seed=1)
    assert any("50 of 100 records were drawn" in note for note in release.notes)


def test_probabilities_by_risk():
    codes = np.array([[0]] * 1 + [[1]] * 3 + [[2]] * 6)
    chance = risk_probabilities(codes, 5)
    assert chance.sum() == pytest.approx(5)
    assert chance[0] < chance[1] < chance[4] <= 1
    # taken with certainty once the proportional probability exceeds 1
    capped = risk_probabilities(codes, 8)
    assert capped.sum() == pytest.approx(8)
    assert capped.max() == 1.0


def test_systematic_draws_the_expected_number():
    chance = np.full(10, 0.3)
    for start in (0.0, 0.2, 0.99):
        assert len(systematic(chance, np.arange(10), start)) == 3


def test_risk_design_updates_weights_by_its_own_probabilities():
    release = Sample(design="risk", size=50).apply(DATA, seed=2)
    kept = release.frame
    assert len(kept) == 50
    assert kept.loc[kept["area"] == "s", "w"].min() > kept.loc[kept["area"] == "n", "w"].max()


@pytest.mark.full
@pytest.mark.parametrize("design", ["simple", "systematic", "risk"])
def test_weighted_totals_are_unbiased(design):
    totals = []
    for seed in range(2000):
        kept = Sample(design=design, fraction=0.3).apply(DATA, seed=seed).frame
        totals.append((kept["x"] * kept["w"]).sum())
    error = np.std(totals, ddof=1) / np.sqrt(2000)
    assert abs(np.mean(totals) - (FRAME["x"] * FRAME["w"]).sum()) <= 4 * error
