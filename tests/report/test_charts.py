from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.core.errors import BadInput
from microveil.report import chart_svg
from microveil.report.chart_bars import bars_pair
from microveil.report.chart_bins import LEAST_RECORDS, common_bins
from microveil.report.chart_correlation import correlation_change
from microveil.report.chart_histogram import histogram_pair
from microveil.report.chart_map import MapPoint, risk_utility_map
from microveil.report.chart_svg import SMALL, nice_step, shorten, shorten_apart, text_width, ticks

NASTY = "<script>alert('x')</script>\"&\x00\ud800]]>"


def parse(svg: str) -> ET.Element:
    """The chart as a tree: well formed, accessible, self-contained and with numbers in all places."""
    root = ET.fromstring(svg)
    local = [element.tag.split("}")[1] for element in root.iter()]
    assert local[:3] == ["svg", "title", "desc"]
    assert root.get("role") == "img"
    assert not {"script", "image", "use", "foreignObject", "a"} & set(local)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|@import|url\(", svg)
    for element in root.iter():
        for name in ("x", "y", "width", "height", "cx", "cy", "r", "d", "viewBox"):
            assert not re.search("nan|inf", element.get(name, ""))
        if element.tag.endswith("rect"):
            assert float(element.get("width")) >= 0
            assert float(element.get("height")) >= 0
    return root


def texts(svg: str) -> list[str]:
    return ["".join(e.itertext()) for e in parse(svg).iter() if e.tag.endswith("}text")]


def shapes(svg: str, style: str) -> list[ET.Element]:
    return [e for e in parse(svg).iter() if e.get("class") == style]


# histograms


def test_shares_of_both_columns_add_up_to_one():
    rng = np.random.default_rng(1)
    before, after = rng.lognormal(10, 1, 3000), rng.lognormal(10, 1.2, 2500)
    bins = common_bins(before, after)
    assert bins.before.sum() + bins.below[0] + bins.above[0] == pytest.approx(1)
    assert bins.after.sum() + bins.below[1] + bins.above[1] == pytest.approx(1)
    by_hand = np.histogram(before, bins.edges)[0] / 3000
    assert bins.before == pytest.approx(by_hand)


@given(st.integers(20, 400), st.integers(0, 10**6), st.sampled_from(["normal", "cauchy", "lognormal", "ties", "whole"]))
def test_no_extreme_original_record_stands_alone(n, seed, shape):
    rng = np.random.default_rng(seed)
    draw = {
        "normal": lambda: rng.normal(size=n),
        "cauchy": lambda: rng.standard_cauchy(n) * 1e6,
        "lognormal": lambda: rng.lognormal(8, 2, n) * (rng.random(n) < 0.8),
        "ties": lambda: np.round(rng.normal(size=n), 1),
        "whole": lambda: rng.poisson(3, n).astype(float),
    }
    before = draw[shape]()
    bins = common_bins(before, before)
    below, above = (round(n * share) for share in (bins.below[0], bins.above[0]))
    ends = [below or round(n * bins.before[0]), above or round(n * bins.before[-1])]
    if len(bins.before) > 1:
        assert min(ends) >= LEAST_RECORDS
    parse(histogram_pair("x", before, draw[shape]()))


def test_a_last_bin_of_few_records_is_joined_to_the_one_before():
    rng = np.random.default_rng(249)
    before = rng.lognormal(8, 2, 250) * (rng.random(250) < 0.8)
    bins = common_bins(before, before)
    outermost = bins.above[0] or bins.before[-1]
    assert round(250 * outermost) >= LEAST_RECORDS


def test_extreme_values_are_nowhere_in_the_chart():
    before = np.append(np.random.default_rng(2).lognormal(10, 0.5, 999), 987_654_321.0)
    chart = histogram_pair("income", before, before)
    assert "988M" not in chart
    assert "987" not in chart
    outer = [label for label in texts(chart) if label.startswith("≥")]
    assert len(outer) == 1


def test_whole_numbers_have_a_bin_each():
    before = np.repeat([1.0, 2, 3, 4], [30, 40, 20, 10])
    bins = common_bins(before, before[:50])
    assert bins.edges.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]
    assert bins.before == pytest.approx([0.3, 0.4, 0.2, 0.1])
    assert bins.after == pytest.approx([0.6, 0.4, 0, 0])


