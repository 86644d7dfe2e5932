"""Months, quarters and weeks are no full dates, and number nobody."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from tests.detect.finding import found

N = 400
NAMES = ("month", "Monat", "mois", "period", "admission_month", "v1")
FORMS = (
    "{0}-{1:02d}",
    "{1:02d}/{0}",
    "{0}M{1:02d}",
    "{0}-W{2:02d}",
    "{0}Q{3}",
    "{1}.{0}",
    "{0}{1:02d}",
    "KW {2}/{0}",
    "{4} {0}",
)


def periods(form: str) -> list[str]:
    draw = np.random.default_rng(3)
    years, weeks = draw.integers(2000, 2023, N).tolist(), draw.integers(1, 53, N).tolist()
    months = [1 + week * 12 // 54 for week in weeks]
    words = ["Jan", "Feb", "Mär", "Apr", "Mai", "Juni", "Juli", "Aug", "Sep", "Okt", "Nov", "Dez"]
    return [
        form.format(year, month, week, (month + 2) // 3, words[month - 1])
        for year, month, week in zip(years, months, weeks, strict=True)
    ]


@pytest.mark.parametrize("form", FORMS)
def test_months_weeks_and_quarters_are_left_alone_under_any_name(form: str) -> None:
    assert {name: found(name, periods(form)) for name in NAMES} == dict.fromkeys(NAMES)


def test_months_are_proposed_as_keys() -> None:
    assert mv.inspect(pd.DataFrame({"Monat": periods("{0}-{1:02d}")})).roles == {"Monat": "key"}


def test_numbers_of_cases_of_a_year_are_no_months() -> None:
    draw = np.random.default_rng(4)
    cases = [
        f"{case}/{year}" for case, year in zip(draw.integers(1, 900, N), draw.integers(2015, 2024, N), strict=True)
    ]
    assert "codes of one shape" in str(found("v1", cases))
    assert "codes of one shape" in str(found("v1", [f"2023-{case:02d}" for case in range(1, 60)]))


def test_running_numbers_that_begin_as_a_year_does_are_no_months() -> None:
    assert found("v1", list(range(201_401, 201_460))) == "its values are running numbers"


def test_a_name_that_says_records_is_believed_over_months() -> None:
    assert found("case_id", periods("{0}-{1:02d}")) is not None
