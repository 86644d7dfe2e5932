"""A first look at a file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.plan import inspect

SURVEY = mv.Microdata(mv.datasets.make_survey(600, seed=1))


def test_generated_survey_columns_get_sensible_roles():
    roles = inspect(SURVEY).roles
    stated = mv.datasets.survey_roles()
    for name, role in stated.items():
        if role in ("identifier", "weight"):
            assert roles[name] == role, name
    # who lives together would be found by all members at once
    assert roles["household_id"] == "identifier"
    assert roles["age"] == roles["sex"] == "key"
    assert roles["income"] == "confidential"


def test_proposed_roles_can_be_used_as_they_are():
    roles = inspect(SURVEY).roles
    # the size of the household is something others know
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


def test_what_was_proposed_can_be_read_used_and_tabled():
    frame = pd.DataFrame({"e-mail": ["a@x.org", "b@x.org"] * 10, "<b>": ["f", "m"] * 10, "inc": np.arange(20) * 1.25})
    found = mv.inspect(frame)
    assert "Inspection: 20 records, 3 columns" in repr(found)
    assert "100 % of its values look like e-mail addresses" in repr(found)
    assert found.baseline in repr(found)
    assert ">&lt;b&gt;</td>" in found._repr_html_()
    for shown in (repr(found), found._repr_html_()):
        assert "Proposed plan\n  1. MicroHybrid(" in shown
        assert "knows " in shown.split("Scenario", 1)[1]
    assert found.data.roles == {"e-mail": "identifier", "<b>": "key", "inc": "confidential"}
    assert found.data.stated == set(frame.columns)
    table = found.to_frame()
    assert isinstance(table, pd.DataFrame)
    assert table["proposed role"].tolist() == list(found.roles.values())
    assert isinstance(mv.inspect(mv.datasets.make_survey(50, seed=1)).to_frame(), pa.Table)


def test_progress_is_told_column_by_column():
    told = []
    inspect(SURVEY, progress=lambda *what: told.append(what))
    assert [what for what, _, _ in told] == list(SURVEY.columns)
    assert told[-1][1:] == (20, 20)


def looked(**columns):
    """Role, kind and reason of every column of a file."""
    return {look.name: (look.role, look.kind, look.why) for look in mv.inspect(pd.DataFrame(columns)).columns}


def test_keys_of_small_files_are_not_amounts():
    found = looked(Key1=[1, 1, 1, 3, 4, 4, 6, 1], house=[2, 2, 2, 3, 3, 3, 2, 2], Num1=[4, 22, 8, 91, 13, 14, 1, 5])
    assert found["Key1"][:2] == found["house"][:2] == ("key", "nominal")
    assert found["Num1"][:2] == ("confidential", "continuous")


def test_codes_are_ordered_only_where_the_name_says_so():
    codes = [1, 2, 3, 4] * 20
    found = looked(relat=codes, education=codes, age_class=codes, sector=codes, grade=codes)
    kinds = {name: kind for name, (_, kind, _) in found.items()}
    assert kinds == {
        "relat": "nominal",
        "education": "ordinal",
        "age_class": "ordinal",
        "sector": "nominal",
        "grade": "ordinal",
    }
    assert looked(region=list(range(100, 140)) * 3)["region"][:2] == ("key", "nominal")


def test_one_weight_is_proposed_and_constant_columns_say_nothing():
    found = looked(sampling_weight=[100] * 40, household_weights=[25.0, 30.5] * 20, year=[1996] * 40, gap=[None] * 40)
    role, _, why = found["sampling_weight"]
    assert role == "weight"
    assert why == (
        "2 columns look like weights: sampling_weight, household_weights; this one is proposed, although it is 100 in "
        "every record: state the role weight of the right one"
    )
    assert found["household_weights"][::2] == ("other", "a second weight beside sampling_weight")
    shared = looked(sampling_weight=[100] * 40, household_weights=[25.0, 100 / 7] * 20)
    assert shared["household_weights"][2].endswith(
        "beside sampling_weight: 100 over a whole number in every record, such as the size of a household"
    )
    assert found["year"][::2] == ("other", "it is the same in every record")
    assert found["gap"][::2] == ("other", "it has no values")


def test_the_weight_of_a_body_is_none_of_a_survey():
    kilos = [70.5, 81.0, 66.2, 90.1] * 10
    assert looked(weight=kilos)["weight"][0] == "weight"
    assert looked(weight=kilos, height=[170, 181, 166, 190] * 10)["weight"][0] == "confidential"
    assert looked(weight_kg=kilos)["weight_kg"][0] == looked(birth_weight=kilos)["birth_weight"][0] == "confidential"
    assert looked(weight=[*kilos[:-1], None])["weight"][0] == "other"


def test_two_numbers_of_households_are_not_both_released():
    found = looked(hid=list(range(20)) * 3, household_id=list(range(30)) * 2)
    assert (found["hid"][0], found["household_id"][0]) == ("identifier", "household")


def test_special_categories_and_money_are_confidential_whatever_their_kind():
    words = ["a", "b", "c", "d"] * 20
    names = ("diagnosis", "HIVStatus", "Konfession", "sindicato", "ethnicity", "salaire", "Krankheitsgruppe")
    assert {role for role, _, _ in looked(**dict.fromkeys(names, words)).values()} == {"confidential"}


def test_record_numbers_called_weight_are_no_weight(tmp_path):
    frame = pd.DataFrame({"weight": np.arange(1, 301), "income": np.random.default_rng(1).gamma(2.0, 900.0, 300)})
    assert mv.inspect(frame).roles["weight"] == "identifier"
    release = mv.mask.UncorrelatedNoise(p=0.5).apply(frame, columns=["income"])
    with pytest.raises(BadInput, match="its values are running numbers"):
        mv.write(release, tmp_path / "a.csv")
    stated = mv.Microdata(frame, roles={"weight": "weight", "income": "confidential"})
    assert mv.inspect(stated).roles["weight"] == "weight"


@pytest.mark.long
def test_the_kinds_shown_are_those_of_the_project_and_its_plan_runs():
    frame = mv.datasets.make_survey(200, seed=2)
    found = mv.inspect(frame)
    project = mv.plan.Project.propose("a.csv", "", found.source, found)
    assert found.kinds == {name: facts["kind"] for name, facts in project.columns.items()}
    assert found.kinds["age"] == found.data.kinds["age"] == "ordinal"
    assert found.plan == project.plan
    assert found.scenarios == project.scenarios
    release = found.plan.run(found.data, seed=1)
    assert mv.evaluate(found.data, release, scenarios=found.scenarios).worst.value <= 20


def test_a_file_without_anything_to_protect_has_no_plan():
    assert mv.inspect(pd.DataFrame({"year": [1996] * 5})).plan is None


def test_diagnoses_treatments_and_benefits_are_secrets():
    answers = ["f", "t"] * 30
    names = ["goitre", "lithium", "hypopituitary", "on_thyroxine", "query_on_thyroxine", "query_hypothyroid", "sick"]
    names += ["pregnant", "thyroid_surgery", "RECUNBEN", "RECSOSEC", "RECPENS", "recben", "unemployment_benefit"]
    found = looked(**dict.fromkeys(names, answers), recipe=answers, record=answers)
    assert {name for name, (role, _, _) in found.items() if role == "confidential"} == set(names)


def test_an_amount_that_is_mostly_one_code_is_told_as_a_code():
    few = list(range(20))
    found = looked(youngest=few + [97] * 31, hours=few + [7] * 31, gap=few + [-1] * 31, paid=few * 2 + [99] * 11)
    for name, code in (("youngest", 97), ("gap", -1)):
        role, kind, why = found[name]
        assert (role, kind) == ("key", "ordinal")
        assert f"most of its values are {code}, a code; say missing: [{code}] if it means no answer" in why
    assert found["hours"][0] == found["paid"][0] == "confidential"
