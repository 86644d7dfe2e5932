"""The map that can be walked through: what it is told, what it names, and what a browser makes of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.measure import BrokenRules
from microveil.plan import Comparison, Trial
from microveil.report import render_comparison
from microveil.report.live_map import live_map, map_policy, map_script, still_map
from microveil.report.map_text import text_map
from microveil.report.mapped import Axis, Mapped, PlanMap, plan_map
from tests.browser import NEEDS_BROWSER, Browser

NASTY = "</script><script>alert('x')</script>"
FRAME = pd.DataFrame(np.random.default_rng(1).gamma(2.0, size=(80, 3)), columns=["a", "b", NASTY])
LOSS, RISK = Axis("loss", "Loss", unit="%"), Axis("risk", "Risk", unit="%")


def points(*places: tuple[str, float, float]) -> tuple[Mapped, ...]:
    return tuple(Mapped(label, f"words of {label}", {"loss": x, "risk": y}) for label, x, y in places)


def told_in(page: str) -> dict:
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)[1])


@pytest.fixture(scope="module")
def found() -> Comparison:
    plans = {
        "swap": mv.mask.RankSwap(p=5),
        NASTY: mv.mask.RankSwap(p=20),
        "large": mv.mask.Microaggregation(partition=mv.partition.MDAV(k=500)),
    }
    more = [mv.risk.SDInterval(), mv.loss.IntervalOverlap()]
    return mv.compare(FRAME, plans, risk=mv.risk.RankInterval(), measures=more, seed=1)


@pytest.fixture(scope="module")
def page(found: Comparison) -> str:
    return render_comparison(found, limits={"pil": 30.0})


# -- what the map is told --------------------------------------------------------------------------------------------


def test_the_frontier_is_that_of_hand():
    shown = PlanMap(
        (LOSS, RISK), points(("a", 1, 9), ("b", 2, 9), ("c", 3, 4), ("d", 5, 4), ("e", 9, 1)), "loss", "risk"
    )
    assert [point.label for point in shown.frontier] == ["a", "c", "e"]
    turned = replace(shown, axes=(replace(LOSS, better="higher"), RISK))
    assert [point.label for point in turned.frontier] == ["e"]
    broken = replace(shown, points=(*shown.points, Mapped("x", "", {"loss": 0, "risk": 0}, impossible=3)))
    assert [point.label for point in broken.frontier] == ["a", "c", "e"]


def test_a_point_without_a_finite_figure_has_no_place_and_is_listed_all_the_same():
    shown = PlanMap((LOSS, RISK), points(("a", 1, 9), ("b", float("inf"), 1)), "loss", "risk")
    assert [point.label for point in shown.placed] == ["a"]
    page = live_map(shown)
    assert [one["values"] for one in told_in(page)["points"]] == [{"loss": 1, "risk": 9}, {"loss": None, "risk": 1}]
    assert "∞ %" in page


def test_the_frontier_has_the_first_numbers_in_the_map_the_table_and_in_characters():
    found = points(("beaten", 2, 8), ("safe", 5, 1), ("gentle", 1, 5), ("gentle", 1, 5), ("nowhere", float("inf"), 1))
    shown = PlanMap(
        (LOSS, RISK), (*found, Mapped("original", "", {"loss": 0, "risk": 9}, reference=True)), "loss", "risk"
    )
    assert [point.label for point in shown.numbered] == ["gentle", "safe", "gentle", "beaten", "nowhere"]
    numbers = [("◇", "original"), ("1", "gentle"), ("2", "safe"), ("3", "gentle"), ("4", "beaten"), ("5", "nowhere")]
    page = live_map(shown)
    assert [(one["mark"], one["label"]) for one in told_in(page)["points"]] == numbers
    assert re.findall(r'class="mv-no">(.)</td><td class="name">(\w+)<', page) == numbers
    still = re.findall(r'<text x="(?:22|262)"[^>]*>(.)</text><text[^>]*>(?:<title>[^<]*</title>)?(\w+)</text>', page)
    assert still == numbers[:-1]
    listed = re.findall(r"^ +(\d) .*% [* ] (\w+)$", text_map(shown), re.MULTILINE)
    assert listed == numbers[1:-1]


def test_a_plan_that_is_passed_over_is_drawn_and_never_on_the_frontier():
    passed = Mapped("copy", "", {"loss": 0.5, "risk": 9}, passed_over="no safer than the file as it is")
    shown = PlanMap((LOSS, RISK), (passed, *points(("a", 1, 9), ("b", 3, 4))), "loss", "risk")
    assert [point.label for point in shown.frontier] == ["a", "b"]
    assert [one["candidate"] for one in told_in(live_map(shown))["points"]] == [True, True, False]
    assert "no safer than the file as it is" in live_map(shown)
    start = re.search(r'class="mv-frontier" d="M([\d.]+) ', still_map(shown))[1]
    assert float(start) == pytest.approx(58 + 410 * 1 / 3.18, abs=0.01)  # the line begins at the loss of a, which is 1


def test_of_many_plans_the_best_stand_first_and_the_others_can_be_opened():
    many = points(*((f"p{i}", i, 30 - i if i < 4 else 50) for i in range(20)))
    page = live_map(PlanMap((LOSS, RISK), many, "loss", "risk"))
    first, further = page.split("<details>")
    assert re.findall(r'class="name">(p\d+)<', first) == ["p0", "p1", "p2", "p3"]
    assert "the other 16 plans" in further
    assert len(re.findall(r'class="name">p\d+<', further)) == 16


def test_every_figure_can_be_an_axis_and_parts_of_those_judged_by(found: Comparison):
    shown = plan_map(found)
    names = [axis.name for axis in shown.axes]
    assert {"pil", "rank-interval", "sd-interval", "interval-overlap", "pil: mean", "pil: quantile"} <= set(names)
    assert not [name for name in names if "[" in name or name.startswith("interval-overlap:")]
    assert shown.axis("interval-overlap").better == "higher"
    swap = next(point for point in shown.points if point.label == "swap")
    assert swap.values["pil: correlation"] == found[0].figures["pil"].parts["correlation"]
    assert swap.words.startswith("rank-swap (p: 5")
    original = next(point for point in shown.points if point.reference)
    assert (original.values["pil"], original.values["rank-interval"]) == (0.0, 100.0)


def test_parts_by_scenario_have_limits():
    scenario = mv.risk.Scenario("neighbour", known=["a"], thresholds={"share": 5})
    frame = FRAME[["a", "b"]]
    risk = mv.risk.ScenarioRisk(scenarios=(scenario,))
    name = "scenario-risk: neighbour: records at risk (%)"
    shown = plan_map(mv.compare(frame, [mv.mask.RankSwap(p=5)], risk=risk, seed=1), {name: 5.0})
    assert shown.axis(name).limit == 5.0
    assert {"limit": 5.0} in [
        {"limit": one["limit"]} for one in told_in(live_map(shown))["axes"] if one["name"] == name
    ]


def test_trials_without_measures_have_no_map():
    assert plan_map([Trial("a", mv.Plan([mv.mask.RankSwap(p=5)]))]) is None
    assert plan_map([]) is None


def test_records_that_break_rules_are_a_remark(found: Comparison):
    broken = [replace(found[0], rules=BrokenRules(after=7)), *found[1:]]
    page = render_comparison(broken)
    assert "7 records break a rule of the data" in page
    (told,) = [one for one in told_in(page)["points"] if one["label"] == "swap"]
    assert told["impossible"] == 7
    assert told["remark"] == "7 records break a rule of the data"  # and not that it is no safer, which it is


# -- the page --------------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """All tags, and addresses of anything that could be loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href", "action") and value]


