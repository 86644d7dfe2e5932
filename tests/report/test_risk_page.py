"""The page on the risk of a file: complete in itself, safe against names, honest about perturbed keys."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.core.numbers import format_number
from microveil.report import render_risk, write_risk_page
from microveil.report.chart_columns import count_columns
from microveil.report.chart_values import ValueRow, value_bars
from tests.marks import ANY_FILE
from tests.report.test_page import Tags

RNG = np.random.default_rng(5)
N = 300
FRAME = pd.DataFrame(
    {
        "region": RNG.integers(0, 30, N).astype(str),
        "<script>x</script>": RNG.choice(["f", "m", None], N, p=[0.5, 0.48, 0.02]),
        "age": RNG.integers(18, 90, N),
        "w": np.full(N, 50.0),
        "home": np.arange(N) // 3,
    }
)
ROLES = {"region": "key", "<script>x</script>": "key", "age": "key", "w": "weight", "home": "household"}
DATA = mv.Microdata(FRAME, roles=ROLES)
SCENARIO = mv.risk.Scenario("neighbour", ["region", "age"], thresholds={"risk": 0.01})


@pytest.fixture(scope="module")
def found():
    return mv.assess(DATA, scenarios=[SCENARIO])


@pytest.fixture(scope="module")
def page(found):
    return render_risk(found, title="Risk of <b>survey</b>", notes=["a note of ours"])


def test_the_page_needs_nothing_else(page):
    tags = Tags()
    tags.feed(page)
    assert "script" not in tags.tags
    assert tags.addresses == []
    assert not re.search(r"url\(|@import", page)
    assert page.count("<svg") == 5


def test_names_are_shown_not_run(page):
    assert "&lt;script&gt;x&lt;/script&gt;" in page
    assert "<script>" not in page
    assert "Risk of &lt;b&gt;survey&lt;/b&gt;" in page


def test_every_part_is_told(page, found):
    file = found.original
    assert f"<b>{file.below[2]}</b>" in page
    assert str(file.riskiest[0].row) in page
    for heading in ("records most at risk", "riskiest combinations", "one change would do", "Values of the keys"):
        assert heading in page
    assert "if a missing value may be any" in page
    assert "a note of ours" in page
    assert '<td class="broken">over</td>' in page


@ANY_FILE
def test_two_files_stand_side_by_side(tmp_path):
    release = mv.mask.GlobalRecode(bins=3).apply(DATA, columns=["age"], seed=1)
    found = mv.assess(DATA, release)
    write_risk_page(tmp_path / "risk.html", found)
    page = (tmp_path / "risk.html").read_text(encoding="utf-8")
    assert "Risk before and after protection" in page
    assert f"{found.original.below[2]} → {found.protected.below[2]}" in page
    assert '<th class="number">protected</th>' in page
    assert "These are records of the protected file." in page


@ANY_FILE
def test_perturbed_keys_are_withheld():
    release = mv.mask.Pram().apply(DATA, columns=["region"], seed=1)
    page = render_risk(mv.assess(DATA, release))
    assert "The key region was perturbed (pram)" in page
    assert "original: records alone with their keys" in page
    assert "of the records linked by all compared columns, original and protected" in page
    assert "<h1>Risk before and after protection: the keys of the protected file cannot be counted</h1>" in page
    assert '<th class="number">protected</th>' in page
    assert "records linked by all compared columns" in page
    assert page.count(" → ") == 1  # what linking finds before and after
    assert "These are records of the original file." in page


def test_charts_say_their_figures_and_survive_nothing():
    assert "There is nothing to show." in value_bars("t", "n", [])
    assert "5 % → 0 %" in value_bars("t", "n", [ValueRow("a", 5, 0)], unit=" %")
    assert 'width="0.5"' in value_bars("t", "n", [ValueRow("a", 0.0)])
    long = [f"day of admission x day of discharge x {last}" for last in ("second diagnosis", "ward")]
    assert all(f">{name}</text>" in value_bars("t", "n", [ValueRow(one, 1.0) for one in long]) for name in long)
    two = count_columns("t", "n", "risk", ["low", "high"], [12_345, 0], [7, 8])
    assert "12.3k" in two
    assert "low: 12,345 before, 7 after" in two
    assert "No records to show." in count_columns("t", "n", "risk", ["low"], [0])
    with pytest.raises(BadInput, match="labels: 1, counts: 2"):
        count_columns("t", "n", "risk", ["low"], [1, 2])


def test_the_page_says_that_two_models_estimate_the_population(page, found):
    said = "come from two models, which need not agree"
    assert page.count(said) == 1
    assert found.told().count(said) == 1
    # without weights there is no population to estimate
    assert said not in render_risk(mv.assess(DATA.with_(FRAME.drop(columns="w"))))


def test_the_headline_has_the_range_of_what_is_estimated():
    survey = mv.Microdata(mv.datasets.make_survey(300, seed=1), **mv.datasets.survey_schema())
    found = mv.assess(survey)
    parts = found.original.population.parts
    likely = " to ".join(format_number(parts[end], 2) for end in ("likely at least", "likely at most"))
    text = " ".join(re.sub("<[^>]+>", " ", render_risk(found)).split())
    assert re.search(rf"About \d+ of 300 records \([\d.]+ %; {likely} % are likely\) are estimated", text)
    assert re.search(rf"[\d.]+ % \({likely} %\) of the records alone in the population", text)
    assert re.search(rf"<b>[\d.]+ % <small>\({likely} %\)</small></b>", render_risk(found))
