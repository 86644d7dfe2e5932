"""What cells and tables know of themselves, and how tables are registered and found."""

from __future__ import annotations

import pytest

from microveil.core.errors import BadInput, UnknownName
from microveil.core.streams import Key
from microveil.reproduce import base
from microveil.reproduce.base import Cell, Content, PaperTable, compare_with_published, counts_of, draw_keys
from microveil.reproduce.status import Range


def test_a_cell_without_our_figure_or_with_a_reason_is_not_compared():
    assert Cell("a", "b", 1.0, None).status == "not available"
    cell = Cell("a", "b", 1.0, Range(1.0, 1.0, 1.0), 1, "seconds on another machine")
    assert cell.status == "not comparable"
    table = PaperTable("t", "T", "P", (), 1, (cell, cell))
    assert table.reasons == ("Not comparable: seconds on another machine.",)


def test_compared_reads_a_printed_line():
    cells = compare_with_published(
        {"r": "50.5 - 7"}, ("a", "b", "c"), {"r": [{"a": 50.5, "b": 1.0}, {"a": 50.7, "b": 1.0}]}, 1
    )
    assert [(cell.published, cell.status) for cell in cells] == [
        (50.5, "within range"),
        (None, "ours only"),
        (7.0, "not available"),
    ]
    with pytest.raises(BadInput, match="row 'r' has 1 printed figures for 2 columns"):
        compare_with_published({"r": "1"}, ("a", "b"), {}, 1)


def test_compared_takes_zeros_by_construction_by_row_and_column():
    ours = {row: [{"a": 0.0, "b": 0.0}] for row in ("r", "s")}
    cells = compare_with_published({"r": "0 0", "s": "0 0"}, ("a", "b"), ours, 1, {"r": ("b",)})
    assert [cell.status for cell in cells] == ["reproduced", "zero by construction", "reproduced", "reproduced"]


def test_a_table_knows_its_rows_columns_and_counts():
    one = Range(1.0, 1.0, 1.0)
    table = PaperTable("t", "T", "P", (), 1, (Cell("r1", "a", 1.0, one), Cell("r2", "b", 9.0, one)))
    assert table.rows == ("r1", "r2")
    assert table.columns == ("a", "b")
    assert table.cell("r1", "b") is None
    assert table.counts == {"reproduced": 1, "unresolved": 1}
    assert counts_of([table, table]) == {"reproduced": 2, "unresolved": 2}


def test_tables_are_registered_once_and_found_by_name(monkeypatch):
    monkeypatch.setattr(base, "_TABLES", {})

    @base.paper_table("toy-1", "Toy", "Nobody", draws=3)
    def toy(draws: int, key: Key) -> Content:
        value = float(base.Streams(key).uniforms(0, 1)[0, 0])
        return Content((Cell("r", "c", None, Range.of([value] * draws)),), ("As it is.",), ("A note.",))

    found = base.table("toy-1").run()
    assert (found.draws, found.reading, found.notes) == (3, ("As it is.",), ("A note.",))
    assert found == base.table("toy-1").run()
    assert found.cells != base.table("toy-1").run(key=Key.of("another")).cells
    assert [entry.name for entry in base.tables()] == ["toy-1"]
    with pytest.raises(BadInput, match=r"draws must be 1 or more; 0 was given"):
        base.table("toy-1").run(0)
    with pytest.raises(UnknownName, match="no table called 'toy-2'; did you mean 'toy-1'"):
        base.table("toy-2")
    with pytest.raises(BadInput, match="there are two tables called 'toy-1'"):
        base.paper_table("toy-1", "Toy", "Nobody", draws=1)(toy)


def test_draw_keys_differ_by_draw_and_purpose_and_come_back():
    key = Key.of("seed")
    first, second = draw_keys(key, 3, "a"), draw_keys(key, 3, "b")
    assert len({one.secret for one in (*first, *second)}) == 6
    assert draw_keys(key, 3, "a") == first
    assert draw_keys(key, 5, "a")[:3] == first
