"""National, account, card and telephone numbers in a column."""

from __future__ import annotations

import re
from collections.abc import Callable

from microveil.detect.check_digits import CHECKED
from microveil.detect.column import Look
from microveil.detect.detector import Detector

_ENOUGH = 0.6  # a random number passes a check digit in one of ten or eleven cases
_LEAST = {"IBAN account numbers": 0.05}  # a random code of that shape passes in one of 97 cases
_FEWEST = 3
_SHORTEST = 8  # signs, since a column of numbers may have lost a zero in front

_PHONE = re.compile(r"(?:\(?(?:\+|00)\d{1,3}\)?[\s./-]?)?(?:\(\d{1,5}\)[\s./-]?)?\d{1,8}(?:[\s./-]{1,2}\d{1,8}){0,6}")
_NATIONAL = re.compile(r"0[1-9]\d{7,10}|[679]\d{8}|1?\d{10}")
_SHORT_NATIONAL = re.compile(r"\(?\d{3}\)?[\s.-]?\d{3}[\s.-]\d{4}|\d{3}-\d{4}")
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{2}|\d{4})(?:[ T].*)?")


def _share_of(matches: Callable[[str], bool], enough: float) -> Callable[[Look], float]:
    def share(look: Look) -> float:
        if look.form not in ("text", "whole") or look.distinct < _FEWEST or _are_short(look, enough):
            return 0.0
        texts = _padded(look)
        # where none of so many matches, the others are too few
        if not any(map(matches, texts[: int((1 - enough) * len(texts)) + 1])):
            return 0.0
        return sum(map(matches, texts)) / len(texts)

    return share


def _are_short(look: Look, enough: float) -> bool:
    """Whether so many values are too short for any of the numbers that nothing needs to be tried."""
    return int((look.lengths >= _SHORTEST).sum()) < enough * len(look.lengths)


def _padded(look: Look) -> list[str]:
    """Texts, and numbers with the zeros in front that a column of numbers loses."""
    if look.form != "whole":
        return look.texts
    longest = max(map(len, look.texts))
    return [text.zfill(longest) for text in look.texts]


def is_phone(text: str) -> bool:
    """Whether a text is written as telephone numbers are: with +, 00, 0 or groups of digits."""
    digits = sum(map(str.isdigit, text))
    if not 7 <= digits <= 15 or _DATE.fullmatch(text):
        return False
    if _SHORT_NATIONAL.fullmatch(text):
        return True
    if not _PHONE.fullmatch(text):
        return False
    if re.fullmatch(r"\d+-\d", text):
        return False  # a code and its check digit
    grouped = digits < len(text.lstrip("+"))
    if grouped:
        return digits >= 9 and not re.fullmatch(r"\d{1,3}(?:[.\s]\d{3})+", text)  # an amount: 12 345 678
    return text.startswith(("+", "00")) or _NATIONAL.fullmatch(text) is not None


def _phones(look: Look) -> float:
    # plain numbers of that length may be anything; as text somebody wrote them so
    if look.form != "text" or look.distinct < _FEWEST:
        return 0.0
    return sum(map(is_phone, look.texts)) / len(look.texts)


DETECTORS = (
    *(
        Detector(what, _share_of(matches, enough), enough)
        for what, matches in CHECKED.items()
        for enough in (_LEAST.get(what, _ENOUGH),)
    ),
    Detector("telephone numbers", _phones, enough=0.3),
)