def test_the_page_holds_our_script_alone_and_names_no_address(page: str):
    tags = Tags()
    tags.feed(page)
    assert tags.tags.count("script") == 2
    assert tags.addresses == []
    assert not re.search(r"url\(|@import|fetch\(|XMLHttp|eval\(|innerHTML", page)
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}


def test_the_policy_allows_this_script_by_its_mark(page: str):
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1]
    mark = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert script == map_script()
    assert f"'sha256-{mark}'" in map_policy()
    assert f'content="{map_policy()}"' in unescape(page)


def test_names_of_plans_are_text(page: str, found: Comparison):
    assert "<script>alert" not in page
    assert NASTY in {point["label"] for point in told_in(page)["points"]}
    assert found.sentence in unescape(page)


def test_every_plan_is_named_without_a_script(page: str):
    table = page[page.index("mv-names") : page.index("application/json")]
    assert table.count("<tr") == 1 + 4  # the head, the original, three plans
    for words in ("swap", "&lt;/script&gt;", "large", "needs at least k=500", "not measured", "on the frontier"):
        assert words in table


def test_limits_are_lines_and_have_room():
    shown = PlanMap((replace(LOSS, limit=50.0), replace(RISK, limit=20.0)), points(("a", 1, 9)), "loss", "risk")
    chart = still_map(shown)
    assert chart.count('class="mv-limit"') == 2
    assert "limit 50" in chart
    assert "limit 20" in chart
    assert 'mv-limit"' not in still_map(PlanMap((LOSS, RISK), shown.points, "loss", "risk"))


