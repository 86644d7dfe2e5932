"""A household survey of people with the difficulties of a real one."""

from __future__ import annotations

from typing import Any

import numpy as np

from microveil.core.arrays import Bools
from microveil.core.streams import Key
from microveil.data.frames import AnyFrame
from microveil.datasets import survey_terms as terms
from microveil.datasets.drawing import Draws, draws_of, zipf
from microveil.datasets.frames import check_backend, labels, numbers, to_backend
from microveil.datasets.schema import FileSchema
from microveil.datasets.survey_amounts import (
    debts,
    expenditures,
    household_wealth,
    reported_incomes,
    true_incomes,
)
from microveil.datasets.survey_households import (
    Households,
    ages,
    form_households,
    marital_statuses,
    relationships,
    sexes,
)
from microveil.datasets.survey_people import (
    activities,
    conditions,
    educations,
    full_names,
    major_groups,
    nationalities,
    occupations,
)

# share of records without an answer, as item non-response in household surveys
_MISSING = {
    "marital_status": 0.008,
    "education": 0.02,
    "occupation": 0.03,
    "nationality": 0.004,
    "income": 0.07,
    "expenditure": 0.04,
    "wealth": 0.06,
    "debts": 0.05,
    "health": 0.03,
}


def survey_roles() -> dict[str, str]:
    """Role of each column of `make_survey`: what identifies, what an intruder may know, what is confidential.

    >>> survey_roles()["age"], survey_roles()["income"]
    ('key', 'confidential')
    """
    by_role = {
        "identifier": ("person_id", "name"),
        "household": ("household_id",),
        "stratum": ("stratum",),
        "weight": ("weight",),
        "key": (
            *("region", "district", "age", "sex", "marital_status", "education", "occupation"),
            *("nationality", "household_size"),
        ),
        "other": ("relationship",),
        "confidential": ("income", "expenditure", "wealth", "debts", "health"),
    }
    role_of = {column: role for role, columns in by_role.items() for column in columns}
    return {column: role_of[column] for column in _KINDS}


_KINDS = {
    "person_id": "nominal",
    "name": "nominal",
    "household_id": "nominal",
    "stratum": "nominal",
    "weight": "continuous",
    "region": "nominal",
    "district": "nominal",
    "household_size": "ordinal",
    "relationship": "nominal",
    "age": "continuous",
    "sex": "nominal",
    "marital_status": "nominal",
    "education": "ordinal",
    "occupation": "nominal",
    "nationality": "nominal",
    "income": "continuous",
    "expenditure": "continuous",
    "wealth": "continuous",
    "debts": "continuous",
    "health": "nominal",
}


def survey_schema() -> FileSchema:
    """Roles, kinds, ordered levels and hierarchies of `make_survey`, in the order of its columns.

    >>> survey_schema()["hierarchies"]["occupation"]["nurse"]
    ('health professionals', 'professionals', 'all')
    """
    return {
        "roles": survey_roles(),
        "kinds": dict(_KINDS),
        "levels": {"education": list(terms.EDUCATION)},
        "hierarchies": {
            "district": dict(terms.DISTRICTS),
            "occupation": dict(terms.OCCUPATIONS),
            "nationality": dict(terms.NATIONALITIES),
        },
    }


def make_survey(n: int = 1000, seed: int | str | bytes | Key | None = None, backend: str = "pyarrow") -> AnyFrame:
    """A generated survey of n people in households: for trying, testing and teaching.

    It has identifiers, a household number, strata and weights, keys with rare categories, heavy-tailed
    confidential amounts with zeros, and missing values. Members of a household share region, weight and
    wealth; income depends on age, education and occupation. All people and places are invented.
    `survey_schema` says what the columns are. The same seed gives the same file.

    >>> survey = make_survey(500, seed=1)
    >>> survey.num_rows, survey.column_names[:5]
    (500, ['person_id', 'name', 'household_id', 'stratum', 'weight'])
    """
    check_backend(backend)
    people = draws_of("survey", n, seed)
    home = form_households(people)
    columns = _locate(people, home) | _describe(people, home)
    import pyarrow as pa

    return to_backend(pa.table({name: columns[name] for name in _KINDS}), backend)


def _describe(people: Draws, home: Households) -> dict[str, Any]:
    """Who the people are and what they earn; missing answers are taken out last."""
    relation = relationships(people, home)
    sex = sexes(people, home, relation)
    age = ages(people, home, relation)
    education = educations(people, home, age)
    activity = activities(people, age)
    major = major_groups(people, education)
    occupation = occupations(people, activity, major)
    income = true_incomes(people, home, age, education, activity, major, occupation)
    marital = marital_statuses(people, home, relation, age)
    absent = _absent(people, home)
    return {
        "name": full_names(people, home, sex),
        "relationship": labels(terms.RELATIONSHIP, relation),
        "age": numbers(age),
        "sex": labels(("female", "male"), sex),
        "marital_status": labels(terms.MARITAL_STATUS, marital, absent["marital_status"]),
        "education": labels(terms.EDUCATION, education, absent["education"]),
        "occupation": labels(list(terms.OCCUPATIONS), occupation, absent["occupation"]),
        "nationality": labels(list(terms.NATIONALITIES), nationalities(people, home), absent["nationality"]),
        "income": numbers(reported_incomes(people, income), absent["income"]),
        "expenditure": numbers(expenditures(people, income, age), absent["expenditure"]),
        "wealth": numbers(household_wealth(home, income, age)[home.of], absent["wealth"]),
        "debts": numbers(debts(people, income, age), absent["debts"]),
        "health": labels(terms.HEALTH, conditions(people, age), absent["health"]),
    }


def _absent(people: Draws, home: Households) -> dict[str, Bools]:
    absent = {column: people.happens(rate, column, "missing") for column, rate in _MISSING.items()}
    # wealth is asked once for the whole household
    absent["wealth"] = home.draws.happens(_MISSING["wealth"], "wealth", "missing")[home.of]
    return absent


def _locate(people: Draws, home: Households) -> dict[str, Any]:
    """Numbers of person and household, place, stratum and weight: one draw per household."""
    by_region = np.concatenate([zipf(len(below), 0.8) for below in terms.REGIONS.values()])
    district = home.draws.choice(by_region, "district")
    regions = list(terms.REGIONS)
    region = np.array([regions.index(above[0]) for above in terms.DISTRICTS.values()])[district]
    urban = home.draws.happens(0.6, "urban").astype(np.int64)
    # smaller regions are sampled more densely; non-response is adjusted household by household
    design = np.array(terms.DESIGN_WEIGHTS)[region] * np.where(urban, 1.25, 0.8)
    weight = np.round(design * np.exp(0.2 * home.draws.normal("weight")), 2)
    return {
        "person_id": numbers(np.arange(1, people.n + 1)),
        "household_id": numbers(home.of + 1),
        "household_size": numbers(home.sizes[home.of]),
        "stratum": numbers((2 * region + urban)[home.of] + 1),
        "weight": numbers(weight[home.of]),
        "region": labels(regions, region[home.of]),
        "district": labels(list(terms.DISTRICTS), district[home.of]),
    }
