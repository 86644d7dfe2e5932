"""Numbers of records: running ones, long ones of one length, and codes of one shape."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from microveil.core.arrays import Floats
from microveil.detect.classifications import is_classification
from microveil.detect.column import Look
from microveil.detect.days import days_of
from microveil.detect.detector import Detector, of_texts
from microveil.detect.periods import are_periods
from microveil.detect.weights import says_weight

_FEWEST = 20
_DISTINCT = 0.98
_LONG = 8  # digits from which a number of one length is hardly an amount
_SHORT = 6
_DENSE = 1.1  # running numbers with some left out
_IN_BLOCKS = 0.5  # of the numbers come right after another
_SOME = 10_000  # gaps that show the step between numbers
_GAP = 10  # steps up to which a number belongs to the block of the one before
_EVEN = 0.1  # distance to even numbers of those given out, some of which are left out here or there
_REPEATS = 10.0  # of amounts as close together, at least, before their lack says that numbers were given out
_MANY_REPEATS = 2.0  # times those that even amounts would have
_FEW_REPEATS = 0.1  # of those that amounts would have
_CRITICAL = 1.63  # of the Kolmogorov-Smirnov distance to even numbers, at one per cent
_CRITICAL_DIGITS = 21.67  # of the chi-squared distance of ten digits to equal ones, at one per cent
_CODE_DIGITS = 3
_MANY_CODES = 40  # different ones from which codes that end evenly number somebody, however often they come back
_PRESSURE = re.compile(r"([6-9]\d|[12]\d\d) ?/ ?(\d{2,3})")
_AMOUNT = re.compile(r"[+-]?9(?:[.,' ]9)*(?: ?[a%€$£])?|9([-/.])9\1 ?9(?:[ aT]9[:.]9(?:[:.]9)*)?|9(?::9)+")
_HASH = re.compile(r"(?=.*\d)(?=.*[a-fA-F])[0-9a-fA-F]{16,128}")
_GROUPS = re.compile(r"\d+(?:[ -]\d+){2,}")  # 548 514 254
_GROUPED = re.compile(r"[ -]")
_TOKEN = re.compile(r"[A-Za-z0-9]{8,}")
CODES = "codes"
RUNNING = "running numbers"
NUMBERS_THAT_COME_BACK = "numbers that come back"


def _digits(look: Look) -> list[str]:
    """The sampled values if nearly all are nothing but digits, as numbers or as text; else none."""
    if look.form not in ("whole", "text") or look.observed < _FEWEST:
        return []
    joined = (_GROUPED.sub("", text) if _GROUPS.fullmatch(text) else text for text in look.texts)
    texts = [text for text in joined if text.isascii() and text.isdigit()]
    alone = len(texts) >= _DISTINCT * len(look.texts)
    return texts if alone and not days_of(look) and not are_periods(look) else []


def _numbers(look: Look) -> Floats:
    """The different values in rising order; those of digits written as text, of which some show enough."""
    return look.numbers if look.form == "whole" else np.sort(np.array(_digits(look), dtype=np.float64))


def _running(look: Look) -> float:
    """Whole numbers that hardly repeat and leave hardly any out, or that were given out one by one."""
    if look.distinct < _DISTINCT * look.observed or not _digits(look):
        return 0.0
    numbers = _numbers(look)
    if len(numbers) < _FEWEST:
        return 0.0
    gaps = np.diff(numbers)
    step = float(np.gcd.reduce(gaps[:_SOME].astype(np.int64)))
    span = numbers[-1] - numbers[0]
    if span + 1 <= _DENSE * look.distinct:
        return 1.0
    if np.mean(gaps == step) > _IN_BLOCKS:
        room = gaps[gaps <= _GAP * step].sum() / step * (look.distinct / len(look.values)) + 1
        return 1.0 if _lack_repeats(look, room) else 0.0
    even = _distance(numbers, numbers[0], numbers[-1]) < max(_EVEN, _CRITICAL / np.sqrt(_pieces(look, numbers)))
    return 1.0 if even and _lack_repeats(look, span / step + 1) else 0.0


def _lack_repeats(look: Look, room: float) -> bool:
    """Whether values hardly repeat though even amounts among so many possible ones would."""
    repeats = _chance_repeats(look, room)
    return repeats >= _REPEATS and look.observed - look.distinct <= _FEW_REPEATS * repeats


def _chance_repeats(look: Look, room: float) -> float:
    """How many values would be repeats if they were drawn evenly from so many possible ones."""
    return float(look.observed + room * np.expm1(look.observed * np.log1p(-1 / room)))


def _long_numbers(look: Look) -> float:
    """Whole numbers of one length that hardly repeat, and are spread as numbers are that mean nothing."""
    texts = _digits(look)
    length, share = _one_length(texts)
    if look.distinct < _DISTINCT * look.observed or share < _DISTINCT or length < _SHORT or _are_rounded(texts):
        return 0.0
    low, high = 10.0 ** (length - 1), 10.0**length
    starts_anywhere = any(text.startswith("0") for text in texts)  # no amount is written so
    return share if length >= _LONG or starts_anywhere or _is_even(look, low, high) else 0.0


def _called_weights(look: Look) -> float:
    """Whole numbers of one length none of which repeats, in a column of weights: records drawn alike share theirs."""
    if not says_weight(look.words, beside_bodies=False) or look.form != "whole" or look.distinct < look.observed:
        return 0.0
    texts = _digits(look)
    return 1.0 if _one_length(texts)[1] == 1.0 and not _are_rounded(texts) else 0.0


def _repeated_numbers(look: Look) -> float:
    """Whole numbers of one length that repeat though they are not rounded: amounts of that size would not."""
    texts = _digits(look)
    length, share = _one_length(texts)
    if look.distinct < _FEWEST or look.distinct >= _DISTINCT * look.observed or share < _DISTINCT or length < _SHORT:
        return 0.0
    if _are_rounded(texts) or not _end_evenly(texts):
        return 0.0
    numbers = _numbers(look)
    by_chance = look.observed - look.distinct < _MANY_REPEATS * _chance_repeats(look, 9.0 * 10.0 ** (length - 1))
    return share if not by_chance and _is_even(look, numbers[0], numbers[-1]) else 0.0


def _one_length(texts: Sequence[str]) -> tuple[int, float]:
    """The most frequent length and the share of the texts that have it."""
    if not texts:
        return 0, 0.0
    length, often = Counter(map(len, texts)).most_common(1)[0]
    return length, often / len(texts)


def _are_rounded(texts: Sequence[str]) -> bool:
    """Whether the numbers are amounts in hundreds."""
    return sum(text.endswith("00") for text in texts) > 0.1 * len(texts)


def _is_even(look: Look, low: float, high: float) -> bool:
    """Whether the numbers lie as evenly between two ends as drawn ones do."""
    numbers = _numbers(look)
    return bool(_distance(numbers, low, high) < _CRITICAL / np.sqrt(_pieces(look, numbers)))


def _pieces(look: Look, numbers: Floats) -> int:
    """The number of independent ones among the numbers; of digits written as text only some are there."""
    return min(look.pieces, len(numbers))


def _distance(numbers: Floats, low: float, high: float) -> float:
    """The largest distance between the distribution of the numbers and an even one between two ends."""
    place = (numbers - low) / (high - low)
    steps = np.arange(1, len(place) + 1) / len(place)
    return float(np.abs(place - steps).max())


def _end_evenly(texts: Sequence[str]) -> bool:
    """Whether the last digits are all about as frequent: those of amounts and of classifications are not."""
    counts = np.bincount([int(text[-1]) for text in texts], minlength=10)
    expected = len(texts) / 10
    return bool(((counts - expected) ** 2 / expected).sum() < _CRITICAL_DIGITS)


def are_numbers_of_somebody(look: Look, shortest: int) -> bool:
    """Whether the values are many numbers of one length that repeat and are not rounded, whatever the name says."""
    texts = _digits(look)
    length, share = _one_length(texts)
    repeat = _FEWEST <= look.distinct <= 0.9 * look.observed
    return repeat and share >= _DISTINCT and length >= shortest and not _are_rounded(texts) and _end_evenly(texts)


def are_many_numbers(look: Look) -> bool:
    """Whether the values are nothing but digits, and so many that they are no categories."""
    return look.distinct >= _FEWEST and not look.is_code and bool(_digits(look))


def _codes(look: Look) -> float:
    """Texts of letters and digits of one shape, many of them different: P-00412, 17/2291-B."""
    if look.form != "text" or look.distinct < _FEWEST:
        return 0.0
    shapes = Counter(re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "9", text)) for text in look.texts)
    shape, often = shapes.most_common(1)[0]
    digits = np.median([sum(sign.isdigit() for sign in text) for text in look.texts])
    if "9" not in shape or digits < _CODE_DIGITS or _is_amount(shape) or _is_shared(look):
        return 0.0
    last = [text for text in look.texts if text[-1:].isascii() and text[-1:].isdigit()]
    come_back = look.distinct >= _MANY_CODES and digits > _CODE_DIGITS and len(last) >= _FEWEST and _end_evenly(last)
    return often / len(look.texts) if look.distinct >= look.observed / 5 or come_back else 0.0


def _tokens(look: Look) -> float:
    """Signs of one length in which letters and digits change places, however often each comes back: CX7K90P4M."""
    if look.form != "text" or look.distinct < _FEWEST:
        return 0.0
    mixed = [text for text in look.texts if _TOKEN.fullmatch(text) and len(re.findall(r"\d+|[A-Za-z]+", text)) > 2]
    length, alike = _one_length(mixed)
    return alike * len(mixed) / len(look.texts) if length else 0.0


def _is_shared(look: Look) -> bool:
    """Whether the codes say what many people share: a class, a month, or the two figures of a blood pressure."""
    return is_classification(look) or are_periods(look) or _are_pressures(look)


def _are_pressures(look: Look) -> bool:
    """Whether nearly all are two numbers of two or three digits, the first the larger: 122/89."""
    pairs = [match for text in look.texts if (match := _PRESSURE.fullmatch(text))]
    return len(pairs) >= _DISTINCT * len(look.texts) and all(int(pair[1]) > int(pair[2]) for pair in pairs)


def _is_amount(shape: str) -> bool:
    """Whether a shape is that of amounts, days or times of day written as text."""
    return _AMOUNT.fullmatch(shape) is not None


DETECTORS = (
    Detector("long hexadecimal keys", of_texts(lambda text: _HASH.fullmatch(text) is not None, ("text",))),
    Detector(RUNNING, _running, by_values=False, sentence="its values are running numbers"),
    Detector(
        "numbers of records",
        _long_numbers,
        by_values=False,
        sentence="{share} of its values are whole numbers of one length and hardly any repeats",
    ),
    Detector(
        NUMBERS_THAT_COME_BACK,
        _repeated_numbers,
        by_values=False,
        sentence="{share} of its values are whole numbers of one length that come back though they are not rounded",
    ),
    Detector(
        "numbers called weights",
        _called_weights,
        by_values=False,
        sentence="its name says weight, and its values are whole numbers of one length none of which repeats",
    ),
    Detector("keys of letters and digits", _tokens, enough=0.7),
    Detector(CODES, _codes, enough=0.6, sentence="{share} of its {distinct} different values are codes of one shape"),
)
