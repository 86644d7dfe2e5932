"""Families of columns that identify people."""

from __future__ import annotations

import string
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import numpy as np

from microveil.detect import check_digits as check
from tests.detect.columns import Draw, Family
from tests.detect.held_out_words import (
    ARABIC,
    CITIES,
    CYRILLIC,
    GIVEN,
    GREEK,
    HOSTS,
    PLAIN_STREETS,
    PROSE,
    STREETS,
    SURNAMES,
)

PHONES = (
    *("+34 6## ### ###", "+49 151 ########", "(0##) ### ####", "0#-########", "+44 20 7### ####", "06 ## ## ## ##"),
    *("555-###-####", "00351 21# ### ###", "+39 3## #######"),
)
DAYS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%Y%m%d")
SHORT_DAYS = ("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d%b%Y", "%d-%b-%y")
BIRTH = ("BirthDate", "geb_datum", "fecha_nac", "data_nascita")


def one_of(draw: Draw, things: tuple[str, ...] | str) -> str:
    return things[draw.integers(len(things))]


def digits(draw: Draw, count: int) -> str:
    return "".join(map(str, draw.integers(0, 10, count)))


def letters(draw: Draw, count: int) -> str:
    return "".join(one_of(draw, "BCDFGLMNPRST") for _ in range(count))


def hexadecimal(draw: Draw, count: int) -> str:
    return "".join(one_of(draw, "0123456789abcdef") for _ in range(count))


def each(make: Callable[[Draw], Any]) -> Callable[[Draw, int], list[Any]]:
    return lambda draw, n: [make(draw) for _ in range(n)]


def ending_in(is_it: Callable[[str], bool], make: Callable[[Draw], str], signs: str = string.digits) -> Any:
    """Numbers whose last sign is the one that passes the check; a number without one is drawn again."""

    def one(draw: Draw) -> str:
        while True:
            start = make(draw)
            for sign in signs:
                if is_it(start + sign):
                    return start + sign

    return each(one)


def day_of_birth(draw: Draw) -> str:
    return f"{draw.integers(40, 99)}{draw.integers(1, 13):02d}{draw.integers(1, 29):02d}"


def iban(draw: Draw) -> str:
    country, length = (("DE", 18), ("ES", 20), ("PT", 21), ("BE", 12))[draw.integers(4)]
    rest = digits(draw, length)
    spelled = "".join(str(int(sign, 36)) for sign in country)
    return f"{country}{98 - int(rest + spelled + '00') % 97:02d}{rest}"


def cpf(draw: Draw) -> str:
    number = [int(sign) for sign in digits(draw, 9)]
    for weights in (range(10, 1, -1), range(11, 1, -1)):
        number.append(sum(a * b for a, b in zip(number, weights, strict=True)) * 10 % 11 % 10)
    text = "".join(map(str, number))
    return f"{text[:3]}.{text[3:6]}.{text[6:9]}-{text[9:]}" if draw.random() < 0.5 else text


def nir(draw: Draw) -> str:
    number = f"{draw.integers(1, 3)}{draw.integers(0, 100):02d}{draw.integers(1, 13):02d}{digits(draw, 8)}"
    return f"{number}{97 - int(number) % 97:02d}"


def fiscal_code(draw: Draw) -> str:
    month = one_of(draw, "ABCDEHLMPRST")
    return f"{letters(draw, 6)}{digits(draw, 2)}{month}{digits(draw, 2)}{letters(draw, 1)}{digits(draw, 3)}"


def phone(draw: Draw) -> str:
    return "".join(str(draw.integers(10)) if sign == "#" else sign for sign in one_of(draw, PHONES))


def full_name(draw: Draw) -> str:
    given, surname, second = one_of(draw, GIVEN), one_of(draw, SURNAMES), one_of(draw, SURNAMES)
    ways = (f"{given} {surname}", f"{surname}, {given}", f"{given} {surname} {second}", f"{surname} {given}".upper())
    return one_of(draw, ways)


def email(draw: Draw) -> str:
    return f"{one_of(draw, GIVEN)[0]}.{one_of(draw, SURNAMES)}{draw.integers(99)}@{one_of(draw, HOSTS)}".lower()


