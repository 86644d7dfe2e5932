"""Numbers of persons, accounts and cards whose own digits prove them: one function per number."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache
from string import ascii_uppercase

_BETWEEN = re.compile(r"[\s.\-/]")
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_FISCAL_CODE = re.compile(r"[A-Z]{6}[0-9LMNPQRSTUV]{2}[A-EHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]")
_FISCAL_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


@lru_cache(maxsize=4096)  # every number asks for the same texts, one after the other
def bare(text: str) -> str:
    """The text in capitals without the marks that people put between groups of digits."""
    return _BETWEEN.sub("", text).upper()


def _digits(text: str, *lengths: int) -> list[int] | None:
    plain = bare(text)
    if len(plain) not in lengths or not (plain.isascii() and plain.isdigit()) or len(set(plain)) == 1:
        return None
    return [int(digit) for digit in plain]


def _weighted(digits: Sequence[int], weights: Sequence[int]) -> int:
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=False))


def luhn(digits: Sequence[int]) -> bool:
    """Whether the digits end in their Luhn check digit."""
    doubled = [
        digit if place % 2 == 0 else (2 * digit - 9 if digit > 4 else 2 * digit)
        for place, digit in enumerate(reversed(digits))
    ]
    return sum(doubled) % 10 == 0


def is_card(text: str) -> bool:
    """A number of a payment card: 13 to 19 digits that begin as cards do, Luhn."""
    digits = _digits(text, *range(13, 20))
    if digits is None or (len(digits) == 15 and digits[:2] not in ([3, 4], [3, 7])):
        return False
    return digits[0] in (3, 4, 5, 6) and luhn(digits)


def is_imei(text: str) -> bool:
    """A number of a mobile telephone: 15 digits, Luhn."""
    digits = _digits(text, 15)
    return digits is not None and luhn(digits)


def is_iban(text: str) -> bool:
    """An international account number: country, two check digits, 1 modulo 97."""
    plain = bare(text)
    if not _IBAN.fullmatch(plain):
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def is_dni(text: str) -> bool:
    """A Spanish DNI or NIE: seven or eight digits with the letter of their remainder by 23."""
    plain = bare(text)
    if not re.fullmatch(r"(?:\d{8}|[XYZ]\d{7})[A-Z]", plain):
        return False
    return plain[-1] == _DNI_LETTERS[int(plain[:-1].translate(str.maketrans("XYZ", "012"))) % 23]


def is_german_tax_number(text: str) -> bool:
    """A German tax identification number: eleven digits, not from 0, ISO 7064 modulo 11, 10."""
    digits = _digits(text, 11)
    if digits is None or digits[0] == 0:
        return False
    product = 10
    for digit in digits[:-1]:
        product = 2 * ((digit + product) % 10 or 10) % 11
    return (11 - product) % 10 == digits[-1]


def _cross_sum(number: int) -> int:
    return number // 10 + number % 10


def is_german_pension_number(text: str) -> bool:
    """A German pension insurance number: area, date of birth, initial, serial, check digit."""
    plain = bare(text)
    if not re.fullmatch(r"\d{8}[A-Z]\d{3}", plain):
        return False
    spelled = plain[:8] + f"{ascii_uppercase.index(plain[8]) + 1:02d}" + plain[9:11]
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    return sum(_cross_sum(int(digit) * weight) for digit, weight in zip(spelled, weights, strict=True)) % 10 == int(
        plain[-1]
    )


def is_german_health_number(text: str) -> bool:
    """A German health insurance number: a letter, eight digits, a check digit."""
    plain = bare(text)
    if not re.fullmatch(r"[A-Z]\d{9}", plain):
        return False
    spelled = f"{ascii_uppercase.index(plain[0]) + 1:02d}" + plain[1:9]
    weights = (1, 2) * 5
    return sum(_cross_sum(int(digit) * weight) for digit, weight in zip(spelled, weights, strict=True)) % 10 == int(
        plain[-1]
    )


def is_nir(text: str) -> bool:
    """A French NIR: sex, year, month, place, serial, and the key 97 less the remainder by 97."""
    plain = bare(text)
    if not re.fullmatch(r"[1-478]\d{4}(?:\d{2}|2[AB])\d{6}(?:\d{2})", plain):
        return False
    number = plain[:13].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number) % 97 == int(plain[13:])


def is_nhs_number(text: str) -> bool:
    """A number of the British health service: ten digits modulo 11."""
    digits = _digits(text, 10)
    if digits is None:
        return False
    check = (11 - _weighted(digits, range(10, 1, -1)) % 11) % 11
    return check == digits[-1]


def is_ssn(text: str) -> bool:
    """A social security number of the United States: by its shape alone, it has no check digit."""
    return re.fullmatch(r"(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}", text) is not None


def is_fiscal_code(text: str) -> bool:
    """An Italian codice fiscale with its check letter."""
    plain = bare(text)
    if not _FISCAL_CODE.fullmatch(plain):
        return False
    total = 0
    for place, sign in enumerate(plain[:15]):
        value = int(sign) if sign.isdigit() else ascii_uppercase.index(sign)
        total += _FISCAL_ODD[value] if place % 2 == 0 else value
    return ascii_uppercase[total % 26] == plain[15]


def is_bsn(text: str) -> bool:
    """A Dutch BSN: nine digits that pass the test by eleven."""
    digits = _digits(text, 9)
    return digits is not None and _weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def is_pesel(text: str) -> bool:
    """A Polish PESEL: date of birth, serial, check digit."""
    digits = _digits(text, 11)
    if digits is None:
        return False
    month = (10 * digits[2] + digits[3]) % 20
    if not 1 <= month <= 12 or not 1 <= 10 * digits[4] + digits[5] <= 31:
        return False
    return -_weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10 == digits[-1]


def is_portuguese_tax_number(text: str) -> bool:
    """A Portuguese NIF: nine digits modulo 11."""
    digits = _digits(text, 9)
    if digits is None or digits[0] in (0, 4):
        return False
    rest = _weighted(digits, range(9, 1, -1)) % 11
    return digits[-1] == (0 if rest < 2 else 11 - rest)


def is_personnummer(text: str) -> bool:
    """A Swedish personnummer: date of birth, serial, Luhn over the last ten digits."""
    plain = text.replace(" ", "")
    found = re.fullmatch(r"(\d{2})?(\d{2})(\d{2})(\d{2})[-+]?(\d{4})", plain)
    if not found or not _is_day(2000 + int(found[2]), int(found[3]), int(found[4]) % 60):
        return False
    return luhn([int(digit) for digit in "".join(found.groups()[1:])])


def is_cpf(text: str) -> bool:
    """A Brazilian CPF: eleven digits of which the last two check the others."""
    digits = _digits(text, 11)
    if digits is None:
        return False
    return all(
        digits[place] == (_weighted(digits[:place], range(place + 1, 1, -1)) * 10 % 11) % 10 for place in (9, 10)
    )


def is_ahv_number(text: str) -> bool:
    """A Swiss AHV number: 756, nine digits, EAN check digit."""
    digits = _digits(text, 13)
    if digits is None or digits[:3] != [7, 5, 6]:
        return False
    return -_weighted(digits[:12], (1, 3) * 6) % 10 == digits[-1]


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


CHECKED: dict[str, Callable[[str], bool]] = {
    "IBAN account numbers": is_iban,
    "numbers of payment cards": is_card,
    "numbers of mobile telephones (IMEI)": is_imei,
    "Spanish DNI or NIE numbers": is_dni,
    "Italian fiscal codes": is_fiscal_code,
    "German pension insurance numbers": is_german_pension_number,
    "German health insurance numbers": is_german_health_number,
    "French NIR numbers": is_nir,
    "United States social security numbers": is_ssn,
    "Swiss AHV numbers": is_ahv_number,
    "German tax numbers": is_german_tax_number,
    "Brazilian CPF numbers": is_cpf,
    "Polish PESEL numbers": is_pesel,
    "Swedish personal numbers": is_personnummer,
    "British NHS numbers": is_nhs_number,
    "Dutch BSN numbers": is_bsn,
    "Portuguese NIF numbers": is_portuguese_tax_number,
}
