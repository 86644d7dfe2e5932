"""The page of a study: its map is that of its table, it fetches nothing, and keys walk through it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

import microveil as mv
from microveil.core.measured import Measured
from microveil.plan.worst_case import NAME as WORST
from microveil.plan.worst_of_quick import WorstCase
from microveil.report import map_of_trials, render_study, write_study_page
from microveil.report.map_text import text_map
from microveil.report.study_map import study_map
from microveil.study import Aims, Study, Tried
from tests.browser import NEEDS_BROWSER, Browser

RIVAL = mv.risk.Scenario("rival", known=["a"], thresholds={"risk": 0.1, "share": 20})
MEASURES = (mv.loss.PIL(), WorstCase(scenarios=(RIVAL,)))
AT_RISK = "scenario-risk: rival: records at risk (%)"


def tried(number: int, label: str, loss: float, risk: float | None, **more: object) -> Tried:
    figures = {"pil": Measured("pil", loss, "lower", parts={"mean": loss / 2})}
    if risk is not None:
        parts = {"Linkage": risk, "Linkage, scenario rival": risk / 2, "Copies, scenario rival": 1.0}
        figures[WORST] = Measured(WORST, risk, "lower", parts=parts)
    plan = mv.Plan([mv.mask.RankSwap(p=number + 1)])
    facts = {
        "measures": MEASURES,
        "tried": MEASURES,
        "figures": figures,
        "original": (0.0, 100.0),
        "figures_before": {"pil": 0.0, WORST: 100.0},
        "text": label,
        "number": number,
    }
    return Tried(label, plan, loss, risk, **{**facts, **more})


TRIALS = (
    tried(0, "round base 10", 1.0, 100.0),  # it changes values and is as risky as the file itself
    tried(1, "middle", 6.0, 30.0, scenarios={"rival": 15.0}),
    tried(2, "gentle", 3.0, 60.0, scenarios={"rival": 45.0}, over={"rival": "more than 20 % at risk"}),
    tried(3, "beaten", 8.0, 40.0, scenarios={"rival": 12.0}),
    tried(4, "given up", 9.0, None, state="discarded", problem="another plan loses less"),
    tried(5, "safe", 12.0, 5.0, synthetic=True),
)
STUDY = Study(TRIALS, Aims(*MEASURES, (RIVAL,), {WORST: 50.0, "rival": 25.0}), seconds=3.0, ended="done")
BEST = ["gentle", "middle", "safe"]


def told_in(page: str) -> dict:
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)[1])


def test_the_frontier_that_is_drawn_is_that_of_the_table_and_of_the_study():
    assert [trial.label for trial in STUDY.frontier] == [row[0] for row in STUDY.rows] == BEST
    shown = study_map(STUDY)
    assert [point.label for point in shown.frontier] == BEST
    assert [point.label for point in shown.numbered][:3] == BEST
    assert re.findall(r"^ +(\d) .*% \* (.+)$", text_map(shown), re.MULTILINE) == list(zip("123", BEST, strict=True))
    page = unescape(render_study(STUDY))
    rows = re.findall(
        r'class="mv-no">(\S+)</td><td class="name">([^<]+)<.*?class="mv-remark">([^<]*)<', page, re.DOTALL
    )
    assert [label for _, label, remark in rows if "on the frontier" in remark] == BEST
    assert {label: remark for _, label, remark in rows}["round base 10"] == "no safer than the file as it is"
    # the static map of a notebook draws the same line: as many corners as plans
    assert re.search(r'mv-frontier" d="([^"]*)"', map_of_trials(STUDY.trials))[1].count("H") == 2


def test_remarks_and_figures_are_those_of_the_table():
    page = unescape(render_study(STUDY))
    for label, loss, risk, remark in STUDY.rows:
        row = re.search(rf'<td class="name">{label}<.*?</tr>', page, re.DOTALL)[0]
        assert f">{loss} %</td>" in row
        assert f">{risk} %</td>" in row
        assert remark in row
    assert "chosen; on the frontier" in page
    assert "Recommended: middle" in page
    assert "given up" in page


def test_each_scenario_is_an_axis_with_its_limit():
    axes = {axis["name"]: axis for axis in told_in(render_study(STUDY))["axes"]}
    assert axes[WORST]["limit"] == 50.0
    assert axes["worst-case: scenario rival"]["limit"] == 25.0
    assert axes[AT_RISK]["limit"] == 20.0
    assert {axes[name]["group"] for name in (AT_RISK, "worst-case: scenario rival")} == {"by scenario"}
    assert axes["worst-case: Linkage, scenario rival"]["group"] == "single attacks in scenario rival"
    middle = next(point for point in study_map(STUDY).points if point.label == "middle")
    assert middle.values[AT_RISK] == 15.0
    assert middle.values["worst-case: scenario rival"] == 15.0  # half of 30, more than the copies


def test_a_study_that_recommends_nothing_says_so_and_has_its_map():
    none = replace(STUDY, aims=replace(STUDY.aims, at_most={WORST: 1.0}))
    page = render_study(none)
    assert "No plan is recommended" in page
    assert 'class="mv-map"' in page
    assert 'class="mv-map"' not in render_study(replace(STUDY, trials=()))


def test_a_search_whose_time_was_up_says_that_more_time_tries_more():
    study = Study((tried(0, "one", 5.0, 10.0),), Aims(*MEASURES), ended="the time was up")
    assert "give the search more time" in render_study(study)
    assert "give the search more time" not in render_study(replace(study, ended="all trials asked for were made"))


def test_the_page_is_for_its_owner_and_names_no_address(tmp_path: Path):
    path = tmp_path / "study.html"
    write_study_page(path, STUDY)
    assert path.stat().st_mode & 0o077 == 0
    page = path.read_text(encoding="utf-8")
    assert "default-src 'none'" in unescape(page)
    assert not re.search(r"url\(|@import|fetch\(|XMLHttp|\bsrc=|\bhref=", page)


@NEEDS_BROWSER
@pytest.mark.parametrize("width", [420, 1280])
def test_keys_walk_through_the_page_and_nothing_is_fetched(tmp_path: Path, width: int):
    path = tmp_path / "study.html"
    write_study_page(path, STUDY)
    said = "document.querySelector('.mv-said b').textContent"
    with Browser(tmp_path, width, 900) as browser:
        browser.open(path)
        assert browser.ask("document.documentElement.scrollWidth") <= width
        assert browser.broken_words() == []
        browser.press("Tab", "Tab", "Tab", "Tab")  # the plan as a file, two lists, the map
        assert browser.ask("document.activeElement.className") == "mv-live"
        browser.press("Home")
        assert browser.ask(said).startswith("1 of 5 plans by risk: number 3, safe;")
        browser.press("End", "ArrowLeft")
        # equal risks in the order of loss: the original, which is a diamond, before the plan that is no safer
        assert browser.ask(said).startswith("original (the file as it is); ")
        drawn = "[...document.querySelectorAll('.mv-live g')].filter((one) => one.querySelector('.mv-after'))"
        labels = browser.ask(f"{drawn}.map((one) => one.getAttribute('aria-label'))")
        assert sorted(re.search(r"number \d, (\w+);", label)[1] for label in labels) == sorted(BEST)
        assert (
            len(re.findall("H", browser.ask("document.querySelector('.mv-live .mv-frontier').getAttribute('d')"))) == 2
        )
        # counts agree: plans on the map, plans by risk, and those that stand in the table alone
        label = browser.ask("document.querySelector('.mv-live').getAttribute('aria-label')")
        assert label.startswith("Risk-utility map of 5 plans and the file as it is;")
        assert "5 of 6 plans are on the map; the other one lacks one of its two figures" in path.read_text()
        assert browser.problems == []
        assert browser.requests == [path.resolve().as_uri()]
