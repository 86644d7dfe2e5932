"""Names of columns in files: each has one, and its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from microveil.core.errors import BadInput
from microveil.io.names import check_column_names


def test_names_of_all_sorts_are_fine() -> None:
    check_column_names(Path("in.csv"), ["a", "A", " a", "1", 1, "größe"])


@pytest.mark.parametrize("name", [None, "", " \t"])
def test_a_column_without_a_name_is_told_by_its_place(name: str | None) -> None:
    with pytest.raises(BadInput, match=r"'in.csv', line 1: column 2 has no name \(row numbers\?\); name it or remove"):
        check_column_names(Path("in.csv"), ["a", name, "c"], "line 1")


def test_a_name_that_occurs_twice_is_told_with_both_places() -> None:
    with pytest.raises(BadInput, match=r"the header: the column name 'x' occurs more than once \(columns 2 and 4\)"):
        check_column_names(Path("in.csv"), ["a", "x", "b", "x"])
