"""Income, expenditure, wealth and debts: skewed, with zeros and heavy tails."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Codes, Floats, Ints
from microveil.datasets import survey_terms as terms
from microveil.datasets.drawing import Draws
from microveil.datasets.survey_households import Households
from microveil.datasets.survey_people import AT_WORK, RETIRED


def true_incomes(
    people: Draws,
    home: Households,
    age: Codes,
    education: Codes,
    activity: Codes,
    major: Codes,
    occupation: Codes,
) -> Floats:
    """Yearly income: log-normal given age, education and occupation, with a Pareto tail of wages."""
    leaf = np.array([terms.LEAF_PREMIUM.get(name, 0.0) for name in terms.OCCUPATIONS])[occupation]
    career = -0.0007 * (np.minimum(age, 70) - 50.0) ** 2
    noise = 0.2 * home.draws.normal("income")[home.of] + 0.42 * people.normal("income")
    typical = np.exp(9.95 + 0.1 * education + np.array(terms.MAJOR_PREMIUM)[major] + leaf + career)
    wage = typical * np.exp(noise) * people.heavy_tail(0.03, 1.8, "income", "tail")
    support = np.array([*terms.NOT_WORKING_INCOME, 0.0])[activity]
    benefit = support * np.exp(0.08 * (education - 3) + 1.2 * noise)
    dependent = (activity != AT_WORK) & (activity != RETIRED) & people.happens(0.25, "income", "none")
    return np.where((age < 15) | dependent, 0.0, np.where(activity == AT_WORK, wage, benefit))


def reported_incomes(people: Draws, income: Floats) -> Ints:
    """Income as answered: about a third of the people round to hundreds."""
    unit = np.where(people.happens(0.35, "income", "rounded") & (income > 2000), 100.0, 1.0)
    return (np.round(income / unit) * unit).astype(np.int64)


def expenditures(people: Draws, income: Floats, age: Codes) -> Floats:
    """Yearly spending: a basic need, and a share of income that falls as income grows."""
    need = np.where(age < 15, 2800.0, 5200.0)
    noise = np.exp(0.35 * people.normal("expenditure")) * people.heavy_tail(0.01, 2.0, "expenditure", "tail")
    return np.round((need + 3.1 * income**0.83) * noise, 2)


def household_wealth(home: Households, income: Floats, age: Codes) -> Ints:
    """Wealth of each household: zero for one in seven, otherwise grown with income and years of saving."""
    age_of_reference = age[home.first]
    saving_years = np.maximum(age_of_reference - 20, 1)
    centre = 5.4 + 0.9 * np.log(saving_years) + 0.35 * np.log1p(home.sum(income))
    value = np.exp(centre + 1.35 * home.draws.normal("wealth")) * home.draws.heavy_tail(0.04, 1.4, "wealth", "tail")
    nothing = home.draws.happens(np.where(age_of_reference < 30, 0.24, 0.14), "wealth", "none")
    return np.where(nothing, 0, 100 * np.round(value / 100)).astype(np.int64)


def debts(people: Draws, income: Floats, age: Codes) -> Ints:
    """Debts: zero for most, frequent in middle age, larger with income."""
    indebted = np.where(age < 18, 0.0, 0.5 * np.exp(-(((age - 42.0) / 17.0) ** 2)) + 0.08)
    owes = people.happens(indebted, "debts", "any")
    centre = 5.5 + 0.4 * np.log1p(income) + 1.3 * people.normal("debts")
    value = np.exp(centre) * people.heavy_tail(0.02, 1.6, "debts", "tail")
    return np.where(owes, 10 * np.ceil(value / 10), 0).astype(np.int64)
