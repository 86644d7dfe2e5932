"""Codes that many people share, and words for occupations, identify nobody by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.detect.finding import found

ICD = [f"{a}{b:02d}.{c}" for a in "ACEFIJKMNS" for b in range(0, 90, 4) for c in range(0, 9, 3)] + ["I10", "J45", "R05"]
NUTS = [f"DE{a}{b}{c}" for a in "1234ABCD" for b in "123" for c in range(1, 9)]
NACE = [f"{a}.{b}" for a in range(10, 96) for b in (11, 12, 20, 31)]
ATC = [f"{a}{b:02d}{c}{d}{e:02d}" for a in "ACJN" for b in (1, 5, 9) for c in "AB" for d in "CX" for e in (1, 4, 11)]
OPS = [f"{a}-{b}.{c:02d}" for a in (1, 3, 5, 8) for b in range(200, 900, 57) for c in (10, 11, 20)]
STATES = ("Bayern", "Hessen", "Sachsen", "Berlin", "Hamburg", "Bremen", "Saarland", "Brandenburg", "Schleswig-Holstein")
OCCUPATIONS = ("Baker", "Smith", "Cook", "Miller", "Farmer", "Driver", "Teacher", "Nurse", "Tailor", "Fisher", "Clerk")
BERUFE = ("Bäcker", "Koch", "Müller", "Schneider", "Fischer", "Weber", "Lehrer", "Zimmermann", "Bauer", "Maurer")


def drawn(values: Any) -> list[Any]:
    return np.random.default_rng(4).choice(np.array(values), 400).tolist()


@pytest.mark.parametrize("name", ["icd10", "v1"])
@pytest.mark.parametrize(
    "codes", [ICD, [code.replace(".", "") for code in ICD], NUTS, NACE, [f"C{code}" for code in NACE], ATC, OPS]
)
def test_codes_of_classifications_are_left_alone(name: str, codes: list[str]) -> None:
    assert found(name, drawn(codes)) is None


@pytest.mark.parametrize("name", ["municipality", "fips_county", "Gemeinde"])
def test_codes_under_the_name_of_a_classification_are_left_alone(name: str) -> None:
    assert found(name, drawn([f"E{7_000_000 + 13 * number:08d}" for number in range(120)])) is None


def test_codes_of_records_are_found_though_they_are_short() -> None:
    assert found("v1", drawn([f"P{number}" for number in range(100, 400)])) is not None
    assert found("municipality_id", drawn([f"E{7_000_000 + 13 * n:08d}" for n in range(120)])) is not None


@pytest.mark.parametrize(
    "words", [OCCUPATIONS, BERUFE, [f"{rank} {one}" for rank in ("Chief", "Junior", "Senior") for one in OCCUPATIONS]]
)
def test_occupations_are_no_names(words: list[str]) -> None:
    assert found("v1", drawn(words)) is None


def test_regions_are_no_names() -> None:
    assert found("v1", drawn([*STATES, "Thüringen", "Niedersachsen"])) is None


def test_frequent_surnames_are_names_though_some_are_occupations() -> None:
    surnames = ("Müller", "Schmidt", "Schneider", "Fischer", "Weber", "Meyer", "Wagner", "Becker", "Schulz", "Hoffmann")
    assert found("v1", drawn(surnames)) == "100 % of its values look like names of people"


@pytest.mark.parametrize("name", ["rr", "v1"])
def test_blood_pressures_are_left_alone(name: str) -> None:
    draw = np.random.default_rng(5)
    high = draw.integers(100, 180, 400)
    assert (
        found(name, [f"{one}/{one - below}" for one, below in zip(high, draw.integers(25, 60, 400), strict=True)])
        is None
    )


def test_numbers_with_a_year_are_no_blood_pressures() -> None:
    assert found("v1", [f"{17 + number % 5}/{100 + number}" for number in range(400)]) is not None


def test_numbers_of_medicines_are_left_alone() -> None:
    assert found("pzn", drawn([7_000_000 + 1373 * number for number in range(60)])) is None
