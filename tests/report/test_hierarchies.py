"""The section of the report on hierarchies."""

from __future__ import annotations

import pandas as pd

import microveil as mv

FRAME = pd.DataFrame({"place": ["<i>", "b & b", "c"] * 4, "age": [17, 23, 94] * 4})
PLACES = {"<i>": ["north"], "b & b": ["north"], "c": ["south"]}


def page_of(**hierarchies: object) -> str:
    data = mv.Microdata(FRAME, hierarchies=hierarchies)
    release = mv.mask.GlobalRecode().apply(data, columns=["place", "age"], seed=1)
    figures = mv.evaluate(data, release, measures=["entropy-loss"])
    return mv.report.render(mv.report.InternalContent(mv.measure.Pair.of(data, release), figures, release=release))


def test_every_hierarchy_is_shown_by_level_and_as_a_tree():
    page = page_of(place=PLACES, age=mv.hierarchy.Intervals(widths=[10, 50]))
    assert "<h2>Hierarchies</h2>" in page
    assert "<summary>place: 3 values, then 2</summary>" in page
    assert "<tr><th>values</th><td>3</td><td>2</td></tr>" in page
    assert "<summary>age: 3 values, then 3, 2, 1</summary>" in page
    assert "<td>&lt;i&gt;, b &amp; b, c</td><td>north, south</td>" in page
    assert "<i>" not in page


def test_without_any_there_is_no_section():
    data = mv.Microdata(FRAME.assign(x=range(12)))
    figures = mv.evaluate(data, FRAME.assign(x=range(12)), measures=["entropy-loss"])
    assert "<h2>Hierarchies</h2>" not in mv.report.render(
        mv.report.InternalContent(mv.measure.Pair.of(data, data), figures)
    )
