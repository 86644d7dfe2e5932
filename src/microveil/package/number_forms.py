"""In how many forms a CSV file writes its numbers: whoever writes 5 here and 5.0 there can mark records by it.

Programs write all numbers of a column by one rule. These are known: no zeros at the end (1.5, 2), the same decimals
everywhere (1.50, 2.00), and at least one decimal (1.5, 2.0); exponents only where a number is very large or small, or
shorter by it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

_POINT = r"[.,]"
_EXPONENT = r"[eE]"
_SIGN, _SIGN_OF_ZERO = r"^\+", r"^-0*([.,]0*)?([eE].*)?$"
_BARE, _LED = rf"^[+-]?{_POINT}", rf"^[+-]?0{_POINT}"
_PADDED, _POSITIVE = r"^[+-]?0\d", r"^\+?[\d.,]*[1-9]"
_IDLE = rf"{_POINT}\d*0$|{_POINT}$"  # zeros or a point at the end, which say nothing
_ONE_ZERO = rf"{_POINT}0$"
_PLAIN_FROM, _PLAIN_TO = 1e-4, 1e10  # between which programs write no exponent unless it is shorter


def odd_forms(cells: pa.Array | pa.ChunkedArray) -> Iterator[str]:
    """In which ways some numbers of a column are written, and others not, as the end of a sentence."""
    if _some(_has(cells.filter(_has(cells, _POSITIVE)), _SIGN)):
        yield "have a plus in some records and not in others"
    if _some(_has(cells.filter(_has(cells, rf"{_BARE}|{_LED}")), _BARE)):
        yield "begin with a point in some records and with 0 in others"
    if _some(_has(cells, _PADDED)) and len(pc.unique(pc.utf8_length(cells))) > 1:
        yield "have zeros before them in some records and not in others"
    zeros = cells.filter(_has(cells, r"^[+-]?0*([.,]0*)?([eE].*)?$"))
    if _some(_has(zeros, _SIGN_OF_ZERO)):
        yield "are 0 with a sign in some records and without in others"
    large = _has(cells, _EXPONENT)
    if _some(large) and _are_idle(cells.filter(large)):
        yield "have exponents in some records and not in others"
    if not _by_one_rule(cells.filter(pc.invert(large))):
        yield "have zeros at their ends in some records and not in others"


def _by_one_rule(cells: pa.ChunkedArray) -> bool:
    idle = _has(cells, _IDLE)
    if not pc.any(idle).as_py():
        return True
    decimals = pc.subtract(
        pc.utf8_length(cells), pc.utf8_length(pc.replace_substring_regex(cells, rf"{_POINT}.*$", ""))
    )
    if len(pc.unique(decimals)) == 1:
        return True
    with_one = _has(cells.filter(idle), _ONE_ZERO)
    return bool(pc.min(decimals).as_py() > 1 and pc.all(with_one).as_py())


def _are_idle(cells: pa.ChunkedArray) -> bool:
    """Whether one of these exponents is of no use: the number is as short without it, and neither large nor small."""
    for text in pc.unique(cells).to_pylist():
        number = abs(float(text.replace(",", ".")))
        plain = f"{number:.15f}".rstrip("0").rstrip(".")
        if _PLAIN_FROM <= number < _PLAIN_TO and len(text.lstrip("+-")) >= len(plain):
            return True
    return False


def _has(cells: pa.ChunkedArray, pattern: str) -> pa.ChunkedArray:
    return pc.match_substring_regex(cells, pattern)


def _some(found: pa.ChunkedArray) -> bool:
    """Whether it holds of some and not of all."""
    return bool(pc.any(found).as_py()) and not pc.all(found).as_py()
