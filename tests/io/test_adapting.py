"""What a format cannot hold: where each refusal and each note begins."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

from microveil.core.errors import BadInput
from microveil.io.adapting import (
    refuse_long_numbers,
    refuse_trailing_blanks,
    tell_missing_text,
    without_empty_text,
    without_zone,
)


def column(*cells: Any, kind: Any = None) -> Any:
    return pa.chunked_array([pa.array(cells, kind)])


@pytest.mark.parametrize("cells", [(2**53, -(2**53)), (-(2**53), 1), (2**53, 1, None), (None, None)])
def test_whole_numbers_up_to_2_to_the_53_fit(cells: tuple[int | None, ...]) -> None:
    refuse_long_numbers(column(*cells, kind=pa.int64()), "c", "SPSS")


@pytest.mark.parametrize("cells", [(2**53 + 1, 0), (-(2**53) - 1, 0)])
def test_longer_whole_numbers_do_not(cells: tuple[int, ...]) -> None:
    with pytest.raises(BadInput, match=r"column 'c' holds whole numbers beyond 2\^53, which SPSS cannot keep"):
        refuse_long_numbers(column(*cells), "c", "SPSS")


def test_empty_text_becomes_missing_and_is_noted() -> None:
    notes: list[str] = []
    assert without_empty_text(column("a", "", "b"), "c", "XLSX", notes).to_pylist() == ["a", None, "b"]
    assert notes == ["empty text in 'c' was written as missing: XLSX knows no difference"]


@pytest.mark.parametrize("cells", [("a", "b"), ("a", None), (None, None)])
def test_other_text_is_left_as_it_is(cells: tuple[str | None, ...]) -> None:
    notes: list[str] = []
    text = column(*cells, kind=pa.string())
    assert without_empty_text(text, "c", "XLSX", notes) is text
    assert notes == []


def test_missing_text_is_counted_where_there_is_any() -> None:
    notes: list[str] = []
    tell_missing_text(column("a", "b"), "c", "SPSS", notes)
    assert notes == []
    tell_missing_text(column("a", None, None), "c", "SPSS", notes)
    assert len(notes) == 1
    assert notes[0].startswith("missing text in 'c' (2 cells) was written as empty text: SPSS knows no difference")


@pytest.mark.parametrize("word", ["a ", "a\0", "a\0b", " "])
def test_text_that_padding_would_change_is_refused(word: str) -> None:
    with pytest.raises(BadInput, match=r"text in column 'c' ends in blanks or holds zero characters"):
        refuse_trailing_blanks(column("b", word, None), "c", "SPSS")


def test_blanks_elsewhere_are_kept() -> None:
    refuse_trailing_blanks(column(" a b", "", None), "c", "SPSS")


def test_moments_are_written_in_utc_and_other_zones_are_noted() -> None:
    noon = dt.datetime(2020, 7, 1, 12, tzinfo=dt.UTC)
    plain = noon.replace(tzinfo=None)
    for zone, expected in (("UTC", []), ("Europe/Berlin", ["moments in 'c' were written in UTC"])):
        notes: list[str] = []
        found = without_zone(column(noon, kind=pa.timestamp("us", zone)), "c", notes)
        assert found.type == pa.timestamp("us")
        assert found.to_pylist() == [plain]
        assert notes == expected
    unchanged = column(plain, kind=pa.timestamp("us"))
    assert without_zone(unchanged, "c", []) is unchanged
