"""Cards for notebooks: what is escaped, and what is left out where there is nothing to show."""

from __future__ import annotations

import re

import pytest

from microveil.core.cards import Html, card, folded, listed, paragraph, shown, table, tiny_bars


def test_everything_is_escaped_but_markup() -> None:
    assert shown("a < b") == "a &lt; b"
    assert shown(Html("<b>a</b>")) == "<b>a</b>"
    assert shown(3) == "3"
    assert ">a &lt; b</p>" in paragraph("a < b")
    assert ">t &lt; u</div><p" in card("t < u", paragraph("x"))


def test_nothing_is_shown_of_nothing() -> None:
    assert listed([]) == ""
    assert listed(["a", "<"]).endswith("<li>a</li><li>&lt;</li></ul>")
    assert table(["name"], []) == ""
    assert re.sub(r' style="[^"]*"', "", table(["<"], [["&", Html("<b>1</b>")]])) == (
        "<table><thead><tr><th>&lt;</th></tr></thead><tbody><tr><td>&amp;</td><td><b>1</b></td></tr></tbody></table>"
    )
    assert folded("more", Html("")) == ""
    assert folded("more & less", Html("<b>1</b>")).endswith("more &amp; less</summary><b>1</b></details>")


@pytest.mark.parametrize("shares", [[], [0.0, 0.0]])
def test_without_any_share_there_is_no_histogram(shares: list[float]) -> None:
    assert tiny_bars(shares) == ""


def test_the_largest_share_is_as_high_as_the_line() -> None:
    drawn = tiny_bars([0.0, 0.2, 0.4])
    assert drawn.startswith('<svg width="21" height="18" ')
    bars = re.findall(r'x="(\d+)" y="([\d.]+)" width="(\d+)" height="([\d.]+)"', drawn)
    assert bars == [("0", "18.0", "6", "0.0"), ("7", "9.0", "6", "9.0"), ("14", "0.0", "6", "18.0")]