def address(draw: Draw) -> str:
    text = one_of(draw, STREETS).format(n=draw.integers(1, 200))
    return f"{text}, {draw.integers(10000, 99999)} {one_of(draw, CITIES)}" if draw.random() < 0.4 else text


def prose(draw: Draw) -> str:
    return " ".join(draw.choice(PROSE, draw.integers(7, 25)))


def days_from(first: int, years: int, shapes: tuple[str, ...]) -> Callable[[Draw, int], list[str]]:
    """Days over some years, all written in one of the shapes."""

    def some(draw: Draw, n: int) -> list[str]:
        shape, start = one_of(draw, shapes), date(first, 1, 1)
        return [(start + timedelta(days=int(days))).strftime(shape) for days in draw.integers(0, years * 365, n)]

    return some


def days_as_numbers(draw: Draw, n: int) -> list[int]:
    """Days of birth as a spreadsheet, Stata or a clock of seconds counts them."""
    low, high = ((12_000, 39_000), (-9_000, 17_000), (-800_000_000, 1_000_000_000))[draw.integers(3)]
    return draw.integers(low, high, n).tolist()


def numbers_that_come_back(draw: Draw, n: int) -> list[int]:
    length = int(draw.integers(6, 10))
    return draw.choice(draw.integers(10 ** (length - 1), 10**length, int(draw.integers(25, 90))), n).tolist()


def codes_that_come_back(draw: Draw, n: int) -> list[str]:
    head = letters(draw, 1)
    return draw.choice([f"{head}{number:05d}" for number in draw.choice(90_000, 60, False)], n).tolist()


def running_with_gaps(draw: Draw, n: int) -> list[int]:
    start, left = int(draw.choice([1, 400, 30_000])), int(draw.integers(2, 6))
    return draw.choice(np.arange(start, start + left * n), n, False).tolist()


def latitudes(draw: Draw, n: int) -> list[float]:
    return draw.normal(draw.uniform(36, 60), 0.4, n).round(6).tolist()


def addresses_of_machines(draw: Draw, n: int) -> list[str]:
    if draw.random() < 0.5:
        return [".".join(map(str, draw.integers(1, 255, 4))) for _ in range(n)]
    return [":".join(f"{group:x}" for group in draw.integers(1, 65536, 8)) for _ in range(n)]


def running_numbers(draw: Draw, n: int) -> list[int]:
    start = int(draw.choice([0, 1, 1000, 20_230_001]))
    return draw.permutation(np.arange(start, start + n)).tolist()


def record_numbers(draw: Draw, n: int) -> list[int]:
    length = int(draw.integers(6, 11))
    drawn = draw.integers(10 ** (length - 1), 10**length, 2 * n)
    return draw.permutation(np.unique(drawn))[:n].tolist()


def record_codes(draw: Draw, n: int) -> list[str]:
    head = letters(draw, 2)
    return [f"{head}-{number:06d}" for number in draw.choice(900_000, n, False)]


def _number(name: str, headers: tuple[str, ...], is_it: Any, make: Any, signs: str = string.digits) -> Family:
    return Family(name, True, headers, ending_in(is_it, make, signs))


def _text(name: str, headers: tuple[str, ...], make: Callable[[Draw], str]) -> Family:
    return Family(name, True, headers, each(make))


