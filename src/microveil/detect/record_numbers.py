"""Numbers of records: running ones, and long ones of one length of which hardly any repeats."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from microveil.detect.column import Look
from microveil.detect.detector import Detector, of_texts

_FEWEST = 20
_DISTINCT = 0.98
_DENSE = 1.1  # running numbers with some left out
_LONG = 8  # digits from which a number of one length is hardly an amount
_SHORT = 5
_CRITICAL = 1.63  # of the Kolmogorov-Smirnov distance to even numbers, at one per cent
_CODE_DIGITS = 3
_AMOUNT = re.compile(r"[+-]?9(?:[.,' ]9)*(?: ?[a%€$£])?|9([-/.])9\1 ?9(?:[ aT]9[:.]9(?:[:.]9)*)?|9(?::9)+")
_HASH = re.compile(r"(?=.*\d)(?=.*[a-fA-F])[0-9a-fA-F]{16,128}")


def _running(look: Look) -> float:
    """Whole numbers that hardly repeat and leave hardly any out."""
    numbers = look.numbers
    if look.form != "whole" or look.observed < _FEWEST or look.distinct < _DISTINCT * look.observed:
        return 0.0
    span = numbers[-1] - numbers[0] + 1
    return 1.0 if span <= _DENSE * look.distinct else 0.0


def _long_numbers(look: Look) -> float:
    """Whole numbers of one length that hardly repeat, and are spread as numbers are that mean nothing."""
    if look.form != "whole" or look.observed < _FEWEST or look.distinct < _DISTINCT * look.observed:
        return 0.0
    lengths = Counter(map(len, look.texts))
    length, often = lengths.most_common(1)[0]
    share = often / len(look.texts)
    if share < _DISTINCT or length < _SHORT:
        return 0.0
    rounded = sum(text.endswith("00") for text in look.texts) / len(look.texts)
    if rounded > 0.1 or _are_days(look):
        return 0.0  # an amount in hundreds; a day as a number
    return share if length >= _LONG or _is_even(look, length) else 0.0


def _is_even(look: Look, length: int) -> bool:
    """Whether the numbers lie as evenly between the ends of their length as drawn ones do."""
    low, high = 10.0 ** (length - 1), 10.0**length
    place = (look.numbers - low) / (high - low)
    steps = np.arange(1, len(place) + 1) / len(place)
    return bool(np.abs(place - steps).max() < _CRITICAL / np.sqrt(len(place)))


def _are_days(look: Look) -> bool:
    shape = re.compile(r"(?:1[89]|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
    return sum(bool(shape.fullmatch(text)) for text in look.texts) > 0.9 * len(look.texts)


def _codes(look: Look) -> float:
    """Texts of letters and digits of one shape, at least a fifth of them different: P-00412, 17/2291-B."""
    if look.form != "text" or look.observed < _FEWEST or look.distinct < max(_FEWEST, look.observed / 5):
        return 0.0
    shapes = Counter(re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "9", text)) for text in look.texts)
    shape, often = shapes.most_common(1)[0]
    digits = np.median([sum(sign.isdigit() for sign in text) for text in look.texts])
    if "9" not in shape or digits < _CODE_DIGITS or _is_amount(shape):
        return 0.0
    return often / len(look.texts)


def _is_amount(shape: str) -> bool:
    """Whether a shape is that of amounts, days or times of day written as text."""
    return _AMOUNT.fullmatch(shape) is not None


DETECTORS = (
    Detector("long hexadecimal keys", of_texts(lambda text: _HASH.fullmatch(text) is not None, ("text",))),
    Detector("running numbers", _running, by_values=False, sentence="its values are running numbers"),
    Detector(
        "numbers of records",
        _long_numbers,
        by_values=False,
        sentence="{share} of its values are whole numbers of one length and hardly any repeats",
    ),
    Detector(
        "codes", _codes, enough=0.6, sentence="{share} of its {distinct} values are codes of one shape and few repeat"
    ),
)
