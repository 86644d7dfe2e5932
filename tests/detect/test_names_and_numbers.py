"""Names of columns that say birth, somebody or a classification, with numbers that say little by themselves."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from tests.detect.finding import found

N = 400
DRAW = np.random.default_rng(6)
STEPS = DRAW.integers(0, 21_900, N).tolist()
SIX = [(date(1940, 1, 1) + timedelta(step)).strftime("%y%m%d") for step in STEPS]
BIRTH = ("geboren", "geboren_am", "né_le", "DNAISS", "födelsedag", "szül_dátum", "doğum_tarihi", "Geburtsdatum", "dob")
SOMEBODY = ("participant", "subj", "Pat", "KlientIn", "case", "key", "Proband", "patient")


def repeated(numbers: Any) -> list[Any]:
    listed = list(numbers)
    return [listed[place] for place in DRAW.integers(0, len(listed), N)]


@pytest.mark.parametrize("name", BIRTH)
def test_days_of_birth_as_numbers_are_known_by_the_name(name: str) -> None:
    told = "100 % of its values look like days of birth"
    turned = [f"{text[4:]}{text[2:4]}{text[:2]}" for text in SIX]
    for values in ([14_611 + step for step in STEPS], list(map(int, SIX)), SIX, turned):
        assert found(name, values) == told


def test_six_digits_that_are_no_days_are_none_of_birth() -> None:
    codes = [f"{number:06d}" for number in DRAW.integers(0, 999_999, N)]
    months = [f"{year}{1 + year % 12:02d}" for year in DRAW.integers(1901, 1999, N)]
    assert "birth" not in str(found("birth_code", codes))
    assert found("birth_month", months) is None


@pytest.mark.parametrize("name", SOMEBODY)
def test_short_numbers_that_come_back_are_known_by_a_name_that_says_somebody(name: str) -> None:
    for digits in (3, 4, 6):
        numbers = DRAW.choice(np.arange(10 ** (digits - 1), 10**digits), 140, False)
        for values in (repeated(numbers.tolist()), repeated(map(str, numbers))):
            assert found(name, values) is not None


@pytest.mark.parametrize("name", ["case", "subject", "key", "client", "patient"])
def test_a_name_that_says_somebody_needs_many_numbers(name: str) -> None:
    assert found(name, repeated([0, 1])) is None
    assert found(name, repeated(range(1, 13))) is None
    assert found(name, repeated(["Maths", "Physics", "Music", "Sports"])) is None
    assert found(name, DRAW.lognormal(8, 1, N).round(2).tolist()) is None


@pytest.mark.parametrize("name", ["patient_days", "case_severity", "caseload", "n_patients", "v1"])
def test_counts_about_somebody_are_left_alone(name: str) -> None:
    assert found(name, DRAW.integers(100, 999, N).tolist()) is None


def test_chinese_names_of_columns_are_read() -> None:
    assert found("姓名", repeated(["王伟", "李娜", "张敏", "刘洋"])) == "its name says that it names or reaches people"
    assert found("性别", repeated(["男", "女"])) is None


@pytest.mark.parametrize("form", ["{a}{b}{n} {d}{b}{a}", "{a}{n}{b} {d}{a}{d}", "{n}{n}{d}{d} {a}{b}"])
def test_full_postcodes_of_nearly_each_record_need_a_role(form: str) -> None:
    letters, digits = DRAW.choice(list("ABCDEFGHJKLMNPRSTUVWXY"), (N, 2)), DRAW.integers(1, 10, (N, 2))
    codes = [form.format(a=a, b=b, n=n, d=d) for (a, b), (n, d) in zip(letters, digits, strict=True)]
    assert found("postcode_full", codes) == "100 % of its values look like full postcodes"
    assert found("postcode", repeated(codes[:40])) is None


CLASSES = (
    *("AGS", "Gemeindeschlüssel", "lau2", "insee", "hs_code", "hs6", "cn8", "product_code", "Warennummer", "taric"),
    *("loinc", "CPV"),
)


@pytest.mark.parametrize("name", CLASSES)
def test_codes_of_public_classifications_are_left_alone_by_their_names(name: str) -> None:
    eight = DRAW.integers(10_010_000, 99_077_056, 80)
    assert found(name, repeated(eight.tolist())) is None
    assert found(name, repeated(f"{number:08d}" for number in eight // 7)) is None
    assert found(name, repeated(f"{number}-{number % 9}" for number in eight)) is None
    assert found(name, repeated(f"{number // 1_000}-{number % 9}" for number in eight)) is None


def test_running_numbers_are_found_under_the_name_of_a_product() -> None:
    assert found("product_code", list(range(1, N + 1))) == "its values are running numbers"
    assert found("product_id", repeated(range(10_010_000, 10_990_000, 7_001))) is not None
