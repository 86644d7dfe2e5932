"""Numbers as people read them."""

from __future__ import annotations

import math

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SHORT_UNITS = ((1e12, "tn"), (1e9, "bn"), (1e6, "M"), (1e3, "k"))


def format_number(value: float | None, digits: int = 3, *, short: bool = False) -> str:
    """A number with `digits` significant digits, never fewer than its whole part, thousands separated.

    With `short` the whole part is abbreviated too, for axes: k, M, bn, tn. Scientific notation appears only
    from 10^15 on and below 10^-6. What is not a number is shown as a dash.

    >>> format_number(1234567.8), format_number(0.012345), format_number(-2.50), format_number(3e-9)
    ('1,234,568', '0.0123', '−2.5', '3\xa0×\xa010⁻⁹')
    >>> format_number(1234567.8, short=True), format_number(None)
    ('1.23M', '–')
    """
    number = math.nan if value is None else float(value)
    if math.isnan(number):
        return "–"
    sign = "−" if number < 0 else ""
    size = abs(number)
    if math.isinf(size):
        return sign + "∞"
    return sign + (_short(size, digits) if short else _plain(size, digits))


def format_percent(share: float) -> str:
    """A share of one as a percentage with one decimal, so that a column of them can be read.

    >>> format_percent(0.1234), format_percent(0.0004), format_percent(0)
    ('12.3 %', '<0.1 %', '0 %')
    """
    if 0 < share < 0.0005:
        return "<0.1 %"
    return f"{100 * share:.1f} %" if share else "0 %"


def _plain(size: float, digits: int) -> str:
    if size == 0:
        return "0"
    if size >= 1e15 or size < 1e-6:
        return _scientific(size, digits)
    decimals = max(digits - 1 - _exponent(size, digits), 0)
    text = f"{size:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def _short(size: float, digits: int) -> str:
    for unit, letter in _SHORT_UNITS:
        # half a unit of the last digit: 999,999 is 1M and not 1,000k
        if size < 1e15 and size >= unit * (1 - 0.5 * 10.0 ** (-digits)):
            return _plain(size / unit, digits) + letter
    return _plain(size, digits)


def _scientific(size: float, digits: int) -> str:
    mantissa, exponent = f"{size:.{digits - 1}e}".split("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}\u00a0×\u00a010{str(int(exponent)).translate(_SUPERSCRIPTS)}"


def _exponent(size: float, digits: int) -> int:
    """The power of ten of the leading digit after rounding."""
    return int(f"{size:.{digits - 1}e}".split("e")[1])
