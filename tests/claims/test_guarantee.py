"""Guarantees in words: the bound, and which statements protect."""

from __future__ import annotations

import pytest

from microveil.claims.guarantee import GroupAnonymity, Guarantee, Statement


@pytest.mark.parametrize(
    ("k", "synthetic", "summary", "linkage"),
    [
        (4, False, "linkage at most 1/4", 0.25),
        (None, False, "no bound on linkage is proven", 1.0),
        (None, True, "no released record has an original; that is no bound on what it discloses", 1.0),
    ],
)
def test_the_bound(k: int | None, synthetic: bool, summary: str, linkage: float) -> None:
    found = Guarantee(k, (), synthetic)
    assert (found.summary, found.linkage) == (summary, linkage)


def test_what_is_not_said_is_not_assumed() -> None:
    assert Guarantee(None, ()).synthetic is False
    assert GroupAnonymity(3, None) == GroupAnonymity(3, None, (), (), 0.0, "")


def test_statements_say_whether_they_protect() -> None:
    safe, open_ = Statement("knows <all>", True, "one in 3"), Statement("knows k", False, "he is found")
    assert str(safe) == "protected against an intruder who knows <all>: one in 3"
    assert str(open_) == "EXPOSED to an intruder who knows k: he is found"
    shown = Guarantee(3, (safe, open_))._repr_html_()
    assert "Guarantee: linkage at most 1/3" in shown
    assert shown.index(">protected</td>") < shown.index("knows &lt;all&gt;") < shown.index("<b>exposed</b>")
