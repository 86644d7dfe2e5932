"""A first look at a file."""

from __future__ import annotations

import pandas as pd

import microveil as mv
from microveil.plan import inspect

SURVEY = mv.Microdata(mv.datasets.make_survey(600, seed=1))


def test_generated_survey_columns_get_sensible_roles():
    roles = inspect(SURVEY).roles
    stated = mv.datasets.survey_roles()
    for name, role in stated.items():
        if role in ("identifier", "weight", "household"):
            assert roles[name] == role, name
    assert roles["age"] == roles["sex"] == "key"
    assert roles["income"] == "confidential"


def test_proposed_roles_can_be_used_as_they_are():
    roles = inspect(SURVEY).roles
    # a file has one household column, and the size of the household is something others know
    assert [name for name, role in roles.items() if role == "household"] == ["household_id"]
    assert roles["household_size"] == "key"
    assert SURVEY.with_(roles=roles).roles == roles


def test_names_may_repeat():
    firms = inspect(mv.Microdata(mv.datasets.make_enterprises(1500, seed=3)))
    assert firms.roles["name"] == firms.roles["enterprise_id"] == "identifier"


def test_a_stated_household_column_stays_the_only_one():
    data = SURVEY.with_(roles={"household_size": "household"})
    assert [name for name, role in inspect(data).roles.items() if role == "household"] == ["household_size"]


def test_stated_roles_are_kept():
    data = SURVEY.with_(roles={"income": "key"})
    assert inspect(data).roles["income"] == "key"


def test_the_baseline_counts_records_alone_with_their_keys():
    frame = pd.DataFrame({"age": [30, 30, 40, 50, 50], "sex": list("fffmm"), "income": [1.5, 2.5, 3.5, 4.5, 5.5]})
    found = inspect(mv.Microdata(frame))
    assert found.keys == ("age", "sex")
    assert (found.uniques, found.below_three) == (1, 5)
    assert "1 of 5 records (20.0 %) are alone" in found.baseline


def test_without_keys_no_risk_is_claimed():
    assert "state the keys" in inspect(mv.Microdata(pd.DataFrame({"income": [1.5, 2.5]}))).baseline
