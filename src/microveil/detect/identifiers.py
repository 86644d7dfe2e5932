"""Columns that look like identifiers, and the refusal to release one whose role nobody stated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.errors import BadInput
from microveil.data import frames
from microveil.data.microdata import Microdata
from microveil.detect.column import Look, look_at
from microveil.detect.detector import Detector
from microveil.detect.detectors import BY_FORM, BY_USE
from microveil.detect.people import PROPER_NOUNS
from microveil.detect.places import coordinates_among
from microveil.detect.record_numbers import (
    CODES,
    NUMBERS_THAT_COME_BACK,
    RUNNING,
    are_many_numbers,
    are_numbers_of_somebody,
)
from microveil.detect.texts import MANY_TEXTS
from microveil.detect.weights import says_weight
from microveil.detect.words import numbering_words, only_says, says

_LONG_DIGITS = 7
_FEWEST_DIGITS = 5
_ALIKE = 0.95
_FLAG_VALUES = 3  # yes, no, unknown: whether there is an address, not which
_NEUTRAL = frozenset({"ori", "orig", "original", "old", "new", "person", "in", "de", "del", "du"})


@dataclass(frozen=True)
class Finding:
    """Why a column looks like an identifier, in words that follow its name, and the role it would have."""

    why: str
    role: str = "identifier"


class UnstatedRoles(BadInput):
    """Columns that look like identifiers would be released though nobody stated their roles."""

    def __init__(self, found: Mapping[str, Finding], ways: Callable[[list[str]], str]) -> None:
        self.found = dict(found)
        listed = ", ".join(f"{name!r} ({finding.why})" for name, finding in self.found.items())
        look, stated = ("look like identifiers", "their roles")
        if len(self.found) == 1:
            look, stated = ("looks like an identifier", "its role")
        super().__init__(
            f"column{'s' * (len(self.found) > 1)} {listed} {look} and nobody stated {stated}; nothing was written: "
            f"{ways(list(self.found))}{_households(self.found)}"
        )


def _ways_in_python(names: list[str]) -> str:
    left, kept = (dict.fromkeys(names, role) for role in ("identifier", "other"))
    return f"state roles={left!r} to leave {_it(names)} out, or roles={kept!r} to release {_it(names)} all the same"


def _households(found: Mapping[str, Finding]) -> str:
    """The role of those that number households: a release then has new numbers that say who lives together."""
    names = [name for name, finding in found.items() if finding.role == "household"][:1]
    if not names:
        return ""
    homes = dict.fromkeys(names, "household")
    return f"; roles={homes!r} releases {names[0]!r} under new numbers that say who lives together"


def _it(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"


def refuse_unstated(
    data: Microdata,
    frame: frames.Frame | None = None,
    redrawn: Collection[str] = (),
    ways: Callable[[list[str]], str] = _ways_in_python,
) -> None:
    """Stop at a column that looks like an identifier and has no stated role.

    `frame` are the released values of the data, if they are not the data's own; `redrawn` are columns of amounts that
    hold new numbers, in which it means nothing that each is another; `ways` says what to do.
    """
    refuse_found(unstated_identifiers(data, frame, redrawn), ways)


def refuse_found(found: Mapping[str, Finding], ways: Callable[[list[str]], str] = _ways_in_python) -> None:
    """Stop at columns that look like identifiers."""
    if found:
        raise UnstatedRoles(found, ways)


def unstated_identifiers(
    data: Microdata, frame: frames.Frame | None = None, redrawn: Collection[str] = ()
) -> dict[str, Finding]:
    """The columns without a stated role that look like identifiers."""
    values = data.narwhal if frame is None else frame
    names = [name for name, column in data.schema.items() if not column.stated]
    looks = [look_at(values.get_column(name), data.schema[name].missing) for name in names]
    return find_identifiers(looks, redrawn)


def find_identifiers(looks: Sequence[Look], redrawn: Collection[str] = ()) -> dict[str, Finding]:
    """The columns that look like identifiers, by their names or by what they hold."""
    places = coordinates_among(looks)
    found = {}
    for look in looks:
        finding = Finding(places[look.name]) if look.name in places else _finding(look, look.name in redrawn)
        if finding is not None:
            found[look.name] = finding
    return found


def _finding(look: Look, redrawn: bool) -> Finding | None:
    if not look.distinct or look.form == "other":
        return None
    if is_household_number(look):
        return None if redrawn else Finding("its name says household and it holds numbers", "household")
    by_form = _detected(look, BY_FORM, redrawn)
    if by_form is not None:
        return by_form
    named = "" if redrawn else _name_says(look)
    return Finding(named) if named else _detected(look, BY_USE, redrawn)


def _detected(look: Look, detectors: Sequence[Detector], redrawn: bool) -> Finding | None:
    """What the first detector that finds enough says; None if none does."""
    for detector in detectors:
        if redrawn and not detector.by_values:
            continue
        share = detector.share(look)
        if share > 0 and share >= detector.enough and not _is_explained(look, detector):
            return Finding(detector.why(look, share), detector.role)
    return None


def _is_explained(look: Look, detector: Detector) -> bool:
    """Whether the name says why values differ: amounts and what others know may, names and numbers of people do not."""
    known = says(look.words, "key") or says(look.words, "confidential")
    numbered = says(look.words, "number of records")
    classified = says(look.words, "classification") and not numbered
    if not detector.by_values:
        # records drawn alike share a weight; numbers that were given out one by one are nobody's weight
        of_sample = says_weight(look.words, beside_bodies=False)
        weighted = says(look.words, "weight") and (not of_sample or detector.what == NUMBERS_THAT_COME_BACK)
        return ((known or weighted) and not numbered) or (classified and detector.what != RUNNING)
    if detector.what == CODES:
        return classified
    return detector.what in (MANY_TEXTS, PROPER_NOUNS) and (classified or (known and not numbered))


def is_household_number(look: Look) -> bool:
    """Whether the name says household and nothing else about it, and the values repeat."""
    besides = numbering_words() | _NEUTRAL
    return (
        only_says(look.words, "household", besides)
        and look.form in ("whole", "text")
        and 1 < look.distinct < look.observed
        and not look.is_code
    )


def _name_says(look: Look) -> str:
    """Why the name alone, with the type of the values, makes the column an identifier; empty if it does not."""
    words = look.words
    if look.distinct <= _FLAG_VALUES and look.is_code:
        return ""
    if says(words, "about an identifier") and not are_numbers_of_somebody(look, _FEWEST_DIGITS):
        return ""
    place = says(words, "key") and not {"person", "patient", "school", "employer"} & set(words)
    if says(words, "number of records") and look.form in ("whole", "text") and not place:
        return "its name says that it numbers persons, firms or records"
    if only_says(words, "somebody", _NEUTRAL) and are_many_numbers(look):
        return "its name says persons or records and it holds numbers"
    if says(words, "text that identifies") and look.form == "text" and not place:
        return "its name says that it names or reaches people"
    if says(words, "long number") and _are_long(look):
        return "its name says telephone, account or card"
    if says(words, "free text") and look.form == "text" and look.distinct >= 10 and _median_words(look) >= 3:
        return "its name says free text"
    return ""


def _are_long(look: Look) -> bool:
    """Whether most values have as many digits as telephones and accounts, fewer where all have the same number."""
    if look.form not in ("whole", "text"):
        return False
    digits = [sum(sign.isdigit() for sign in text) for text in look.texts]
    usual = float(np.median(digits))
    alike = digits.count(int(usual)) >= _ALIKE * len(digits)
    return usual >= _LONG_DIGITS - alike


def _median_words(look: Look) -> float:
    return float(np.median([len(text.split()) for text in look.texts]))
