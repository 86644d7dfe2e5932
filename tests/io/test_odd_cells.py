"""One odd cell does not turn a column of numbers into categories without a word."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import microveil as mv
from microveil.cli.words import in_command_words
from microveil.core.errors import BadInput
from microveil.io.odd_cells import odd_among_numbers

AMOUNTS = [f"{17 * number}.{number % 90 + 10}" for number in range(1, 61)]
LIKE_NUMBERS = ("1e400", "0x1F", "(12.50)", "12.50-", "12.50 €", "$12.50", "12%")


def text(*cells: str | None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(cells, pa.string())])


def csv(folder: Path, cells: list[str], mark: str = ",") -> Path:
    path = folder / "in.csv"
    path.write_text("x" + mark + "y\n" + "".join(f"{cell}{mark}t\n" for cell in cells))
    return path


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["1", "NA", "2.5", " inf"], [" inf", "NA"]),
        (["#NV", "1", "#DIV/0!", "####"], ["####", "#DIV/0!", "#NV"]),
        (["x", "NA"], []),
        (["x", "#N/A"], []),
        (["1", "2"], []),
        (["NA", None], []),
        (["2020-01-01", "missing"], ["missing"]),
        (["1", "#12"], []),
    ],
)
def test_words_for_no_value_among_numbers(cells: list[str | None], words: list[str]) -> None:
    assert odd_among_numbers(text(*cells)) == words


@pytest.mark.parametrize("odd", LIKE_NUMBERS)
@pytest.mark.parametrize("place", [0, 40])
def test_a_cell_written_like_a_number_is_refused_with_its_line(tmp_path: Path, odd: str, place: int) -> None:
    path = csv(tmp_path, [*AMOUNTS[:place], odd, *AMOUNTS[place:]])
    with pytest.raises(BadInput) as told:
        mv.read(path)
    assert str(told.value).startswith(
        f"column 'x' holds numbers and [{odd!r}] (first in line {place + 2}): if these mean"
    )
    assert mv.read(path, missing=[odd]).frame["x"].null_count == 1
    assert mv.read(path, kinds={"x": "nominal"}).frame["x"].to_pylist()[place] == odd


@pytest.mark.parametrize("odd", ["0x1F", "#DIV/0!", "1e400"])
def test_the_decimal_comma_is_found_beside_odd_cells(tmp_path: Path, odd: str) -> None:
    path = csv(tmp_path, [*(amount.replace(".", ",") for amount in AMOUNTS), odd], ";")
    with pytest.raises(BadInput, match="first in line 62"):
        mv.read(path)
    assert mv.read(path, missing=[odd]).frame["x"].to_pylist()[:2] == [17.11, 34.12]


def test_a_code_for_missing_does_not_hide_other_odd_cells(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"\['#REF!'\] \(first in line 63\)"):
        mv.read(csv(tmp_path, [*AMOUNTS, "NA", "#REF!"]), missing=["NA"])


@pytest.mark.parametrize(
    "cells",
    [
        [*map(str, range(1000, 1060)), "D-80331"],
        [*map(str, range(1, 61)), "12a", "7b"],
        [*map(str, range(1, 61)), "unknown"],
        [*(f"{number:02d}" for number in range(1, 61)), "0x1F"],
        [*AMOUNTS[:10], "0x1F"],
        [*AMOUNTS, *(f"0x{number}" for number in range(40))],
        [f"{number}E401" for number in range(60)],
        [f"{number}%" for number in range(60)],
    ],
    ids=["postcodes", "houses", "word", "leading zeros", "few numbers", "many odd", "codes with E", "shares"],
)
def test_codes_stay_text(tmp_path: Path, cells: list[str]) -> None:
    assert mv.read(csv(tmp_path, cells)).frame["x"].to_pylist() == cells


def test_many_odd_cells_are_counted_and_the_options_of_the_command_line_are_said(tmp_path: Path) -> None:
    odd = ["#N/A", "#REF!", "#NUM!", "#NV", "#WERT!", "#NAME?", "#NULL!"]
    with pytest.raises(BadInput) as told:
        mv.read(csv(tmp_path, [*AMOUNTS, *odd]))
    assert "and 2 more such texts (first in line 62)" in str(told.value)
    assert "--na '#N/A' --na '#NAME?'" in in_command_words(str(told.value))
    assert in_command_words("say missing=['1,5 €', 'NA']") == "say --na '1,5 €' --na NA"
