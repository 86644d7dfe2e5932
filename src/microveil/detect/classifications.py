"""Codes of public classifications: short, of a known shape, and each for many people."""

from __future__ import annotations

import re

from microveil.detect.column import Look

_REPEATED = 0.95  # of the records: codes of which more are different number something
_MOST = 0.9
_COUNTRIES = (
    "AL|AT|BE|BG|CH|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IS|IT|LI|LT|LU|LV|ME|MK|MT|NL|NO|PL|PT|RO|RS|SE|SI|SK|TR|UK|XK"
)
_NUTS = re.compile(rf"(?:{_COUNTRIES})[0-9A-Z]{{0,3}}")
# first letters that differ are part of what these say: a prefix that all codes share belongs to numbers of records
_WITH_LETTERS = (
    re.compile(r"[A-Z]\d[0-9A-B](?:\.[0-9A-Z]{1,4}|[0-9A-Z]{1,2})?[*+!†]?"),  # diseases, ICD
    re.compile(r"[A-V]\d\d[A-Z](?:[A-Z](?:\d\d)?)?"),  # medicines, ATC
    re.compile(r"[A-U]\d{2}(?:\.\d{1,2}){0,2}"),  # activities, NACE with its section
    re.compile(r"[A-Z]{1,2}\d{1,2}[A-Z]?"),  # postal districts of the United Kingdom
)
_OF_ONE_START = (
    re.compile(r"\d-\d\d[0-9a-z](?:\.[0-9a-z]{1,2})?"),  # procedures, OPS
    re.compile(r"[EKNSW]\d\d000\d{3}"),  # areas of the United Kingdom
    _NUTS,
)
_SECTIONS = 3


def is_classification(look: Look) -> bool:
    """Whether most values are codes of diseases, medicines, activities or regions, and repeat as such codes do."""
    if look.form != "text" or not look.texts or look.distinct > _REPEATED * look.observed:
        return False
    if any(_share(shape, look) >= _MOST for shape in _OF_ONE_START):
        return True
    sections = {text[:1] for text in look.texts if text[:1].isalpha()}
    one = len(sections) == 1 and _share(re.compile(r"[A-Z]\d{2}\.\d{1,2}"), look) >= _MOST  # one section of NACE
    return one or (len(sections) >= _SECTIONS and any(_share(shape, look) >= _MOST for shape in _WITH_LETTERS))


def _share(shape: re.Pattern[str], look: Look) -> float:
    return sum(shape.fullmatch(text) is not None for text in look.texts) / len(look.texts)