# -- in a browser ----------------------------------------------------------------------------------------------------


@NEEDS_BROWSER
def test_the_map_is_walked_through_by_keys_and_pointer_alone(tmp_path: Path):
    shown = PlanMap(
        (replace(LOSS, limit=6.0), RISK, Axis("other", "Other")),
        (
            Mapped(NASTY, "by <b>hand</b>", {"loss": 1.0, "risk": 30.0, "other": 3.0}),
            Mapped("low", "second", {"loss": 5.0, "risk": 10.0, "other": 2.0}),
            Mapped("middle", "third", {"loss": 7.0, "risk": 20.0, "other": 1.0}),
        ),
        "loss",
        "risk",
    )
    path = tmp_path / "page.html"
    path.write_text(
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{map_policy()}">'
        f"<body>{live_map(shown)}<script>{map_script()}</script>",
        encoding="utf-8",
    )
    said = "document.querySelector('.mv-said').textContent"
    with Browser(tmp_path) as browser:
        browser.open(path)
        browser.press("Tab", "Tab", "Tab")
        assert browser.ask("document.activeElement.getAttribute('role')") == "listbox"
        seen = []
        for key in ("ArrowRight", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft", "Home", "End", "ArrowUp"):
            browser.press(key)
            seen.append(re.match(r"(\d) of 3 plans by risk: number \d, (\S+);", browser.ask(said))[2][:6])
        assert seen == ["low", "middle", NASTY[:6], NASTY[:6], "middle", "low", NASTY[:6], "middle"]
        assert browser.ask(said).startswith("2 of 3 plans by risk: number 3, middle; Loss 7 %, Risk 20 %.third")
        assert browser.ask("document.querySelectorAll('.mv-live [aria-selected=true]').length") == 1
        active = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))"
        assert browser.ask(f"{active}.getAttribute('aria-label')").startswith("2 of 3 plans by risk")
        browser.press("Tab")
        assert browser.ask("document.activeElement.className") == "mv-said"  # what is longer than its box can be read
        browser.ask("document.querySelector('.mv-live').focus()")
        browser.press("Escape")
        assert browser.ask(said) == ""
        # the frontier of hand: low and the nasty one; less is better
        assert browser.ask("document.querySelectorAll('.mv-live circle.mv-after').length") == 2
        browser.ask(
            "(() => { const one = document.querySelector('[data-axis=risk]'); one.value = 'other';"
            "one.dispatchEvent(new Event('change')); })()"
        )
        browser.press("Home")
        assert browser.ask(said).startswith(
            "1 of 3 plans by risk: number 3, middle; Loss 7 %, Other 1; on the frontier."
        )
        x, y = browser.ask(
            "(() => { const at = document.querySelector('#map-1 circle').getBoundingClientRect();"
            "return [at.x + at.width / 2, at.y + at.height / 2]; })()"
        )
        browser.point(x, y)
        assert browser.ask(said).startswith("2 of 3 plans by risk: number 2, low")
        assert browser.problems == []
        assert browser.requests == [path.resolve().as_uri()]