def test_heavy_tails_get_logarithmic_bins_and_say_so():
    rng = np.random.default_rng(3)
    skewed = rng.lognormal(8, 2.5, 4000)
    assert common_bins(skewed, skewed).scale is not None
    assert common_bins(skewed, skewed).before.max() < 0.25
    assert "logarithmic scale" in histogram_pair("wealth", skewed, skewed)
    assert "logarithmic scale" not in histogram_pair("age", rng.normal(size=4000), rng.normal(size=4000))


def test_missing_values_have_a_bar_of_their_own_beside_those_beyond_the_range():
    before = np.concatenate([np.arange(980.0), np.full(20, np.nan), 1e6 * np.arange(1.0, 11)])
    after = np.where(np.arange(len(before)) < 250, np.nan, before)
    chart = histogram_pair("x", before, after)
    assert "Missing: 2.0 % before, 26.7 % after." in chart
    labels = {e.text: float(e.get("x")) for e in parse(chart).iter() if e.tag.endswith("}text") and e.text}
    beyond = next(x for label, x in labels.items() if label.startswith("≥"))
    assert labels["missing"] - beyond > text_width("missing", SMALL)


def test_missing_categories_are_a_row_and_shares_are_of_all_records():
    chart = bars_pair("x", ["a", "b"], [60, 40], [30, 20], missing=(0, 50))
    assert "a: 60.0 % before, 30.0 % after; b: 40.0 % before, 20.0 % after; missing: 0 % before, 50.0 % after" in chart
    assert "missing" in texts(chart)
    assert "missing" not in texts(bars_pair("x", ["a", "b"], [60, 40], [30, 20]))


@pytest.mark.parametrize("values", [[], [1.0], [np.nan] * 50, [1.0] * 19])
def test_too_few_records_are_not_drawn(values):
    chart = histogram_pair("x", values, values)
    assert "Too few records to show a distribution." in texts(chart)
    assert not shapes(chart, "mv-before")


def test_nothing_left():
    assert "No finite values are left after protection." in texts(histogram_pair("x", range(30), [np.nan] * 30))


@given(
    st.lists(st.floats() | st.sampled_from([0.0, 1.0, 1e17, 1e17 + 16, 5e-324, 1.7e308]), min_size=20, max_size=60).map(
        np.array
    )
)
def test_any_numbers_give_a_chart(values):
    with np.errstate(all="raise", under="ignore"):
        parse(histogram_pair("x", values, values[::-1] / 2))


@pytest.mark.parametrize("pair", [(1e17, 1e17 + 16), (0.0, 5e-324), (1.0, 1.0 + 2.3e-16)])
def test_differences_below_the_precision_are_none(pair):
    values = np.repeat(pair, 30)
    bins = common_bins(values, values)
    assert bins.before.tolist() == [1.0]
    parse(histogram_pair("x", values, values))


def test_constant_column():
    chart = histogram_pair("c", np.full(50, 42.0), np.full(50, 42.0))
    assert "42" in texts(chart)
    assert len(shapes(chart, "mv-before")) == 2  # the swatch and one bar


# categories


def widths(chart: str, style: str) -> list[float]:
    return [float(bar.get("width")) for bar in shapes(chart, style)][1:]  # the first is the swatch


def test_bars_are_proportional_and_sorted():
    chart = bars_pair("sex", ["a", "b", "c"], [10, 60, 30], [20, 20, 20])
    before = widths(chart, "mv-before")
    assert np.array(before) / before[0] == pytest.approx([1, 0.5, 1 / 6], abs=1e-3)
    assert np.array(widths(chart, "mv-after")) / before[0] == pytest.approx([1 / 1.8] * 3, abs=1e-3)
    assert [t for t in texts(chart) if t in "abc"] == ["b", "c", "a"]
    assert texts(chart).count("33.3 %") == 3


