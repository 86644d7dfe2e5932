"""What notebooks and prompts show: cards without script that no name can break, and names to complete."""

from __future__ import annotations

import importlib
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core import Measured, NotApplicable
from microveil.risk import Scenario

NASTY = "<script>alert('x')</script>"
FRAME = pd.DataFrame(
    {
        NASTY: np.arange(60.0) ** 1.5,
        "sex": ["f", "m", NASTY] * 20,
        "id": [f"p{i}" for i in range(60)],
        "gaps": [1.0, np.nan, 3.5] * 20,
    }
)
DATA = mv.Microdata(FRAME, roles={"id": "identifier", "sex": "key", NASTY: "confidential"})
RELEASE = mv.mask.RankSwap(p=20).apply(DATA, columns=[NASTY], seed=1)
MEASURES = (mv.risk.KAnonymity(), mv.risk.DistanceLinkage(), mv.loss.PIL())


class Tags(HTMLParser):
    """All tags of a card, which must be closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.opened.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]

    def handle_startendtag(self, tag, attrs):
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.opened.pop() == tag


@pytest.mark.parametrize(
    "shown",
    [
        DATA,
        RELEASE,
        RELEASE.guarantee,
        mv.evaluate(DATA, RELEASE, measures=MEASURES),
        mv.loss.PIL()(DATA, RELEASE),
        mv.Plan([(mv.mask.RankSwap(p=5), [NASTY])]),
        mv.methods("rank-swap"),
        mv.inspect(DATA),
        mv.assess(DATA, keys=["sex"]),
        NotApplicable("pil", f"no column called {NASTY}"),
    ],
    ids=lambda shown: type(shown).__name__,
)
def test_cards_are_whole_and_safe(shown):
    card = shown._repr_html_()
    tags = Tags()
    tags.feed(card)
    assert tags.opened == []
    assert "script" not in tags.seen
    assert not {"style", "link"} & tags.seen
    assert "background" not in card  # a card takes the colours of the page it stands in
    assert "color:#" not in card
    assert card.startswith('<div style="border:')


def test_a_file_shows_roles_gaps_and_shapes():
    card = DATA._repr_html_()
    assert "Microdata: 60 records, 4 columns" in card
    assert "33.3 %" in card
    assert card.count("<svg") == 3  # no shape of an identifier


def test_a_release_shows_promises_and_figures_before_and_after():
    card = RELEASE._repr_html_()
    assert "<b>Nobody stated limits</b>" in card
    assert "Promised" in card
    assert "20-anonymous on the one key" in card
    assert "records alone with their keys" in card


def test_an_evaluation_shows_the_figure_before():
    card = mv.evaluate(DATA, RELEASE, measures=MEASURES)._repr_html_()
    assert "How much can be re-identified?" in card
    assert card.count("20 records") >= 2


def test_a_figure_prints_in_a_few_lines():
    found = Measured(
        "x", 12.3456, "lower", parts={f"part {i}": 1 / 3 for i in range(500)}, unit="%", reading="So much."
    )
    lines = repr(found).split("\n")
    assert lines[:3] == ["x: 12.3 %, lower is better", "  So much.", "  part 0: 0.333"]
    assert lines[-1] == "  and 492 more parts in .parts"
    assert repr(Measured("k", 1.0, "higher", unit="records")) == "k: 1 record, higher is better"


def test_a_plan_prints_its_steps():
    plan = mv.Plan([{"method": mv.mask.RankSwap(p=5), "columns": ["a", "b"], "by": "sex"}])
    assert repr(plan).startswith("Plan\n  1. RankSwap(p=5")
    assert "on a, b, in each value of sex" in repr(plan)


def test_the_report_of_a_release_is_written_from_python(tmp_path):
    scenario = Scenario("neighbour", ("sex",), thresholds={"risk": 0.2})
    evaluation = mv.evaluate(DATA, RELEASE, measures=MEASURES)
    RELEASE.report(tmp_path / "page.html", evaluation=evaluation, scenarios=[scenario], title="Our survey")
    page = (tmp_path / "page.html").read_text()
    assert "<h1>Our survey</h1>" in page
    assert "The limits stated are kept" in page


def test_the_report_from_python_speaks_python(tmp_path):
    evaluation = mv.evaluate(DATA, RELEASE, measures=MEASURES)
    RELEASE.report(tmp_path / "page.html", evaluation=evaluation)
    page = (tmp_path / "page.html").read_text()
    assert "project file" not in page
    assert "release.report(path, scenarios=[...])" in page
    assert "No file was written of this release yet: mv.write(release, path) makes one" in page
    assert "p: 20; pairing: argus" in page
    assert page.count("Higher is better.") == 1  # of k-anonymity


def test_completion_offers_public_names_only():
    offered = [name for name in dir(mv) if not name.startswith("_")]
    assert set(mv.__all__) <= set(offered)
    assert not {"Any", "TYPE_CHECKING", "annotations", "importlib", "version"} & set(offered)


@pytest.mark.parametrize(
    "room", ["claims", "core", "data", "datasets", "hierarchy", "io", "loss", "mask", "plan", "report", "risk", "synth"]
)
def test_rooms_offer_public_names_only(room):
    module = importlib.import_module(f"microveil.{room}")
    offered = dir(module)
    assert offered
    for name in offered:
        assert not name.startswith("_")
        found = getattr(module, name)
        assert str(getattr(found, "__module__", None) or "microveil").startswith("microveil"), name
        assert type(found).__name__ not in ("module", "bool", "_Feature"), name