IDENTIFYING: tuple[Family, ...] = (
    _text("e-mail", ("contact_mail", "Mailadresse", "correo_electronico", "courriel"), email),
    _text("telephone", ("telephone_home", "Handynummer", "movil", "telefone"), phone),
    _text("IBAN", ("iban_code", "Kontonummer", "cuenta"), iban),
    _number("payment card", ("card_number",), check.is_card, lambda d: f"4{digits(d, 14)}"),
    _number("DNI", ("dni_titular", "documento"), check.is_dni, lambda d: digits(d, 8), string.ascii_uppercase),
    _number("German tax number", ("steuer_id",), check.is_german_tax_number, lambda d: f"3{digits(d, 9)}"),
    _number("German health number", ("kvnr",), check.is_german_health_number, lambda d: letters(d, 1) + digits(d, 8)),
    _number(
        *("German pension number", ("rv_nummer",), check.is_german_pension_number),
        lambda d: f"{digits(d, 8)}{letters(d, 1)}{digits(d, 2)}",
    ),
    _text("NIR", ("numero_secu", "nir"), nir),
    _number("NHS number", ("nhs_no",), check.is_nhs_number, lambda d: digits(d, 9)),
    _text("SSN", ("ssn",), lambda d: f"{d.integers(100, 600)}-{d.integers(10, 99)}-{d.integers(1000, 9999)}"),
    _number("fiscal code", ("cod_fisc",), check.is_fiscal_code, fiscal_code, string.ascii_uppercase),
    _number("BSN", ("bsn_nummer",), check.is_bsn, lambda d: digits(d, 8)),
    _number("PESEL", ("pesel",), check.is_pesel, lambda d: day_of_birth(d) + digits(d, 4)),
    _number("NIF", ("contribuinte", "nif"), check.is_portuguese_tax_number, lambda d: f"2{digits(d, 7)}"),
    _number("personnummer", ("personnummer",), check.is_personnummer, lambda d: f"{day_of_birth(d)}-{digits(d, 3)}"),
    _text("CPF", ("cpf",), cpf),
    _text("full name", ("customer_name", "Versicherter_Name", "nombre_completo"), full_name),
    _text("surname", ("last_name", "Familienname", "primer_apellido", "nom"), lambda d: one_of(d, SURNAMES)),
    _text("given name", ("GivenName", "Vorname", "prenom", "nome"), lambda d: one_of(d, GIVEN)),
    _text("postal address", ("home_address", "Anschrift", "domicilio", "indirizzo"), address),
    Family("date of birth", True, BIRTH, days_from(1935, 75, DAYS)),
    Family("date of birth, short year or named month", True, BIRTH, days_from(1938, 66, SHORT_DAYS)),
    Family("date of birth, one generation", True, BIRTH, days_from(1982, 17, (*DAYS, *SHORT_DAYS))),
    Family("date of birth as a count of days or seconds", True, BIRTH, days_as_numbers, spoilt=False),
    Family("date of an event over 15 years", True, ("admission", "Aufnahme", "fecha_alta"), days_from(2008, 15, DAYS)),
    _text("free text", ("remarks", "Bemerkung", "observaciones"), prose),
    _text("web address", ("profile_url", "homepage"), lambda d: f"https://net.example/u/{hexadecimal(d, 6)}"),
    Family("IP address", True, ("ip_address", "last_ip"), addresses_of_machines),
    _text("MAC address", ("device_mac",), lambda d: ":".join(hexadecimal(d, 2) for _ in range(6))),
    _text("UUID", ("session_uuid", "guid"), lambda d: "-".join(hexadecimal(d, size) for size in (8, 4, 4, 4, 12))),
    Family("running number", True, ("lfd_nr", "obs_id", "n_orden"), running_numbers, spoilt=False),
    Family("record number", True, ("client_no", "Aktenzeichen", "num_expediente"), record_numbers, spoilt=False),
    Family("record code", True, ("CaseID", "referencia_id"), record_codes),
    _text("given name in Cyrillic", ("Имя", "imya_pacienta"), lambda d: one_of(d, CYRILLIC)),
    _text("full name in Greek", ("Ονοματεπώνυμο", "onoma"), lambda d: one_of(d, GREEK)),
    _text("full name in Arabic", ("patient_name", "nom"), lambda d: one_of(d, ARABIC)),
    _number("IMEI", ("imei",), check.is_imei, lambda d: f"86{digits(d, 12)}"),
    _text("telephone of 7 digits", ("phone", "Rufnummer", "telefono"), lambda d: f"{d.integers(2_000_000, 9_999_999)}"),
    _text("street without number", ("street", "Strasse", "calle"), lambda d: one_of(d, PLAIN_STREETS)),
    _text("account under the name of an amount", ("amount", "total_cost", "saldo"), iban),
    Family("number that comes back", True, ("pat_id", "Kundennr", "num_cliente"), numbers_that_come_back, False),
    Family("code that comes back", True, ("case_id", "referencia_id"), codes_that_come_back, False),
    Family("running number with gaps", True, ("obs_id", "lfd_nr"), running_with_gaps, spoilt=False),
    Family("latitude alone", True, ("lat", "Breitengrad", "latitud"), latitudes, spoilt=False),
)
