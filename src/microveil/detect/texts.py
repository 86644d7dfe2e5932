"""Texts that identify because nearly each is another, or because people wrote them freely."""

from __future__ import annotations

from statistics import median

from microveil.detect.classifications import is_classification
from microveil.detect.column import Look
from microveil.detect.detector import Detector
from microveil.detect.periods import are_periods

_FEWEST = 20
_MANY_WORDS = 5
_LONG = 40
_DISTINCT = 0.3
_MANY = 1_000
MANY_TEXTS = "different texts"


def _free_text(look: Look) -> float:
    """Many different texts of many words."""
    if look.form != "text" or look.distinct < _FEWEST:
        return 0.0
    counts = [len(text.split()) for text in look.texts]
    if median(counts) < _MANY_WORDS and median(map(len, look.texts)) < _LONG:
        return 0.0
    return sum(count >= _MANY_WORDS for count in counts) / len(counts)


def _distinct_texts(look: Look) -> float:
    """Texts of which nearly every third is another, or very many."""
    if look.form != "text" or look.observed < _FEWEST or _are_numbers(look):
        return 0.0
    if is_classification(look) or are_periods(look):
        return 0.0
    share = look.distinct / look.observed
    return share if share > _DISTINCT else 1.0 if look.distinct > _MANY else 0.0


def _are_numbers(look: Look) -> bool:
    """Whether the texts are amounts, days or times: texts only because of how they are written."""
    signs = set("0123456789.,'-+/: TZ%€$£<>")
    return sum(set(text) <= signs for text in look.texts) > 0.9 * len(look.texts)


WRITTEN = (Detector("free text", _free_text, enough=0.3, sentence="{share} of its values are free text"),)
DIFFERENT = (
    Detector(
        MANY_TEXTS, _distinct_texts, enough=0.0, sentence="it holds {distinct} different texts in {observed} records"
    ),
)
