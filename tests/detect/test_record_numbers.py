"""Numbers of records and persons without check digits, told from amounts and classifications."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.detect.finding import found

N = 400
DRAW = np.random.default_rng(8)


def repeated(values: Any) -> list[Any]:
    """Each value about as often as the others."""
    listed = list(values)
    return [listed[place] for place in np.random.default_rng(2).integers(0, len(listed), N)]


def test_numbers_of_patients_who_come_back_are_found() -> None:
    why = "whole numbers of one length that come back though they are not rounded"
    for numbers in (
        DRAW.integers(100_000, 999_999, 20),
        DRAW.integers(4_500_000, 4_600_000, 60),
        range(2_300_400, 2_300_700, 3),
    ):
        assert why in str(found("v1", repeated(numbers)))
        assert why in str(found("v1", repeated(map(str, numbers))))


def test_digits_with_zeros_in_front_are_numbers_of_records() -> None:
    digits = [f"{number:07d}" for number in DRAW.choice(9_999_999, N, False)]
    assert "hardly any repeats" in str(found("v1", digits))


def test_digits_in_groups_are_numbers_of_records() -> None:
    whole = [f"{number:09d}" for number in DRAW.choice(10**9, N, False)]
    assert "hardly any repeats" in str(found("v1", [f"{text[:3]} {text[3:6]} {text[6:]}" for text in whole]))
    assert found("v1", [f"{1 + n % 28:02d}-{1 + n % 12:02d}-2023" for n in range(N)]) is None


def test_codes_and_keys_of_persons_who_come_back_are_found() -> None:
    codes = [f"VR-OZ {number}" for number in range(1_003, 9_999, 59)]
    assert "different values are codes of one shape" in str(found("v1", repeated(codes) * 8))
    signs = [f"{sign}H49{sign}K9W{number}" for number in range(100, 150) for sign in "CF"]
    assert found("v1", repeated(signs) * 8) == "100 % of its values look like keys of letters and digits"
    assert found("product", repeated(codes) * 8) is None


@pytest.mark.parametrize(
    "numbers",
    [
        DRAW.choice(np.arange(1, 4 * N), N, False),
        DRAW.choice(np.arange(50_000, 50_000 + 9 * N), N, False),
        DRAW.permutation(np.r_[100:300, 90_000:90_200]),
        10 * DRAW.permutation(np.arange(1, 2 * N, 2)),
    ],
    ids=["every fourth", "every ninth", "blocks", "in tens"],
)
def test_running_numbers_are_found_with_gaps(numbers: Any) -> None:
    assert found("v1", numbers) == "its values are running numbers"


@pytest.mark.parametrize(
    "amounts",
    [
        DRAW.integers(10_000, 99_999, N),
        DRAW.integers(0, 4 * N, N),
        DRAW.integers(100_000, 999_999, 200 * N),
        DRAW.normal(450_000, 90_000, N).round(),
        repeated(DRAW.normal(450_000, 90_000, 30).round(-2)),
        repeated(DRAW.integers(2_000, 4_000, 30) * 150),
        np.unique(DRAW.lognormal(7, 1, 3 * N).round()),
        repeated(100 * DRAW.integers(2001, 2023, 60) + DRAW.integers(1, 13, 60)),
    ],
)
def test_amounts_and_months_are_no_numbers_of_records(amounts: Any) -> None:
    assert found("v1", amounts) is None


def test_a_word_for_an_amount_does_not_excuse_numbers_of_persons() -> None:
    numbers = repeated(DRAW.integers(10_000, 99_999, 90))
    assert found("patient_id_status", numbers) == "its name says that it numbers persons, firms or records"
    assert found("patient_id_status", [number % 4 for number in numbers]) is None
    assert found("account_balance", DRAW.normal(50_000, 9_000, N).round()) is None
    assert found("total_amount", [f"p{number}@example.org" for number in numbers]) is not None


def test_some_accounts_among_other_texts_are_found() -> None:
    accounts = ["DE89370400440532013000", "GB82WEST12345698765432", "FR1420041010050500013M02606"]
    values = [accounts[i % 3] if i % 5 == 0 else f"{i % 40}.5" for i in range(N)]
    assert "IBAN" in str(found("total", values))


def test_short_numbers_of_telephones_are_known_by_their_name() -> None:
    assert found("Telefon", DRAW.integers(200_000, 999_999, N)) == "its name says telephone, account or card"
    assert found("telefono_gasto", DRAW.integers(0, 900, N)) is None


@pytest.mark.parametrize("name", ["weight", "Gewicht", "hhwgt"])
def test_numbers_of_records_are_found_in_a_column_called_weight(name: str) -> None:
    assert found(name, range(1, 301)) == "its values are running numbers"
    for numbers in (DRAW.choice(np.arange(100_000, 999_999), N, False), 100_000 + 5 * np.arange(N) ** 2):
        assert "whole numbers of one length" in str(found(name, numbers))


@pytest.mark.parametrize(
    "weights",
    [
        DRAW.uniform(10, 900, N).round(2),
        DRAW.lognormal(5, 1, N).round() + 1,
        repeated(DRAW.integers(100_000, 999_999, 20)),
        100 * np.round(10 ** np.linspace(4, 4.99, 60)),
    ],
    ids=["decimal", "whole", "of strata", "rounded"],
)
def test_weights_are_no_numbers_of_records(weights: Any) -> None:
    assert found("weight", weights) is None


def test_the_weight_of_a_body_may_be_another_for_everybody() -> None:
    assert found("birth_weight", 1_500 + np.arange(N) * 7) is None
