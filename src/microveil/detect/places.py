"""Places of people: postal addresses and coordinates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from microveil.detect.column import Look
from microveil.detect.detector import Detector, of_texts
from microveil.detect.words import says

# words that mean streets only, and endings of words; then words that mean them if written with a capital
_STREET = re.compile(
    r"""\b(?:street|road|avenue|lane|boulevard|blvd|crescent|terrace|highway|calle|c/|carretera|ctra|avenida|avda|paseo
    |camino|ronda|carrer|plaça|passeig|rambla|plaza|rue|chemin|quai|impasse|allée|viale|piazza|piazzale|corso|vicolo
    |rua|travessa|praça|alameda|estrada|ulica|aleja|laan|straat|plein|gracht|dreef|kade|allee|platz|gasse)\b
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
_PLACES = (4, 9)  # decimals of degrees that tell houses
_NARROW = 15.0  # degrees: about a country


def is_street(text: str) -> bool:
    """Whether a text names a street and a number in it."""
    named = _STREET.search(text) or _STREET_BY_CAPITAL.search(text)
    return bool(named and _NUMBER.search(text) and _LETTERS.search(text)) and len(text) < 150


def coordinates_among(looks: Sequence[Look]) -> dict[object, str]:
    """Columns of degrees: by their names, or two side by side that lie where people live, to some metres."""
    found = {
        look.name: "its name and its values say degrees of latitude or longitude"
        for look in looks
        if says(look.words, "coordinate") and _could_be_degrees(look)
    }
    fine = [_is_fine(look) for look in looks]
    for place, (first, second) in enumerate(pairwise(looks)):
        named = first.name in found or second.name in found
        if fine[place] and fine[place + 1] and (named or _lie_in_a_country(first, second)):
            for look in (first, second):
                found.setdefault(look.name, "it and the column beside it look like latitudes and longitudes")
    return found


def _could_be_degrees(look: Look) -> bool:
    if not look.is_number or look.is_code or not look.distinct:
        return False
    projected = bool({"utm", "easting", "northing"} & set(look.words))
    return projected or (look.form == "decimal" and bool(np.abs(look.numbers[[0, -1]]).max() <= 180))


def _is_fine(look: Look) -> bool:
    """Whether nearly all values are degrees with as many decimals as houses need."""
    if look.form != "decimal" or look.distinct < 20 or np.abs(look.numbers[[0, -1]]).max() > 180:
        return False
    decimals = [len(text.partition(".")[2]) for text in look.texts if "e" not in text]
    return bool(np.mean([_PLACES[0] <= count <= _PLACES[1] for count in decimals]) > 0.85) if decimals else False


def _lie_in_a_country(first: Look, second: Look) -> bool:
    low, high = (float(np.median(look.numbers)) for look in (first, second))
    ends = [look.numbers[-1] - look.numbers[0] for look in (first, second)]
    inhabited = [20 <= abs(degrees) <= 72 for degrees in (low, high)]
    return max(ends) <= _NARROW and min(ends) > 0.01 and any(inhabited)


DETECTORS = (
    Detector("postal addresses", of_texts(is_street, ("text",)), enough=0.2),
    Detector("pairs of coordinates", of_texts(lambda text: _PAIR.fullmatch(text) is not None, ("text",)), enough=0.2),
)
