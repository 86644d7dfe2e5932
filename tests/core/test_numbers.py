from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.core.numbers import format_number, format_percent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (7, "7"),
        (1234, "1,234"),
        (123456789, "123,456,789"),
        (1234.56, "1,235"),
        (99.96, "100"),
        (9.996, "10"),
        (0.5, "0.5"),
        (0.12345, "0.123"),
        (-0.000123456, "−0.000123"),
        (1e-6, "0.000001"),
        (4.56e-7, "4.56\u00a0×\u00a010⁻⁷"),
        (2e15, "2\u00a0×\u00a010¹⁵"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "–"),
        (None, "–"),
    ],
)
def test_plain(value, text):
    assert format_number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (950, "950"),
        (999.6, "1k"),
        (1500, "1.5k"),
        (999_999, "1M"),
        (-2_340_000, "−2.34M"),
        (5e9, "5bn"),
        (7.25e12, "7.25tn"),
        (3e15, "3\u00a0×\u00a010¹⁵"),
        (0.25, "0.25"),
    ],
)
def test_short(value, text):
    assert format_number(value, short=True) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(999, "999"), (1e3, "1k"), (1e6, "1M"), (1e9, "1bn"), (1e12, "1tn"), (1e12 - 1, "999.999999999bn")],
)
def test_units_are_whole_powers_of_a_thousand(value, text):
    assert format_number(value, 15, short=True) == text


@pytest.mark.parametrize(("value", "text"), [(999.4, "999"), (999.5, "1k"), (999_499, "999k"), (999_500, "1M")])
def test_a_unit_begins_half_a_unit_of_the_last_digit_below_it(value, text):
    assert format_number(value, short=True) == text


@pytest.mark.parametrize("short", [False, True])
def test_powers_of_ten_stand_from_a_thousand_of_the_last_unit_on(short):
    assert format_number(1e15, short=short) == "1\u00a0×\u00a010¹⁵"
    below = format_number(1e15 - 1, 15, short=short)
    assert below == ("999.999999999999tn" if short else "999,999,999,999,999")
    assert format_number(9.99e-7, short=short) == "9.99\u00a0×\u00a010⁻⁷"
    assert format_number(20, 1, short=short) == "20"


def test_digits():
    assert format_number(0.123456, 5) == "0.12346"
    assert format_number(2 / 3, 1) == "0.7"


@given(st.floats(min_value=1e-6, max_value=1e14), st.booleans())
def test_reads_back_within_the_digits(value, negative):
    value = -value if negative else value
    read = float(format_number(value).replace("−", "-").replace(",", ""))
    assert read == pytest.approx(value, rel=0.0051)


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0 %"), (1e-9, "<0.1 %"), (0.0004, "<0.1 %"), (0.0005, "0.1 %"), (1, "100.0 %")]
)
def test_percent(share, text):
    assert format_percent(share) == text
