"""Places of people: postal addresses and coordinates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from microveil.detect.column import Look
from microveil.detect.detector import Detector, of_texts
from microveil.detect.scripts import in_latin
from microveil.detect.words import says

# words that mean streets only, and endings of words; then words that mean them if written with a capital
_STREET = re.compile(
    r"""\b(?:street|road|avenue|lane|boulevard|blvd|crescent|terrace|highway|calle|c/|carretera|ctra|avenida|avda|paseo
    |camino|ronda|carrer|plaça|passeig|rambla|plaza|rue|chemin|quai|impasse|allée|viale|piazza|piazzale|corso|vicolo
    |ul\.|ulitsa|prospekt|pereulok|vul\.|vulitsya|odos|leoforos|rua|travessa|praça|alameda|estrada|ulica|aleja|laan|straat|plein|gracht|dreef|kade|allee|platz|gasse)(?!\w)
    |[^\W\d_](?:stra(?:ß|ss)e|str\.|weg|platz|gasse|allee|straat|laan|plein|gracht|gatan|vägen|gade|vej)\b
    |^\d+\s?(?:bis|ter)?,?\s+(?:place|cours)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_STREET_BY_CAPITAL = re.compile(
    r"\b(?:St|Rd|Ave?|Ln|Dr|Drive|Court|Ct|Close|Square|Place|Via|Largo|Cours|Ul|Al|Ring|Ufer|Damm|Weg|Way|Avd|Pza"
    r"|C\.|Str|Straat)\b"
)
_NUMBER = re.compile(r"\b\d{1,5}\s?[a-zA-Z]?\b")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_PAIR = re.compile(r"\(?\s*-?\d{1,2}\.\d{3,}\s*[,; ]\s*-?\d{1,3}\.\d{3,}\s*\)?")
_STREET_ALONE = re.compile(
    r"(?:St|Rd|Ave?|Ln|Dr|Drive|Court|Ct|Close|Square|Way|Ring|Ufer|Damm|Weg|Str)\.?$|^(?:Via|Largo|Ul|Al|Avd|Pza|C)\b\.?"
)
# of some homes each: United Kingdom, Canada, Netherlands
_POSTCODE = re.compile(r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4} ?[A-Z]{2}", re.IGNORECASE)
_FEW_SHARE = 0.5  # of the records: with more different postcodes, each is that of one or two
_PLACES = (4, 9)  # decimals of degrees that tell houses
_SURE_PLACES = 5  # decimals that few measurements have
_NARROW = 15.0  # degrees: about a country
_PROJECTED = frozenset({"utm", "easting", "northing", "rechtswert", "hochwert", "ostwert", "nordwert"})  # in metres
_INHABITED = (20.0, 72.0)  # degrees from the equator
_FEWEST = 10


def is_street(text: str) -> bool:
    """Whether a text names a street and a number in it."""
    text = in_latin(text)
    named = _STREET.search(text) or _STREET_BY_CAPITAL.search(text)
    return bool(named and _NUMBER.search(text) and _LETTERS.search(text)) and len(text) < 150


def coordinates_among(looks: Sequence[Look]) -> dict[str, str]:
    """Columns of degrees: by their names, or two side by side that lie where people live, to some metres."""
    found = {
        look.name: "its name and its values are those of coordinates"
        for look in looks
        if says(look.words, "coordinate") and _could_be_degrees(look)
    }
    for first, second in pairwise(looks):
        if _are_a_pair(first, second, first.name in found or second.name in found):
            for look in (first, second):
                found.setdefault(look.name, "it and the column beside it look like latitudes and longitudes")
    for look in looks:
        if look.name not in found and _is_fine(look, _SURE_PLACES) and _lies_in_a_country(look) and _is_inhabited(look):
            found[look.name] = "its values look like degrees of latitude or longitude, to some metres"
    return found


def _are_a_pair(first: Look, second: Look, named: bool) -> bool:
    """Whether two columns side by side are degrees: one is by its name, or both lie where people live.

    Without such a name they need more decimals than measurements have, or names that differ in a number only.
    """
    least = _PLACES[0] if named or first.words == second.words else _SURE_PLACES
    if not (_is_fine(first, least) and _is_fine(second, least)):
        return False
    inhabited = _is_inhabited(first) or _is_inhabited(second)
    return named or (_lies_in_a_country(first) and _lies_in_a_country(second) and inhabited)


def _could_be_degrees(look: Look) -> bool:
    if not look.is_number or look.is_code or not look.distinct:
        return False
    projected = not _PROJECTED.isdisjoint(look.words)
    return projected or (look.form == "decimal" and bool(np.abs(look.numbers[[0, -1]]).max() <= 180))


def _is_fine(look: Look, least: int) -> bool:
    """Whether nearly all values are degrees with as many decimals as houses need."""
    if look.form != "decimal" or look.distinct < 2 * _FEWEST or np.abs(look.numbers[[0, -1]]).max() > 180:
        return False
    decimals = [len(text.partition(".")[2]) for text in look.texts if "e" not in text]
    return bool(np.mean([least <= count <= _PLACES[1] for count in decimals]) > 0.85) if decimals else False


def _lies_in_a_country(look: Look) -> bool:
    return bool(0.01 < look.numbers[-1] - look.numbers[0] <= _NARROW)


def _is_inhabited(look: Look) -> bool:
    return _INHABITED[0] <= abs(float(np.median(look.numbers))) <= _INHABITED[1]


def _streets(look: Look) -> float:
    """The share of values that name a street without a number in it."""
    if look.form != "text" or look.distinct < _FEWEST:
        return 0.0
    named = (_STREET.search(text) or _STREET_ALONE.search(text) for text in map(in_latin, look.texts))
    return sum(map(bool, named)) / len(look.texts)


def _full_postcodes(look: Look) -> float:
    """The share of postcodes that some homes have, if most records have one of their own."""
    if look.form != "text" or look.distinct < max(2 * _FEWEST, _FEW_SHARE * look.observed):
        return 0.0
    return sum(_POSTCODE.fullmatch(text) is not None for text in look.texts) / len(look.texts)


DETECTORS = (
    Detector("postal addresses", of_texts(is_street, ("text",)), enough=0.2),
    Detector("streets", _streets),
    Detector("full postcodes", _full_postcodes, enough=0.8),
    Detector("pairs of coordinates", of_texts(lambda text: _PAIR.fullmatch(text) is not None, ("text",)), enough=0.2),
)
