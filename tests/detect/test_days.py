"""Days of birth whatever their form, and full dates over many years."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from tests.detect.finding import finding, found

N = 300
FORMS = (
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%d.%m.%y",
    "%d/%m/%y",
    "%y-%m-%d",
    "%d%b%Y",
    "%d-%b-%y",
    "%Y-%m-%d 00:00:00",
    "%d%m%Y",
)


def days(first: int, last: int, seed: int = 0) -> list[date]:
    start, end = date(first, 1, 1), date(last, 12, 31)
    steps = np.random.default_rng(seed).integers(0, (end - start).days, N)
    return [start + timedelta(days=int(step)) for step in steps]


@pytest.mark.parametrize("form", FORMS)
def test_days_of_birth_are_known_in_any_form(form: str) -> None:
    assert (
        found("v1", [day.strftime(form) for day in days(1938, 2004)]) == "100 % of its values look like days of birth"
    )


@pytest.mark.parametrize(("first", "last"), [(1970, 1999), (1998, 2003), (2001, 2001)])
def test_days_of_a_generation_long_ago_are_taken_for_days_of_birth(first: int, last: int) -> None:
    for values in (days(first, last), pd.to_datetime(days(first, last))):
        one = finding("v1", values)
        assert one is not None
        assert (one.role, one.why) == ("identifier", "its days lie before 2010, as days of birth do")


def test_full_dates_over_many_years_need_a_role_and_are_proposed_as_keys() -> None:
    one = finding("admitted", days(2008, 2023))
    assert one is not None
    assert one.role == "key"
    assert "over more than five years" in one.why


@pytest.mark.parametrize(("first", "last"), [(2023, 2023), (2020, 2023)])
def test_days_of_events_within_a_few_years_are_keys_and_no_identifiers(first: int, last: int) -> None:
    assert found("admitted", days(first, last)) is None
    assert mv.inspect(pd.DataFrame({"v1": days(first, last)})).roles == {"v1": "key"}


def test_ends_of_months_and_quarters_are_no_full_dates() -> None:
    ends = pd.date_range("1985-01-31", periods=160, freq="QE").date
    assert found("v1", [ends[i % 160] for i in range(N)]) is None


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("date_of_birth", np.linspace(-600_000_000, 900_000_000, N).astype(int)),  # seconds
        ("Geburtsdatum", np.linspace(15_000, 38_000, N).astype(int)),  # days of a spreadsheet
        ("fecha_nac", [int(day.strftime("%d%m%y")) for day in days(1940, 1999)]),
    ],
)
def test_days_of_birth_as_numbers_are_known_by_their_name(name: str, values: Any) -> None:
    assert found(name, values) == "100 % of its values look like days of birth"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("birth_year", np.arange(N) % 90 + 1920),
        ("birth_month", [100 * (1940 + i % 60) + 1 + i % 12 for i in range(N)]),
        ("birth_weight", 2500 + np.arange(N) * 7 % 1900),
        ("birth_order", np.arange(N) % 5 + 1),
        ("birthplace_code", 1000 + np.arange(N) * 13 % 97 * 401),
        ("municipality_of_birth", 1000 + np.arange(N) % 90 * 571),
    ],
)
def test_other_numbers_about_a_birth_are_no_days(name: str, values: Any) -> None:
    assert found(name, values) is None