def test_ordered_categories_keep_their_order():
    chart = bars_pair("education", ["low", "middle", "high"], [10, 60, 30], [10, 60, 30], ordered=True)
    assert [t for t in texts(chart) if t in ("low", "middle", "high")] == ["low", "middle", "high"]


def test_many_categories_are_gathered():
    counts = np.arange(40, 0, -1) * 10
    chart = bars_pair("occupation", [f"job {i}" for i in range(40)], counts, counts)
    shown = [t for t in texts(chart) if t.startswith(("job", "other"))]
    assert shown == [f"job {i}" for i in range(14)] + ["other (26 categories)"]
    assert f"{100 * counts[14:].sum() / counts.sum():.1f} %" in texts(chart)


def test_rare_categories_are_not_named():
    chart = bars_pair("nationality", ["national", "rare one", "rare two"], [95, 2, 1], [95, 2, 1])
    assert "rare" not in chart
    assert "other (2 categories)" in texts(chart)


@pytest.mark.parametrize(("categories", "counts"), [([], []), (["a"], [0])])
def test_no_records(categories, counts):
    assert "No records to show." in texts(bars_pair("x", categories, counts, counts))


def test_bars_refuse_what_does_not_fit():
    with pytest.raises(BadInput, match="2 categories but 3 counts; give one count for each"):
        bars_pair("x", ["a", "b"], [1, 2, 3], [1, 2, 3])
    with pytest.raises(BadInput, match="finite and not negative"):
        bars_pair("x", ["a", "b"], [1, -2], [1, 2])


# correlations


def test_cells_show_the_signed_change():
    before = np.array([[1, 0.5, 0.1], [0.5, 1, 0.3], [0.1, 0.3, 1]])
    after = np.array([[1, 0.3, 0.1], [0.3, 1, 0.65], [0.1, 0.65, 1]])
    chart = correlation_change(["a", "b", "c"], before, after)
    assert {"−0.20", "+0.35", "0"} <= set(texts(chart))
    titles = [e.text for e in parse(chart).iter() if e.tag.endswith("title")]
    assert "b, a: −0.20" in titles
    assert "c, b: +0.35" in titles
    desc = next(e.text for e in parse(chart).iter() if e.tag.endswith("desc"))
    assert desc == "Largest change: c with b, +0.35."


def test_strength_follows_the_change():
    before = np.eye(3)
    after = np.array([[1, 0.5, 0.25], [0.5, 1, -0.25], [0.25, -0.25, 1]])
    chart = correlation_change(["a", "b", "c"], before, after)
    up = [float(e.get("fill-opacity")) for e in shapes(chart, "mv-up") if float(e.get("width")) > 11]
    down = [float(e.get("fill-opacity")) for e in shapes(chart, "mv-down") if float(e.get("width")) > 11]
    assert up[0] > up[1] == down[0]


def test_values_are_written_where_cells_have_room():
    for p, written in ((8, True), (13, False)):
        after = np.full((p, p), 0.37)
        chart = correlation_change([f"c{i}" for i in range(p)], np.eye(p), after)
        assert ("+0.37" in texts(chart)) == written


def test_wide_files_show_the_columns_that_changed_most():
    p = 60
    after = np.eye(p)
    after[50, 3] = after[3, 50] = 0.4
    chart = correlation_change([f"c{i}" for i in range(p)], np.eye(p), after)
    assert {"c3", "c50"} <= set(texts(chart))
    assert "protected minus original, 24 of 60 columns with the largest changes" in chart


def test_undefined_correlations_are_dashes():
    nothing = np.full((2, 2), np.nan)
    chart = correlation_change(["a", "constant"], nothing, nothing)
    assert "–" in texts(chart)
    assert "No correlation changed." in chart


def test_correlations_refuse_and_explain():
    with pytest.raises(BadInput, match=r"2 names but a matrix of shape \(3, 3\)"):
        correlation_change(["a", "b"], np.eye(3), np.eye(3))
    assert "Correlations need at least two columns." in texts(correlation_change(["a"], [[1]], [[1]]))


# measures in rows


# map


