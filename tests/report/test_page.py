"""The report page: complete in itself, safe against names, and honest about what does not apply."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.numbers import format_number
from microveil.core.streams import Key
from microveil.measure import Pair
from microveil.plan import Step, compare, verdict_of
from microveil.report import NamedFile, render, write_report
from microveil.report.chart_histogram import histogram_pair
from microveil.report.distributions import distribution_charts
from microveil.report.live_map import map_policy, map_script
from microveil.report.page import InternalContent
from microveil.risk import Scenario

RNG = np.random.default_rng(4)
FRAME = pd.DataFrame(RNG.gamma(2.0, size=(120, 3)), columns=["income", "tax", "<script>x</script>"]).assign(
    sex=["f", "m"] * 60
)
QUICK = (mv.loss.PIL(), mv.risk.DistanceLinkage(), mv.risk.KAnonymity())


@pytest.fixture(scope="module")
def page():
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=4)).apply(FRAME, seed=123456789)
    figures = mv.evaluate(FRAME, release, measures=QUICK)
    trials = compare(
        FRAME, {"swap": mv.Plan([mv.mask.RankSwap(p=5)])}, mv.loss.PIL(), mv.risk.DistanceLinkage(), seed=1
    )
    return render(
        InternalContent(Pair.of(FRAME, release), figures, release=release, trials=trials, notes=["a note of ours"])
    )


class Tags(HTMLParser):
    """All tags and addresses of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href") and value]


def test_the_page_needs_nothing_else(page):
    tags = Tags()
    tags.feed(page)
    # what the map is told, and the one script that its policy allows
    assert tags.tags.count("script") == 2
    assert page.count(f"<script>{map_script()}</script>") == 1
    assert map_policy() in unescape(page)
    assert tags.addresses == []
    assert not re.search(r"url\(|@import", page)


def test_names_of_columns_are_shown_not_run(page):
    assert "&lt;script&gt;x&lt;/script&gt;" in page
    assert "<script>x" not in page


def test_a_page_without_a_map_has_no_script():
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=4)).apply(FRAME, seed=1)
    alone = render(
        InternalContent(Pair.of(FRAME, release), mv.evaluate(FRAME, release, measures=QUICK), release=release)
    )
    tags = Tags()
    tags.feed(alone)
    assert "script" not in tags.tags
    assert "no script, nothing loaded from elsewhere" in alone


def test_everything_a_board_asks_for_is_there(page):
    for heading in (
        "Nobody stated limits",
        "What was done",
        "What is promised",
        "How much can be re-identified?",
        "What is lost for means, variances and correlations?",
        "Before and after",
        "Distributions before and after",
        "Correlations",
        "columns, with their roles and kinds",
        "prepared by",
    ):
        assert heading in page
    assert "1. microaggregation" in page  # by the name that plans and maps have
    assert "occurs at least 4 times" in page
    assert "holds exactly" in page
    assert "does not apply, since no column has the role key" in page
    assert f"microveil {mv.__version__}" in page
    assert "worst case" in page
    assert "a note of ours" in page
    assert page.count("<svg") == 3 + 1 + 1  # three columns, the correlations, the map


def test_keys_and_seeds_are_not_in_it(page):
    assert "123456789" not in page
    assert Key.of(123456789).hex not in page


def judged_page(limit: float, **more) -> str:
    data = mv.Microdata(FRAME[["income", "tax", "sex"]], roles={"sex": "key", "income": "confidential"})
    release = mv.mask.RankSwap(p=5).apply(data, columns=["income"], seed=1)
    figures = mv.evaluate(data, release, measures=[mv.risk.Uniqueness(), mv.risk.Uniqueness(sizes=(1,)), *QUICK])
    scenarios = [Scenario("neighbour", ("sex",), thresholds={"risk": limit})]
    verdict = verdict_of(release, scenarios, figures)
    return render(InternalContent(Pair.of(data, release), figures, release=release, verdict=verdict, **more))


def test_the_verdict_under_stated_limits_comes_first():
    kept, failed = judged_page(0.5), judged_page(0.001)
    assert "The limits stated are kept" in kept
    assert "The limits stated are not kept: this file may not be released" in failed
    assert "What would help: recode or suppress sex" in failed
    assert failed.index("not kept: this file") < failed.index("What was done")


def test_figures_before_stand_beside_those_after():
    cells = re.findall(
        r"<td>([^<]*)</td><td class=.number.>([^<]*)</td>\s*<td class=.number.><b>([^<]*)</b>", judged_page(0.5)
    )
    assert ("smallest number of records with the same keys", "60", "60") in cells
    assert ("records linked in the worst case, by any attack or scenario, %", "100") in [cell[:2] for cell in cells]


