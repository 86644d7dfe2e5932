"""Two plans beside one another: the same draws as measured, one scale of colours, indicators with intervals."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

import microveil as mv
from microveil.core.streams import Key
from microveil.data import Microdata
from microveil.measure import Pair
from microveil.report import beside, render_comparison
from microveil.report.correlations import correlation_chart, largest_change
from microveil.report.distributions import distribution_chart, distributions_beside

RNG = np.random.default_rng(2)
BASE = RNG.gamma(2.0, size=200)
FRAME = pd.DataFrame({"a": BASE, "b": BASE + RNG.normal(0, 0.3, 200), "kept": RNG.normal(size=200)})
KEY = Key.of(7)
PLANS = {
    "large": mv.Plan([mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5000))]),
    "noise": mv.Plan([(mv.mask.UncorrelatedNoise(p=0.9), ["a", "b"])]),
    "swap": mv.Plan([(mv.mask.RankSwap(p=2), ["a"])]),
    "third": mv.Plan([(mv.mask.RankSwap(p=3), ["a"])]),
}
FOUND = mv.compare(FRAME, PLANS, risk=mv.risk.RankInterval(), seed=KEY)


def test_the_first_two_that_ran_are_drawn_as_they_were_measured():
    shown = beside(Microdata.of(FRAME), FOUND, KEY, ["mean(a)", "correlation(a, b)"])
    assert shown.labels == ("noise", "swap")
    pairs = {label: Pair.of(FRAME, PLANS[label].run(FRAME, seed=KEY)) for label in shown.labels}
    # columns that either changed, those that changed most first; what nobody changed is not drawn
    assert [[label for label, _ in row] for row in shown.distributions] == [["noise", "swap"]] * 2
    beside_one_another = [distributions_beside(list(pairs.values()), name) for name in ("a", "b")]
    assert sorted([[chart for _, chart in row] for row in shown.distributions]) == sorted(beside_one_another)
    reach = max(largest_change(pair, ["a", "b"]) for pair in pairs.values())
    assert shown.correlations[1] == ("swap", correlation_chart(pairs["swap"], ["a", "b"], reach))
    assert shown.left_out == ""


def test_indicators_say_whether_one_could_tell_them_from_the_original():
    shown = beside(Microdata.of(FRAME), FOUND, KEY, ["mean(a)", "correlation(a, b)", "mean(a, a > 1000)"])
    mean, related, none = shown.indicators
    assert mean[0] == "mean(a)"
    assert mean[3].endswith("; inside the original's interval")  # swapping keeps the mean
    assert related[2].endswith("; outside the original's interval")  # noise makes relations weaker
    assert none[1:] == ("has no value",) * 3
    page = render_comparison(FOUND, side_by_side=shown)
    for words in ("noise and swap side by side", "mean(a, a &gt; 1000)", "Both charts have one scale of colours"):
        assert words in page


def test_the_scale_of_colours_has_room_for_the_larger_change():
    weak = Pair.of(FRAME, PLANS["swap"].run(FRAME, seed=KEY))
    assert largest_change(weak, ["a", "b"]) < 0.2
    assert "+0.50" in correlation_chart(weak, ["a", "b"], 0.4)
    assert "+0.50" not in correlation_chart(weak, ["a", "b"])


def test_one_plan_alone_has_nothing_beside_it():
    assert beside(Microdata.of(FRAME), FOUND[:2], KEY) is None
    assert "side by side" not in render_comparison(FOUND[:2])


def marks_upwards(chart: str) -> list[str]:
    """The numbers beside the axis of shares."""
    return re.findall(r'<text x="36" y="[^"]*" class="mv-soft mv-small" text-anchor="end">([^<]*)</text>', chart)


def bars(chart: str) -> list[str]:
    """The bars of the original with their places."""
    return re.findall(r'<rect ([^>]*) class="mv-before"', chart)


def test_histograms_beside_one_another_have_the_same_bins_and_the_same_scale():
    frame = pd.DataFrame({"a": BASE})
    heaped = frame.assign(a=np.where(np.arange(200) < 120, 1.5, BASE))  # most records in one bin
    lost = frame.assign(a=np.where(np.arange(200) < 20, np.nan, BASE))  # some have no value
    pairs = [Pair.of(frame, heaped), Pair.of(frame, lost)]
    alone = [distribution_chart(pair, "a") for pair in pairs]
    assert marks_upwards(alone[0]) != marks_upwards(alone[1])
    assert bars(alone[0]) != bars(alone[1])
    both = distributions_beside(pairs, "a")
    assert marks_upwards(both[0]) == marks_upwards(both[1]) == marks_upwards(alone[0])
    assert bars(both[0]) == bars(both[1])  # the original is drawn the same: same bins, same heights
    assert all(">missing</text>" in chart for chart in both)


def test_bars_beside_one_another_have_the_same_scale():
    frame = pd.DataFrame({"c": ["x"] * 60 + ["y"] * 40})
    pairs = [Pair.of(frame, pd.DataFrame({"c": ["x"] * share + ["y"] * (100 - share)})) for share in (60, 90)]
    both = distributions_beside(pairs, "c")
    assert bars(both[0]) == bars(both[1]) == bars(distribution_chart(pairs[1], "c"))
    assert bars(distribution_chart(pairs[0], "c")) != bars(both[0])
