"""Hierarchies as trees."""

from __future__ import annotations

import microveil as mv
from microveil.hierarchy.showing import levels_table, sizes_of, tree_html, tree_text

CITIES = {"Vienna": ("East", "Austria"), "Graz": ("South", "Austria"), "Oslo": ("Norway",)}


def test_lines_for_a_terminal():
    assert tree_text(CITIES) == (
        "Hierarchy: 3 values, then 3, 2\n"
        "*\n"
        "├─ Austria\n"
        "│  ├─ East\n"
        "│  │  └─ Vienna\n"
        "│  └─ South\n"
        "│     └─ Graz\n"
        "└─ Norway\n"
        "   └─ Oslo"
    )
    assert sizes_of(CITIES) == (3, 3, 2)


def test_the_top_is_the_root_and_repeated_names_stand_once():
    made = mv.Hierarchy({"a": ["a", "x"], "b": ["b", "x"]})
    assert repr(made) == "Hierarchy: 2 values, then 2, 1\nx\n├─ a\n└─ b"


def test_large_trees_show_counts():
    made = mv.hierarchy.Intervals(widths=[10, 1000]).of(range(5000))
    assert "├─ [0, 1000) (1,000 values)" in repr(made)
    wide = mv.Hierarchy({i: ["*"] for i in range(1000)})
    assert repr(wide).endswith("└─ 960 more")
    assert "<div>800 more</div>" in wide._repr_html_()


def test_texts_are_escaped_and_there_is_no_script():
    page = mv.Hierarchy({"<script>": ["<b>"], "&": ["<b>"]})._repr_html_()
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "<b>" not in page
    assert "<details open>" in tree_html({"a": ("x",), "b": ("x",)})


def test_levels_with_examples():
    head, rows = levels_table(CITIES, most=1)
    assert head == ("level", "values", "such as")
    assert rows == [("0", "3", "Vienna, ..."), ("1", "3", "East, ..."), ("2", "2", "Austria, ...")]
