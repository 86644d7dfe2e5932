"""Numbers that prove themselves: published examples pass, and no other last sign does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from microveil.detect import check_digits as check

PUBLISHED: list[tuple[Callable[[str], bool], str]] = [
    (check.is_iban, "DE89 3704 0044 0532 0130 00"),
    (check.is_iban, "GB82WEST12345698765432"),
    (check.is_card, "4111 1111 1111 1111"),
    (check.is_imei, "49-015420-323751-8"),
    (check.is_dni, "12345678Z"),
    (check.is_dni, "X1234567L"),
    (check.is_german_tax_number, "86095742719"),
    (check.is_german_pension_number, "15070649C103"),
    (check.is_german_health_number, "A123456780"),
    (check.is_nir, "255081416802538"),
    (check.is_nhs_number, "943 476 5919"),
    (check.is_fiscal_code, "RSSMRA85T10A562S"),
    (check.is_bsn, "111222333"),
    (check.is_pesel, "44051401359"),
    (check.is_portuguese_tax_number, "123456789"),
    (check.is_personnummer, "811218-9876"),
    (check.is_cpf, "529.982.247-25"),
    (check.is_ahv_number, "756.9217.0769.85"),
]


@pytest.mark.parametrize(("is_it", "number"), PUBLISHED)
def test_published_examples_pass_and_no_other_last_sign_does(is_it: Callable[[str], bool], number: str) -> None:
    assert is_it(number)
    signs = "0123456789" if number[-1].isdigit() else "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert [sign for sign in signs if is_it(number[:-1] + sign)] == [number[-1]]


@pytest.mark.parametrize("is_it", list(check.CHECKED.values()))
def test_other_texts_are_none(is_it: Callable[[str], bool]) -> None:
    for text in ("", "north", "12", "0000000000", "1111111111111", "2024-05-01", "12.5", "²³"):
        assert not is_it(text)


def test_social_security_numbers_are_told_by_their_shape() -> None:
    assert check.is_ssn("219-09-9999")
    for text in ("000-12-3456", "666-12-3456", "900-12-3456", "219-00-9999", "219099999"):
        assert not check.is_ssn(text)
