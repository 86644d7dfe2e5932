"""Top and bottom coding."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.data.microdata import Microdata
from microveil.mask import TopBottomCode

FRAME = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 100.0]})


def coded(method, frame=FRAME):
    return method.apply(frame, seed=1).frame["x"].tolist()


def test_share_codes_both_tails_at_the_threshold():
    assert coded(TopBottomCode(share=0.3)) == [3, 3, 3, 4, 5, 6, 7, 8, 8, 8]


def test_count_on_one_side():
    assert coded(TopBottomCode(count=4, tails="top")) == [1, 2, 3, 4, 5, 6, 7, 7, 7, 7]
    assert coded(TopBottomCode(count=4, tails="bottom")) == [4, 4, 4, 4, 5, 6, 7, 8, 9, 100]


def test_mean_keeps_the_mean_and_median_is_an_observed_value():
    with_mean = coded(TopBottomCode(count=4, tails="top", replacement="mean"))
    assert with_mean[6:] == [31.0] * 4
    assert np.mean(with_mean) == pytest.approx(FRAME["x"].mean(), abs=1e-12)
    assert coded(TopBottomCode(count=4, tails="top", replacement="median"))[6:] == [8.0] * 4


def test_thresholds_are_included_and_may_differ_by_column():
    assert coded(TopBottomCode(top=7.0)) == [1, 2, 3, 4, 5, 6, 7, 7, 7, 7]
    frame = FRAME.assign(y=FRAME["x"])
    masked = TopBottomCode(top={"x": 6.5}, bottom={"y": 3.0}).apply(frame, seed=1).frame
    assert masked["x"].tolist() == [1, 2, 3, 4, 5, 6, 6.5, 6.5, 6.5, 6.5]
    assert masked["y"].tolist() == [3, 3, 3, 4, 5, 6, 7, 8, 9, 100]


def test_a_short_tail_grows_to_k_and_is_reported():
    release = TopBottomCode(top=50.0, k=3).apply(FRAME, seed=1)
    assert release.frame["x"].tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 8, 8]
    assert any("moved inward" in note for note in release.notes)


def test_ties_at_the_threshold_are_coded_together():
    frame = pd.DataFrame({"x": [1.0, 2.0, 5.0, 5.0, 5.0, 9.0]})
    assert coded(TopBottomCode(count=2, k=2, tails="top", replacement="mean"), frame)[2:] == [6.0] * 4


def test_one_value_in_both_tails_makes_them_one():
    frame = pd.DataFrame({"x": [1.0, 5.0, 5.0, 5.0, 5.0, 9.0]})
    assert coded(TopBottomCode(count=2, k=2), frame) == [5.0] * 6
    assert coded(TopBottomCode(count=2, k=2, replacement="mean"), frame) == [5.0] * 6


def test_ordinal_levels_as_thresholds():
    grades = ["low", "mid", "high", "top"]
    frame = pd.DataFrame({"x": ["low", "mid", "high", "top", "top", "high", "mid", "low"]})
    data = Microdata(frame, levels={"x": grades})
    assert TopBottomCode(top="high", k=2).apply(data, seed=1).frame["x"].tolist().count("high") == 4
    with pytest.raises(BadInput, match="protects continuous columns; 'x' is ordinal"):
        TopBottomCode(replacement="mean").apply(data, columns=["x"], seed=1)
    with pytest.raises(BadInput, match="'huge' is not a level of 'x'"):
        TopBottomCode(top="huge").apply(data, seed=1)


def test_gaps_stay_and_do_not_count():
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0, 5.0, np.nan, 9.0]})
    masked = TopBottomCode(count=2, k=2, tails="top").apply(frame, seed=1, missing="mask").frame["x"]
    assert masked.isna().sum() == 2
    assert masked.dropna().tolist() == [1, 3, 4, 5, 5]


def test_refusals():
    with pytest.raises(BadInput, match=r"count=3 goes without share, and share is 0.1; leave one of them out"):
        TopBottomCode(share=0.1, count=3)
    with pytest.raises(BadInput, match="cross"):
        TopBottomCode(top=3.0, bottom=7.0).apply(FRAME, seed=1)
    with pytest.raises(NotEnoughRecords, match="k=20 records: 10 given"):
        TopBottomCode(k=20).apply(FRAME, seed=1)
    with pytest.raises(BadInput, match="top names 'z'"):
        TopBottomCode(top={"z": 1.0}).apply(FRAME, seed=1)
