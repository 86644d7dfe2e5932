"""Who lives with whom: households, relationships, sex, age and marital status."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Codes, Floats
from microveil.datasets.drawing import Draws

REFERENCE, PARTNER, CHILD, OTHER = range(4)
_NEVER, _MARRIED, _SEPARATED, _DIVORCED, _WIDOWED = range(5)
_SIZES = (0.33, 0.31, 0.15, 0.13, 0.05, 0.02, 0.007, 0.003)


@dataclass(frozen=True)
class Households:
    """The household of each person, and the draws made once per household."""

    draws: Draws
    sizes: Codes
    of: Codes
    first: Codes

    def sum(self, values: Floats) -> Floats:
        """The total of a column within each household."""
        return np.bincount(self.of, weights=values, minlength=self.draws.n).astype(np.float64)


def form_households(people: Draws) -> Households:
    """Households in file order that hold exactly n people; the last one is cut to fit."""
    drawn = people.choice(_SIZES, "household_size") + 1
    ends = np.cumsum(drawn)
    count = int(np.searchsorted(ends, people.n)) + 1
    sizes = drawn[:count]
    sizes[-1] -= ends[count - 1] - people.n
    draws = Draws(people.streams.at("household"), count)
    return Households(draws, sizes, np.repeat(np.arange(count), sizes), np.cumsum(sizes) - sizes)


def relationships(people: Draws, home: Households) -> Codes:
    """The first member is the reference person, the second often the partner, most others are children."""
    place = np.arange(people.n) - home.first[home.of]
    couple = home.draws.happens(0.8, "couple")[home.of]
    later = np.where(people.happens(0.1, "relationship"), OTHER, CHILD)
    return np.where(place == 0, REFERENCE, np.where((place == 1) & couple, PARTNER, later)).astype(np.int64)


def sexes(people: Draws, home: Households, relation: Codes) -> Codes:
    """0 female, 1 male; most partners are of the opposite sex."""
    own = people.happens(0.492, "sex")
    opposite = ~own[home.first][home.of]
    same = people.happens(0.02, "sex", "partner")
    return np.where((relation == PARTNER) & ~same, opposite, own).astype(np.int64)


def ages(people: Draws, home: Households, relation: Codes) -> Codes:
    """Completed years; children are 17 years or more younger than the reference person."""
    reference = _reference_ages(home)[home.of]
    own = people.normal("age")
    gap = 29.5 + 5.5 * own
    born = (gap >= 17) & (gap <= reference)
    child = np.where(born, reference - gap, (reference - 17) * people.uniform("age", "child"))
    partner = _adult(reference - 1 + 4.5 * own)
    other = _adult(reference + 15 * own)
    return np.asarray(np.floor(np.choose(relation, [reference, partner, child, other])), dtype=np.int64)


def _reference_ages(home: Households) -> Floats:
    # small households are young or old, larger ones in between
    size_class = np.minimum(home.sizes, 3) - 1
    older = home.draws.happens(np.array([0.55, 0.6, 0.0])[size_class], "age", "older").astype(np.int64)
    centre = np.array([[33.0, 71.0], [34.0, 64.0], [43.0, 43.0]])[size_class, older]
    spread = np.array([[10.0, 12.0], [10.0, 11.0], [9.0, 9.0]])[size_class, older]
    return _adult(centre + spread * home.draws.normal("age"))


def _adult(age: Floats) -> Floats:
    # reflected at 18 and pressed together above 92, so that no age is heaped
    grown = 18 + np.abs(age - 18)
    return np.asarray(np.where(grown > 92, 92 + (grown - 92) / 2.5, grown), dtype=np.float64)


def marital_statuses(people: Draws, home: Households, relation: Codes, age: Codes) -> Codes:
    """Most couples are married; the others are divorced or widowed the more often the older they are."""
    couple = np.zeros(home.draws.n, dtype=bool)
    couple[home.of[relation == PARTNER]] = True
    paired = couple[home.of] & (relation <= PARTNER)
    married = paired & home.draws.happens(0.76, "marital_status")[home.of]
    u = people.uniform("marital_status")
    widowed = 0.75 / (1 + np.exp(-(age - 74) / 6.0))
    parted = widowed + np.clip((age - 22) / 60.0, 0, 0.55)
    divorced = widowed + 0.75 * (parted - widowed)
    status = np.full(people.n, _NEVER)
    for reached, code in ((parted, _SEPARATED), (divorced, _DIVORCED), (widowed, _WIDOWED)):
        status[u < reached] = code
    # who lives with a partner counts as divorced from an earlier one, not as separated
    status[paired & (status == _SEPARATED)] = _DIVORCED
    status[married] = _MARRIED
    status[age < 18] = _NEVER
    return status.astype(np.int64)
