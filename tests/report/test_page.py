"""The report page: complete in itself, safe against names, and honest about what does not apply."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.measure import Pair
from microveil.plan import Step, compare
from microveil.report import render, write_report

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
    return render(Pair.of(FRAME, release), figures, release=release, trials=trials, notes=["a note of ours"])


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
    assert "script" not in tags.tags
    assert tags.addresses == []
    assert not re.search(r"url\(|@import", page)


def test_names_of_columns_are_shown_not_run(page):
    assert "&lt;script&gt;x&lt;/script&gt;" in page
    assert "<script>" not in page


def test_everything_a_board_asks_for_is_there(page):
    for heading in (
        "What was done",
        "What is promised",
        "What is lost",
        "What is at risk",
        "Before and after",
        "Correlations",
    ):
        assert heading in page
    assert "Microaggregation" in page
    assert "occurs at least 4 times" in page
    assert "holds exactly" in page
    assert "Does not apply: " in page  # k-anonymity: no column has the role key
    assert "re-identified in the worst case" in page
    assert "a note of ours" in page
    assert page.count("<svg") == 3 + 1 + 1  # three columns, the correlations, the map


def test_keys_and_seeds_are_not_in_it(page):
    assert "123456789" not in page


def test_a_pair_of_files_without_a_release_has_no_promises(tmp_path):
    other = FRAME.assign(income=FRAME["income"] + 1)
    figures = mv.evaluate(FRAME, other, measures=QUICK)
    write_report(tmp_path / "page.html", Pair.of(FRAME, other), figures)
    text = (tmp_path / "page.html").read_text()
    assert "What is promised" not in text
    assert "What is lost" in text


def map_of(plans, loss, risk, release=None, frame=FRAME):
    release = release or mv.mask.RankSwap(p=5).apply(frame, seed=1)
    trials = compare(frame, plans, loss, risk, seed=1)
    return render(Pair.of(frame, release), mv.evaluate(frame, release, measures=QUICK), release=release, trials=trials)


def test_the_map_names_what_was_measured():
    found = map_of({"swap": mv.Plan([mv.mask.RankSwap(p=5)])}, mv.loss.InformationLoss(), mv.risk.SDInterval())
    assert "Standard-deviation interval disclosure, % →" in found
    assert "records linked" not in found
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
        assert text in render(Pair.of(frame, release), figures, release=release, trials=given)


def test_a_trial_is_chosen_only_on_the_same_columns():
    method = mv.mask.RankSwap(p=5)
    release = method.apply(FRAME, columns=["income"], seed=1)
    ring = '<circle class="mv-outline"'
    for columns, chosen in ((("income",), 1), (("tax",), 0), (None, 0)):
        plans = {"swap": mv.Plan([Step(method, columns)])}
        assert map_of(plans, mv.loss.PIL(), mv.risk.RankInterval(), release).count(ring) == chosen
    longer = {"two": mv.Plan([Step(method, ("income",)), Step(mv.mask.UncorrelatedNoise(), ("income",))])}
    assert ring not in map_of(longer, mv.loss.PIL(), mv.risk.RankInterval(), release)