def test_points_and_frontier_have_their_places():
    points = [MapPoint("original", 0, 100, reference=True), MapPoint("a", 10, 50), MapPoint("b", 20, 80)]
    chart = risk_utility_map([*points, MapPoint("chosen", 30, 10, chosen=True)], [(0, 100), (10, 50), (30, 10)])
    named = [text for text in texts(chart) if ": loss" in text]
    assert [text.split(":")[0] for text in named] == ["original", "a", "b", "chosen"]
    dots = [e for e in parse(chart).iter() if e.tag.endswith("circle") and e.get("class") != "mv-outline"]
    place = {e[0].text.split(":")[0]: (float(e.get("cx")), float(e.get("cy"))) for e in dots}
    assert place["b"][0] == pytest.approx((place["a"][0] + place["chosen"][0]) / 2, abs=0.02)
    assert place["chosen"][1] > place["a"][1] > place["b"][1]
    path = shapes(chart, "mv-frontier")[0].get("d")
    assert path.count("H") == path.count("V") == 2
    assert "On the frontier: original, a, chosen." in chart


def test_a_release_that_breaks_rules_is_crossed_out():
    points = [MapPoint("keeps", 10, 50), MapPoint("breaks", 5, 40, impossible=37), MapPoint("one", 6, 41, impossible=1)]
    chart = risk_utility_map(points, [(10, 50)])
    crosses = {e[0].text for e in shapes(chart, "mv-reference")}
    assert crosses == {
        "breaks: loss 5, risk 40; 37 records break a rule",
        "one: loss 6, risk 41; 1 record breaks a rule",
    }
    assert sum(text.endswith(" ×") for text in texts(chart)) == 2
    assert "With records that break a rule of the data: breaks, one." in chart


def number_boxes(chart: str) -> dict[str, tuple[float, float, float, float]]:
    """Where the numbers of the points stand on the map, above the names."""
    boxes = {}
    for e in parse(chart).iter():
        label = "".join(e.itertext()) if e.tag.endswith("}text") else ""
        title = e.find("{*}title") if e.tag.endswith("}text") else None
        if title is not None and title.text.startswith("method"):
            label = label.removeprefix(title.text)
            x, y, width = float(e.get("x")), float(e.get("y")), text_width(label, SMALL)
            if label.isdigit():
                boxes[label] = (x, y - 10, x + width, y + 1)
    return boxes


def test_every_point_is_numbered_and_named_and_no_number_covers_another():
    rng = np.random.default_rng(5)
    points = [MapPoint(f"method {i}", *rng.random(2)) for i in range(30)]
    chart = risk_utility_map(points)
    boxes = number_boxes(chart)
    assert sorted(map(int, boxes)) == list(range(1, 31))
    assert all(any(point.label in shown for shown in texts(chart)) for point in points)
    found = list(boxes.values())
    for i, a in enumerate(found):
        assert a[2] <= 480
        for b in found[:i]:
            assert not (a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3])


def test_numbers_follow_the_loss_and_the_chosen_point_is_named_so():
    chart = risk_utility_map([MapPoint("method b", 2, 1, chosen=True), MapPoint("method a", 1, 2)])
    shown = [text.split("\n")[-1] for text in texts(chart)]
    assert any(text.endswith("method b (chosen)") for text in shown)
    named = [text for text in shown if "method" in text and "loss" in text]
    assert named[0].endswith("method a")


def test_no_number_is_struck_through_by_the_frontier():
    edge = [(x, 10.0 - x) for x in range(10)]
    chart = risk_utility_map([MapPoint(f"method {i}", *place) for i, place in enumerate(edge)], edge)
    path = shapes(chart, "mv-frontier")[0].get("d")
    x, y = map(float, re.match(r"M([\d.]+) ([\d.]+)", path).groups())
    boxes = number_boxes(chart).values()
    assert len(boxes) == 10
    for across, down in re.findall(r"H([\d.]+)V([\d.]+)", path):
        for left, top, right, bottom in boxes:
            assert not (top < y < bottom and left < float(across) and right > x)
            assert not (left < float(across) < right and top < float(down) and bottom > y)
        x, y = float(across), float(down)


