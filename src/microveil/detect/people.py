"""Names of people: by their shape, by frequent names among them, and by the endings of surnames."""

from __future__ import annotations

import re
import unicodedata

from microveil.detect.column import Look
from microveil.detect.detector import Detector
from microveil.detect.frequent_names import GIVEN, SURNAMES

_WORD = r"(?:(?:[A-ZÀ-ÞŁŚŻČŠŽ]['’])?[A-ZÀ-ÞŁŚŻČŠŽ][^\W\d_]+(?:[-'’][^\W\d_]+)*|[A-ZÀ-Þ]\.?)"
_PARTICLE = r"(?:de|del|della|dela|da|dos|das|di|du|la|las|los|le|van|von|der|den|ter|ten|zu|y|i|bin|al|el|af|av|the)"
_NAME = re.compile(rf"(?:{_PARTICLE}\s+)*{_WORD}(?:,?\s+(?:{_PARTICLE}\s+)*{_WORD}){{0,5}}(?:,?\s+(?:Jr|Sr|III?)\.?)?")
_TITLE = re.compile(
    r"(?:Mrs?|Ms|Miss|Dr|Prof|Sr|Sra|Don|Doña|Herr|Frau|M|Mme|Mlle|Sig|Dott|Dhr|Mevr)\.?\s+", re.IGNORECASE
)
# endings of surnames in many languages of Europe and around it, and beginnings of some
_SURNAME = re.compile(
    r"\w{2,}(?:ez|sson|[dlnrst]sen|mann|stein|berg|burg|bauer|huber|hofer|inger|acher|maier|meyer|ski|ska|wicz|czyk|owna"
    r"|elli|etti|ucci|acci|ini|oni|eau|eaux|ault|ovic|evic|ova|eva|ov|ev|enko|chuk|opoulos|oglu|idis|akis|iou|yan|ian"
    r"|shvili|dze|aitis|auskas|escu|eanu|nen|stra|sma|mans|aert|strom|qvist|quist|lund|gaard|dottir|son)"
    r"|(?:mc|mac|o['’]|fitz|van|von|de)[a-z]{4,}"
)
_NOUN = re.compile(r"[A-ZÀ-ÞŁŚŻČŠŽ](?:['’][A-Z])?[^\W\d_]+(?:-[^\W\d_]+)*")
PROPER_NOUNS = "names"
_MANY_NOUNS = 40
_FEWEST = 10
_KNOWN_IN_FULL = 0.25
_KNOWN_ALONE = 0.3


def _plain(word: str) -> str:
    text = unicodedata.normalize("NFKD", word.lower().replace("ß", "ss"))
    return "".join(letter for letter in text if not unicodedata.combining(letter))


def is_known(word: str) -> bool:
    """Whether a word is a frequent given name or surname, or ends as surnames do."""
    plain = _plain(word)
    return plain in GIVEN or plain in SURNAMES or _SURNAME.fullmatch(plain) is not None


def _names(look: Look) -> float:
    """The share of values written like names, if enough of them hold a word known as a name."""
    if look.form != "text" or look.distinct < _FEWEST:
        return 0.0
    texts = [
        _TITLE.sub("", text).title() if text.isupper() or text.islower() else _TITLE.sub("", text)
        for text in look.texts
    ]
    shaped = [text for text in texts if _NAME.fullmatch(text)]
    if not shaped:
        return 0.0
    parts = [re.split(r"[\s,-]+", text) for text in shaped]
    known = sum(any(map(is_known, words)) for words in parts) / len(parts)
    in_full = sum(len(words) > 1 for words in parts) / len(parts) > 0.5
    return len(shaped) / len(texts) if known >= (_KNOWN_IN_FULL if in_full else _KNOWN_ALONE) else 0.0


def _proper_nouns(look: Look) -> float:
    """The share of single words with a capital, if there are many: names of people or of places."""
    if look.form != "text" or look.distinct < _MANY_NOUNS:
        return 0.0
    return sum(_NOUN.fullmatch(text) is not None for text in look.texts) / len(look.texts)


PEOPLE = (Detector("names of people", _names, enough=0.5),)
NOUNS = (
    Detector(
        PROPER_NOUNS,
        _proper_nouns,
        enough=0.8,
        sentence="it holds {distinct} different names, of people or of places",
    ),
)