DRAWN = PlanMap(
    (LOSS, RISK, Axis("change", "Change of regression coefficients", unit="standard errors")),
    (
        Mapped(
            "twice",
            "first",
            {"loss": 4.0, "risk": 10.0, "change": 1.79e-5},
            draws=2,
            spread={"loss": (3.0, 5.0), "risk": (10.0, 10.0), "change": (8.42e-6, 2.93e-5)},
        ),
        Mapped("once", "second", {"loss": 5.0, "risk": 8.0, "change": 1.0}),
    ),
    "loss",
    "risk",
)


def test_means_of_draws_are_told_with_their_ends_and_drawn_as_a_cross():
    page = live_map(DRAWN)
    twice, once = told_in(page)["points"]
    assert twice["told"] | {"change": ""} == {"loss": "4 % (3 to 5)", "risk": "10 %", "change": ""}
    assert (twice["spread"]["loss"], "risk" in twice["spread"], once["spread"]) == ([3.0, 5.0], False, {})
    assert page.count('class="mv-spread"') == 1
    assert "twice: loss 4 (3 to 5), risk 10, means of 2 draws" in page
    assert "* twice (mean of 2 draws: loss 3 to 5)" in text_map(DRAWN, 100)


@NEEDS_BROWSER
def test_long_figures_leave_room_for_their_names(tmp_path: Path):
    path = tmp_path / "page.html"
    whole = render_comparison([])
    path.write_text(whole.replace("<main>", f"<main>{live_map(DRAWN)}"), encoding="utf-8")
    with Browser(tmp_path, 420, 900) as browser:
        browser.open(path)
        browser.ask("document.querySelector('.mv-live').focus()")
        browser.press("End")
        assert "0.0000179 standard errors (0.00000842 to 0.0000293)" in browser.ask(
            "document.querySelector('.mv-said').textContent"
        )
        assert browser.broken_words() == []
        inside = "[...document.querySelectorAll('.mv-said dd, .mv-said dt')].every((one) => one.scrollWidth <= 340 && "
        assert browser.ask(f"{inside} one.getBoundingClientRect().right <= 420)")
        assert browser.ask("document.querySelectorAll('.mv-live .mv-spread').length") == 1
        assert browser.problems == []


@NEEDS_BROWSER
def test_the_page_is_read_on_a_telephone_and_on_paper(page: str, tmp_path: Path):
    path, paper = tmp_path / "page.html", tmp_path / "page.pdf"
    path.write_text(page, encoding="utf-8")
    with Browser(tmp_path, 420, 900) as browser:
        browser.open(path)
        assert browser.ask("document.documentElement.scrollWidth") <= 420
        assert browser.broken_words() == []
        boxes = browser.ask(
            "[...document.querySelectorAll('.mv-live svg > text')].map((one) => one.getBoundingClientRect())"
            ".map((box) => [box.left, box.top, box.right, box.bottom])"
        )
        apart = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if _overlap(a, b)]
        assert len(boxes) > 5
        assert apart == []
        browser.call("Emulation.setEmulatedMedia", media="print")
        shown = "getComputedStyle(document.querySelector('{}')).display"
        assert browser.ask(shown.format(".mv-choose")) == "none"
        assert browser.ask(shown.format(".mv-live")) == "block"
        browser.paper(paper)
        assert browser.problems == []
        assert browser.requests == [path.resolve().as_uri()]
    assert paper.read_bytes().startswith(b"%PDF")


def _overlap(a: list[float], b: list[float]) -> bool:
    room = 1.5  # boxes of text are somewhat larger than what is written
    return a[0] + room < b[2] and b[0] + room < a[2] and a[1] + room < b[3] and b[1] + room < a[3]
