"""Names, education, activity, occupation, nationality and health of the generated people."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from microveil.core.arrays import Codes
from microveil.datasets import survey_terms as terms
from microveil.datasets.drawing import Draws, zipf
from microveil.datasets.frames import join_texts, labels
from microveil.datasets.survey_households import Households

AT_WORK = 6
RETIRED = 2


def full_names(people: Draws, home: Households, sex: Codes) -> Any:
    """Invented given and family names; most members of a household share the family name."""
    female, male = (product(terms.GIVEN_STARTS, terms.GIVEN_ENDS[sex]) for sex in ("female", "male"))
    given = [start + end for start, end in (*female, *male)]
    family = ["".join(parts) for parts in product(terms.FAMILY_STARTS, terms.FAMILY_MIDDLES, terms.FAMILY_ENDS)]
    half = len(given) // 2
    given_codes = half * sex + people.choice(np.ones(half), "name", "given")
    shared = home.draws.choice(np.ones(len(family)), "name")[home.of]
    own = people.choice(np.ones(len(family)), "name", "family")
    family_codes = np.where(people.happens(0.15, "name", "own"), own, shared)
    return join_texts(" ", labels(given, given_codes), labels(family, family_codes))


def educations(people: Draws, home: Households, age: Codes) -> Codes:
    """Levels of education, alike within a household, lower in older cohorts."""
    cohort = -0.012 * np.maximum(age - 45, 0)
    latent = 0.55 * home.draws.normal("education")[home.of] + 0.83 * people.normal("education") + cohort
    reached = np.searchsorted([-2.3, -1.6, -0.8, 0.35, 0.65, 1.25, 2.3], latent)
    # nobody has a degree before the age at which it can be had
    possible = np.searchsorted([11, 15, 18, 20, 21, 23, 26], age, side="right")
    return np.minimum(reached, possible).astype(np.int64)


def activities(people: Draws, age: Codes) -> Codes:
    """In education, retired, unable, unemployed, homemaker or at work, by age."""
    return people.choice_by(terms.ACTIVITY, np.digitize(age, terms.AGE_BANDS), "activity")


def major_groups(people: Draws, education: Codes) -> Codes:
    """The major group of occupations that a person works in, or would."""
    return people.choice_by(terms.MAJOR_BY_EDUCATION, education, "occupation", "major")


def occupations(people: Draws, activity: Codes, major: Codes) -> Codes:
    """The occupation within the major group, or the reason for not working."""
    majors = list(terms.OCCUPATION_TREE)
    table = np.zeros((len(majors), len(terms.OCCUPATIONS)))
    for code, above in enumerate(terms.OCCUPATIONS.values()):
        row = table[majors.index(above[1])]
        row[code] = 1.0 / (1 + np.count_nonzero(row))
    working = people.choice_by(table, major, "occupation")
    first_not_working = len(terms.OCCUPATIONS) - AT_WORK
    return np.where(activity == AT_WORK, working, first_not_working + activity).astype(np.int64)


def nationalities(people: Draws, home: Households) -> Codes:
    """Nine in ten nationals, the rest over frequent and very rare countries, mostly one per household."""
    foreign = zipf(len(terms.COUNTRIES_BY_FREQUENCY), 1.6)
    frequency = dict(zip(terms.COUNTRIES_BY_FREQUENCY, 0.1 * foreign / foreign.sum(), strict=True))
    weights = [frequency.get(name, 0.9) for name in terms.NATIONALITIES]
    shared = home.draws.choice(weights, "nationality")[home.of]
    own = people.choice(weights, "nationality")
    return np.where(people.happens(0.08, "nationality", "own"), own, shared).astype(np.int64)


def conditions(people: Draws, age: Codes) -> Codes:
    """The main long-standing health condition, by age."""
    return people.choice_by(terms.HEALTH_BY_AGE, np.digitize(age, terms.HEALTH_BANDS), "health")