def test_files_are_named_without_folders_and_with_their_hash(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a\n1\n")
    page = judged_page(
        0.5, files=[NamedFile.of("original", path), NamedFile.of("protected", path, tmp_path / "out.csv")]
    )
    assert sha256(b"a\n1\n").hexdigest() in page
    assert "data.csv" in page
    assert "out.csv" in page
    assert str(tmp_path) not in page


def test_promises_name_their_columns():
    page = judged_page(0.5)
    assert "no value of income moves by more than" in page


def test_one_of_something_is_singular():
    frame = FRAME[["income", "sex"]].iloc[[0, 1, 2]].assign(sex=["f", "f", "m"])
    data = mv.Microdata(frame, roles={"sex": "key", "income": "confidential"}, kinds={"income": "continuous"})
    release = mv.mask.UncorrelatedNoise().apply(data, columns=["income"], seed=1)
    page = render(InternalContent(Pair.of(data, release), mv.evaluate(data, release, measures=QUICK), release=release))
    assert "1 record is alone with its keys" in page
    assert "1 <small>record</small>" in page
    assert "1 records" not in page


def test_the_original_is_drawn_in_the_released_classes_with_a_bar_for_what_is_missing():
    frame = pd.DataFrame({"job": ["cook", "baker", "judge", "clerk"] * 25, "pay": np.arange(100.0)})
    data = mv.Microdata(frame, roles={"job": "key"}, kinds={"job": "nominal"})
    recoded = frame["job"].map({"cook": "food", "baker": "food", "judge": "court", "clerk": "court"})
    recoded[:10] = None
    pair = Pair.of(data, frame.assign(job=recoded))
    page = render(InternalContent(pair, mv.evaluate(data, frame.assign(job=recoded), measures=QUICK)))
    assert "court: 50.0 % before, 46.0 % after; food: 50.0 % before, 44.0 % after; missing: 0 % before, 10.0 %" in page
    assert "the original in the released classes" in page


def test_amounts_in_very_many_classes_are_drawn_as_amounts():
    ages = np.arange(400) % 80
    frame = pd.DataFrame({"age": ages.astype(float), "pay": np.arange(400.0)})
    classes = frame.assign(age=[f"[{a - a % 2}, {a - a % 2 + 1}]" for a in ages])
    pair = Pair.of(mv.Microdata(frame, roles={"age": "key"}), classes)
    page = render(InternalContent(pair, mv.evaluate(frame, classes, measures=QUICK)))
    assert "classes spread out" in page
    assert "other (" not in page


def test_the_release_is_on_the_map_though_it_was_not_among_the_trials():
    release = mv.mask.RankSwap(p=9).apply(FRAME, seed=1)
    plans = {"swap": mv.Plan([mv.mask.RankSwap(p=5)])}
    assert "this release (chosen)" in map_of(plans, mv.loss.PIL(), mv.risk.DistanceLinkage(), release)


def test_the_ring_is_the_released_file_not_another_draw_of_its_plan():
    method = mv.mask.UncorrelatedNoise(p=0.5)
    release = method.apply(FRAME, columns=["income"], seed=2)
    plans = {"noise": mv.Plan([Step(method, ("income",))])}
    trials = compare(FRAME, plans, mv.loss.PIL(), mv.risk.DistanceLinkage(), seed=1)
    figures = mv.evaluate(FRAME, release, measures=QUICK)
    own = figures["PIL"].value
    assert format_number(own) != format_number(trials[0].loss)
    page = render(InternalContent(Pair.of(FRAME, release), figures, release=release, trials=trials))
    assert f"noise: loss {format_number(own)}, risk" in page
    assert f"noise: loss {format_number(trials[0].loss)}, risk" not in page


def test_ordered_numbers_are_drawn_as_amounts():
    ages = pd.DataFrame({"age": np.arange(400) % 80, "pay": np.arange(400.0)})
    data = mv.Microdata(ages, roles={"age": "key"}, kinds={"age": "ordinal"})
    other = ages.assign(age=ages["age"].to_numpy()[::-1])
    (chart,) = distribution_charts(Pair.of(data, other), ["age"])
    assert chart == histogram_pair("age", ages["age"].astype(float), other["age"].astype(float))


def test_the_columns_that_changed_most_are_drawn_first():
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({f"v{j:02d}": draw.normal(size=200) for j in range(14)})
    frame["job"] = draw.choice(["cook", "judge"], 200)
    other = frame.assign(v13=frame["v13"] + 5, v12=frame["v12"] + 0.5, job="cook")
    charts = distribution_charts(Pair.of(mv.Microdata(frame), other), list(frame))
    names = [name for chart in charts for name in frame if f">{name}<" in chart]
    assert len(charts) == 12
    assert names[:4] == ["v13", "job", "v12", "v00"]


def test_a_pair_of_files_without_a_release_has_no_promises(tmp_path):
    other = FRAME.assign(income=FRAME["income"] + 1)
    figures = mv.evaluate(FRAME, other, measures=QUICK)
    write_report(tmp_path / "page.html", InternalContent(Pair.of(FRAME, other), figures))
    text = (tmp_path / "page.html").read_text()
    assert "What is promised" not in text
    assert "What is lost for means" in text
    assert "Nobody stated limits" in text


def map_of(plans, loss, risk, release=None, frame=FRAME):
    release = release or mv.mask.RankSwap(p=5).apply(frame, seed=1)
    trials = compare(frame, plans, loss, risk, seed=1)
    return render(
        InternalContent(
            Pair.of(frame, release), mv.evaluate(frame, release, measures=QUICK), release=release, trials=trials
        )
    )


def test_the_map_names_what_was_measured():
    found = map_of({"swap": mv.Plan([mv.mask.RankSwap(p=5)])}, mv.loss.InformationLoss(), mv.risk.SDInterval())
    assert "Standard-deviation interval disclosure, % →" in found
    assert "Distance-based record linkage, % →" not in found
    assert "PIL, per cent" not in found
    assert "original: loss 0, risk 100" in found


def test_the_map_shows_the_original_where_it_was_measured():
    frame = pd.DataFrame({"income": np.repeat([1.0, 2.0], 20), "tax": 1.0 + np.arange(40) % 2})
    plans = {"swap": mv.Plan([mv.mask.RankSwap(p=50)])}
    release = mv.mask.RankSwap(p=50).apply(frame, seed=1)
    found = map_of(plans, mv.loss.PIL(), mv.risk.DistanceLinkage(), release, frame)
    assert "original: loss 0, risk 10" in found
    assert "original: loss 0, risk 100" not in found


def test_the_map_says_which_corner_is_better():
    frame = mv.Microdata(FRAME[["income", "tax", "sex"]], roles={"sex": "key", "income": "confidential"})
    plans = {"swap": mv.Plan([mv.mask.RankSwap(p=5)])}
    release = mv.mask.RankSwap(p=5).apply(frame, seed=1)
    trials = compare(frame, plans, mv.loss.PIL(), mv.risk.RankInterval(), seed=1)
    higher = [replace(trial, measures=(mv.loss.PIL(), mv.risk.KAnonymity())) for trial in trials]
    figures = mv.evaluate(frame, release, measures=QUICK)
    for given, text in ((trials, "lower left is better"), (higher, "upper left is better")):
        assert text in render(InternalContent(Pair.of(frame, release), figures, release=release, trials=given))


def test_a_trial_is_chosen_only_on_the_same_columns():
    method = mv.mask.RankSwap(p=5)
    release = method.apply(FRAME, columns=["income"], seed=1)
    ring = '<circle class="mv-outline"'
    for columns, chosen in ((("income",), 1), (("tax",), 0), (None, 0)):
        plans = {"swap": mv.Plan([Step(method, columns)])}
        assert map_of(plans, mv.loss.PIL(), mv.risk.RankInterval(), release).count(ring) == chosen
    longer = {"two": mv.Plan([Step(method, ("income",)), Step(mv.mask.UncorrelatedNoise(), ("income",))])}
    assert ring not in map_of(longer, mv.loss.PIL(), mv.risk.RankInterval(), release)


def sentences(page: str) -> Counter[str]:
    """How often each longer sentence of a page is said, charts and the head aside."""
    page = re.sub(r"<(style|svg|title)\b.*?</\1>", "", page, flags=re.DOTALL)
    page = re.sub(r"</?(?:p|td|li|div|h\d|dd|dt|summary|th|tr|br)\b[^>]*>", "\n", page)
    lines = unescape(re.sub(r"<[^>]+>", "", page)).split("\n")
    return Counter(part for text in lines for part in re.split(r"(?<=[.!?;])\s+", text.strip()) if len(part) > 40)


def test_no_sentence_is_said_twice():
    data = mv.Microdata(FRAME[["income", "tax", "sex"]], roles={"sex": "key", "income": "key", "tax": "confidential"})
    hybrid = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=4))
    plan = mv.Plan([(hybrid, ["income", "tax"]), mv.mask.Repair(low=0.5)])
    release = plan.run(data, seed=1)
    assert len(release.lost) > 1
    page = render(InternalContent(Pair.of(data, release), mv.evaluate(data, release), release=release))
    assert [text for text, times in sentences(page).items() if times > 1] == []
    assert "do not apply, since" in page
    assert "Why: repair changed" in page


def test_only_what_was_promised_and_kept_is_green(page):
    assert re.findall(r'class="holds"[^>]*>([^<]*)', page)
    assert all(said.startswith("holds") for said in re.findall(r'class="holds"[^>]*>([^<]*)', page))
    style = page[page.index("<style>") : page.index("</style>")]
    assert re.findall(r"([^{}]*)\{[^{}]*var\(--good\)", style) == [" .holds ", "\n.verdict.yes "][::-1]
