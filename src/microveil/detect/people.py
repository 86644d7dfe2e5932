"""Names of people: by their shape, by frequent names among them, and by the endings of surnames."""

from __future__ import annotations

import re

from microveil.detect.column import Look
from microveil.detect.detector import Detector
from microveil.detect.frequent_names import GIVEN, OCCUPATIONS, SURNAME_SIGNS, SURNAMES, WITHOUT_CAPITALS
from microveil.detect.scripts import in_latin, without_accents

_WORD = r"(?:(?:[A-ZÀ-ÞŁŚŻČŠŽ]['’])?[A-ZÀ-ÞŁŚŻČŠŽ][^\W\d_]+(?:[-'’][^\W\d_]+)*|[A-ZÀ-Þ]\.?)"
_PARTICLE = r"(?:de|del|della|dela|da|dos|das|di|du|la|las|los|le|van|von|der|den|ter|ten|zu|y|i|bin|al|el|af|av|the)"
_NAME = re.compile(rf"(?:{_PARTICLE}\s+)*{_WORD}(?:,?\s+(?:{_PARTICLE}\s+)*{_WORD}){{0,5}}(?:,?\s+(?:Jr|Sr|III?)\.?)?")
_TITLE = re.compile(
    r"(?:Mrs?|Ms|Miss|Dr|Prof|Sr|Sra|Don|Doña|Herr|Frau|M|Mme|Mlle|Sig|Dott|Dhr|Mevr)\.?\s+", re.IGNORECASE
)
# nobody but a person is called so, however few there are
_TITLED = re.compile(
    rf"(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sr|Sra|Srta|Herr|Frau|Mme|Mlle|Dott|Dhr|Mevr)\b\.?\s+)+"
    rf"(?:{_PARTICLE}\s+)*{_WORD}(?:\s.*)?"
)
# endings of surnames in many languages of Europe and around it, and beginnings of some
_SURNAME = re.compile(
    r"\w{2,}(?:ez|sson|[dlnrst]sen|mann|stein|berg|bauer|huber|hofer|inger|acher|maier|meyer|ski|ska|wicz|czyk|owna"
    r"|elli|etti|ucci|acci|ini|oni|eau|eaux|ault|ovic|evic|ova|eva|ov|ev|enko|chuk|opoulos|oglu|idis|akis|iou|yan|ian"
    r"|shvili|dze|aitis|auskas|escu|eanu|nen|stra|sma|mans|aert|strom|qvist|quist|lund|gaard|dottir|son)"
    r"|(?:mc|mac|o['’]|fitz|van|von|de)[a-z]{4,}"
)
_NOUN = re.compile(r"[A-ZÀ-ÞŁŚŻČŠŽ](?:['’][A-Z])?[^\W\d_]+(?:-[^\W\d_]+)*")
_CASELESS_WORD = r"(?:[\u0621-\u06d3]+|[\u05d0-\u05ea'\"]+|[\u0900-\u097f]+)"  # Arabic, Hebrew, Devanagari
_CASELESS = re.compile(rf"{_CASELESS_WORD}(?:[ -]{_CASELESS_WORD}){{0,5}}")
# two to four signs of Chinese or Korean, perhaps with a gap after the surname
_SIGNS = re.compile(r"[\u4e00-\u9fff]{1,2} ?[\u4e00-\u9fff]{1,2}|[\uac00-\ud7a3]{1,2} ?[\uac00-\ud7a3]{1,2}")
_LETTERS = str.maketrans({"ß": "ss", "đ": "d", "ı": "i", "ł": "l", "ø": "o"})
PROPER_NOUNS = "names"
_MANY_NOUNS = 40
_FEWEST = 10
_MOST_TITLED = 0.7
_KNOWN_IN_FULL = 0.25
_KNOWN_ALONE = 0.3
_KNOWN_SIGNS = 0.7


def _plain(word: str) -> str:
    return without_accents(word.lower().translate(_LETTERS))


def is_known(word: str) -> bool:
    """Whether a word is a frequent given name or surname, or ends as surnames do, and is no word for an occupation."""
    plain = _plain(word)
    known = plain in GIVEN or plain in SURNAMES or _SURNAME.fullmatch(plain) is not None
    return known and plain not in OCCUPATIONS


def _names(look: Look) -> float:
    """The share of values written like names, if enough of them hold a word known as a name."""
    if look.form != "text":
        return 0.0
    titled = sum(_TITLED.fullmatch(text) is not None for text in look.texts) / max(len(look.texts), 1)
    if titled >= _MOST_TITLED or look.distinct < _FEWEST:
        return titled if titled >= _MOST_TITLED else 0.0
    if sum(text.isascii() for text in look.texts) < 0.5 * len(look.texts):
        other = max(_names_without_capitals(look.texts), _names_in_signs(look.texts))
        if other:
            return other
    texts = [_as_written(in_latin(text)) for text in look.texts]
    shaped = [text for text in texts if _NAME.fullmatch(text)]
    if not shaped:
        return 0.0
    parts = [re.split(r"[\s,-]+", text) for text in shaped]
    in_full = sum(len(words) > 1 for words in parts) / len(parts) > 0.5
    known = sum(any(map(is_known, words)) for words in parts) / len(parts)
    return len(shaped) / len(texts) if known >= (_KNOWN_IN_FULL if in_full else _KNOWN_ALONE) else 0.0


def _as_written(text: str) -> str:
    """The text without a title, and with capitals where it has none or nothing else."""
    bare = _TITLE.sub("", text)
    return bare.title() if text.isupper() or text.islower() else bare


def _names_without_capitals(texts: list[str]) -> float:
    shaped = [re.split(r"[ -]", text) for text in texts if _CASELESS.fullmatch(text)]
    known = sum(not WITHOUT_CAPITALS.isdisjoint(words) for words in shaped)
    return len(shaped) / len(texts) if shaped and known >= _KNOWN_ALONE * len(shaped) else 0.0


def _names_in_signs(texts: list[str]) -> float:
    shaped = [text for text in texts if _SIGNS.fullmatch(text)]
    known = sum(text[0] in SURNAME_SIGNS for text in shaped)
    return len(shaped) / len(texts) if shaped and known >= _KNOWN_SIGNS * len(shaped) else 0.0


def _proper_nouns(look: Look) -> float:
    """The share of single words with a capital, if there are many: names of people or of places."""
    if look.form != "text" or look.distinct < _MANY_NOUNS:
        return 0.0
    return sum(_NOUN.fullmatch(in_latin(text)) is not None for text in look.texts) / len(look.texts)


PEOPLE = (Detector("names of people", _names, enough=0.5),)
NOUNS = (
    Detector(
        PROPER_NOUNS,
        _proper_nouns,
        enough=0.8,
        sentence="it holds {distinct} different names, of people or of places",
    ),
)