def test_of_very_many_points_only_the_important_are_named():
    rng = np.random.default_rng(5)
    points = [MapPoint(f"method {i}", *rng.random(2), chosen=i == 7) for i in range(300)]
    chart = risk_utility_map(points)
    assert sum("method" in shown and "loss" in shown and ":" in shown for shown in texts(chart)) == 1
    assert chart.count("<circle") == 300 + 1


def test_unknown_points_are_counted():
    chart = risk_utility_map([MapPoint("a", 1, 1), MapPoint("b", np.nan, 1), MapPoint("c", 1, np.inf)])
    assert "lower left is better; 2 without a known loss or risk" in texts(chart)
    assert "No candidate with a known loss and risk." in texts(risk_utility_map([]))


@given(st.lists(st.tuples(st.floats(-1e12, 1e12), st.floats(-1e-9, 1e-9)), min_size=1, max_size=12))
def test_any_points_give_a_map(pairs):
    parse(risk_utility_map([MapPoint("p", *pair) for pair in pairs], pairs))


# all


def all_charts(name: str) -> list[str]:
    values = np.arange(50.0)
    return [
        histogram_pair(name, values, values),
        histogram_pair(name, [], []),
        bars_pair(name, [name, "b"], [10, 20], [20, 10]),
        correlation_change([name, "b"], np.eye(2), np.full((2, 2), 0.5)),
        risk_utility_map(
            [MapPoint(name, 1, 2), MapPoint(name, 2, 1, reference=True)],
            [(1, 2), (2, 1)],
            title=name,
            loss_name=name,
            risk_name=name,
        ),
    ]


def test_text_cannot_break_the_page():
    for chart in all_charts(NASTY):
        parse(chart)
        assert "<script" not in chart
        assert "&lt;script&gt;" in chart
        chart.encode()


@pytest.mark.parametrize("name", ["", "x" * 500, "所得" * 80, "a\nb"])
def test_any_name_fits(name):
    for chart in all_charts(name):
        for element in parse(chart).iter():
            if element.tag.endswith("}text"):
                shown = (element.text or "") + "".join(child.tail or "" for child in element)
                assert text_width(shown) < 480


def test_same_input_same_chart():
    assert all_charts("a") == all_charts("a")


# scales


@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9), st.integers(1, 10))
def test_ticks_are_inside_and_even(low, span, count):
    found = ticks(low, low + span, count)
    assert len(found) <= count + 2
    slack = 1e-6 * span + 1e-6
    assert all(low - slack <= tick <= low + span + slack for tick in found)
    steps = np.diff(found)
    assert np.allclose(steps, nice_step(span, count), rtol=1e-3, atol=slack)


def test_shorten():
    assert shorten("short", 100) == "short"
    cut = shorten("a rather long label", 60)
    assert cut == "a r…bel"
    assert text_width(cut) <= 60


def test_labels_that_are_cut_stay_apart():
    labels = [f"manufacture of {what} and of parts for such machines" for what in ("engines", "pumps", "pumps by hand")]
    cut = shorten_apart([*labels, "short"], 150)
    assert len(set(cut)) == 4
    assert all(text_width(label) <= 150 for label in cut)
    assert cut[3] == "short"
    assert "engines" in cut[0]
    # they differ where no width shows it: a number tells them apart
    hidden = [f"{'x' * 60}{letter}{'y' * 60}{letter}{'x' * 60}" for letter in "ab"]
    assert len(set(shorten_apart(hidden, 60))) == 2
    assert shorten_apart(["the same long label", "the same long label"], 60) == [shorten("the same long label", 60)] * 2


def test_texts_of_many_pages_are_cut_with_little_work(monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []
    real = chart_svg.text_width
    monkeypatch.setattr(chart_svg, "text_width", lambda content, size: asked.append(1) or real(content, size))
    cut = chart_svg.shorten("word " * 50_000 + "end", 100.0)
    assert (cut.startswith("word"), cut.endswith("end"), len(asked) < 300) == (True, True, True)


def test_labels_that_fit_are_never_cut_by_the_last_digit_of_a_sum():
    for names in (list("ABCDEFGH"), ["M", "F"], ["a", "bb", "ccc"]):
        svg = bars_pair("branch", names, [10] * len(names), [10] * len(names))
        assert "…" not in svg
