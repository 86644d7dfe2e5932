"""A chart says where it stands, what it is called and when it applies; the pages show what they are told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.measure import Pair
from microveil.report import page, render, render_risk, risk_charts
from microveil.report.page import InternalContent
from microveil.report.risk_charts import RISK_CHARTS, RiskChart
from microveil.report.section import Charts, Section
from microveil.report.sections import SECTIONS

RNG = np.random.default_rng(6)
FRAME = pd.DataFrame({"town": RNG.integers(0, 9, 60).astype(str), "income": RNG.gamma(2.0, size=60)})
DATA = mv.Microdata(FRAME, roles={"town": "key", "income": "confidential"})


@pytest.fixture(scope="module")
def release() -> mv.Release:
    return mv.mask.Microaggregation().apply(DATA, columns=["income"], seed=1)


def _rendered(release: mv.Release) -> str:
    return render(
        InternalContent(Pair.of(DATA, release), mv.evaluate(DATA, release, measures=["pil"]), release=release)
    )


def test_a_new_section_is_shown_in_its_place(release, monkeypatch):
    def draw(told):
        records = len(told.release)
        return Charts((f"<svg>{records} of {', '.join(told.columns)}</svg>",), "2 more are not drawn.")

    new = Section("How it looks", draw, "Every <dot> is a record.")
    monkeypatch.setattr(page, "SECTIONS", (*SECTIONS, new))
    text = _rendered(release)
    places = ["<h2>Distributions before and after</h2>", "<h2>How it looks</h2>", "<h2>Decision</h2>"]
    assert [text.index(place) for place in places] == sorted(text.index(place) for place in places)
    assert '<p class="soft">Every &lt;dot&gt; is a record.</p>' in text
    assert '<div class="one"><svg>60 of income</svg></div>' in text
    assert "2 more are not drawn." in text


def test_a_section_that_draws_nothing_is_not_shown(release):
    text = _rendered(release)
    # a single amount has no correlation, and nothing else was tried
    assert "<h2>Correlations</h2>" not in text
    assert "<h2>What else was tried</h2>" not in text


def test_a_new_chart_of_the_risk_page_stands_where_it_says(monkeypatch):
    seen = RiskChart("figures", lambda found: f"<svg>{found.original.records} in all</svg>")
    empty = RiskChart("ranking", lambda found: "")
    monkeypatch.setattr(risk_charts, "RISK_CHARTS", (*RISK_CHARTS, seen, empty))
    text = render_risk(mv.assess(DATA))
    assert (
        text.index("Individual risk")
        < text.index("<div><svg>60 in all</svg></div>")
        < text.index("<h2>The records most")
    )
    assert "<div></div>" not in text
