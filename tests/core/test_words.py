"""Numbers of things in words that agree."""

from __future__ import annotations

from microveil.core.words import counted, unit_for


def test_one_of_something_has_no_plural() -> None:
    assert [counted(number, "record") for number in (0, 1, 2, 1200)] == [
        "0 records",
        "1 record",
        "2 records",
        "1,200 records",
    ]
    assert counted(2, "category", "categories") == "2 categories"
    assert [unit_for(value, "records") for value in (0.0, 1.0, 2.0)] == ["records", "record", "records"]
    assert unit_for(1.0, "%") == "%"
