"""Scenarios and the risk in the worst of them."""

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, UnknownName
from microveil.risk import Scenario, ScenarioRisk


@pytest.fixture
def six_people():
    return pd.DataFrame({"sex": list("ffmmmm"), "town": list("aaaabb"), "income": [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]})


def test_value_is_the_worst_scenario(six_people):
    measure = ScenarioRisk(
        scenarios=[Scenario("neighbour", ["sex", "town"], thresholds={"risk": 0.5}), Scenario("voter list", ["sex"])]
    )
    found = measure(six_people)
    # classes fa 2, ma 2, mb 2: nobody above one half; by sex 2 and 4 records: the two women above 0.2, the men too
    assert found.parts["neighbour: records at risk (%)"] == 0.0
    assert found.parts["voter list: records at risk (%)"] == 100.0
    assert found.value == 100.0
    assert found.reading == (
        "In the worst scenario (voter list) 100 % of the records are at risk; within the limits of neighbour. Nobody "
        "stated a limit of risk for voter list: records with a risk above 20 % are counted. Linkage was not tried "
        "in neighbour, voter list: the keys are true and nothing else is known, so that the risk comes from counting "
        "them alone."
    )


def test_records_at_risk_are_listed_privately(six_people):
    scenarios = [Scenario("neighbour", ["sex"], thresholds={"risk": 0.3})]
    assert ScenarioRisk(scenarios=scenarios).records_at_risk(six_people)["neighbour"].tolist() == [0, 1]


def test_known_amounts_are_linked_by_distance(six_people):
    spread = six_people.assign(income=six_people["income"] + [1, -1, 1, -1, 1, -1])
    flat = six_people.assign(income=35.0)
    measure = ScenarioRisk(scenarios=[Scenario("tax office", [], ["income"])])
    assert measure(six_people, spread).parts["tax office: largest risk (%)"] == 100.0
    assert measure(six_people, flat).parts["tax office: largest risk (%)"] == pytest.approx(100 / 6)
    assert "Linkage was not tried" not in measure(six_people, flat).reading


def test_linkage_that_cannot_be_tried_is_not_a_risk_of_zero(six_people):
    other = six_people.iloc[::-1].set_axis(range(6))
    amounts = Scenario("tax office", [], ["income"])
    assert ScenarioRisk(scenarios=[amounts])(six_people, other, linked=False).reason == (
        "the scenarios ['tax office'] know no keys, so that linkage is their only attack, and nobody knows which rows "
        "belong together"
    )
    both = ScenarioRisk(scenarios=[Scenario("neighbour", ["sex"], ["income"])])
    reading = both(six_people, other, linked=False).reading
    assert "Linkage was not tried in neighbour: nobody knows which rows of the two files belong together." in reading
    gone = both(six_people, six_people.assign(income=np.nan))
    assert gone.parts == both(six_people, six_people.assign(income=35.0)).parts


def test_weights_turn_frequencies_into_individual_risk(six_people):
    weighted = mv.Microdata(six_people.assign(w=100.0), roles={"w": "weight", "sex": "key"})
    expected = mv.risk.IndividualRisk()(weighted).value
    assert ScenarioRisk()(weighted).parts["all keys: mean risk (%)"] == pytest.approx(expected)


def test_by_default_the_keys_are_known(six_people):
    assert ScenarioRisk()(six_people).reason == "no scenario is given and no column has the role key"
    assert ScenarioRisk()(mv.Microdata(six_people, roles={"sex": "key"})).value == 100.0


def test_nobody_is_within_limits_that_nobody_stated(six_people):
    found = ScenarioRisk()(
        mv.Microdata(six_people.assign(w=1000.0), roles={"w": "weight", "sex": "key", "town": "key"})
    )
    assert found.value == 0.0
    assert "limits of" not in found.reading
    assert "over the limit" not in found.reading
    assert (
        "Nobody stated a scenario or a limit: the intruder is taken to know sex, town, and records with a risk above "
        "20 % are counted."
    ) in found.reading


def test_specification_goes_to_json_and_back():
    measure = ScenarioRisk(scenarios=[Scenario("a", ["x"], ["y"], {"risk": 0.1}), {"name": "b", "keys": ["z"]}])
    assert ScenarioRisk.from_spec(measure.to_spec()) == measure
    assert measure.to_spec()["scenario-risk"]["scenarios"][1] == {"name": "b", "keys": ["z"]}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"name": "a"}, BadInput, "scenario 'a' knows nothing; give keys or known attributes"),
        ({"name": "a", "keys": "sex"}, BadInput, "keys of scenario 'a' is 'sex'; give a list of columns"),
        (
            {"name": "a", "keys": ["x"], "thresholds": {"rsk": 1}},
            UnknownName,
            "has no threshold 'rsk'.*did you mean 'risk'",
        ),
        (
            {"name": "a", "keys": ["x"], "thresholds": {"risk": 2}},
            BadInput,
            "must be between 0 and 1; 2 was given",
        ),
    ],
)
def test_wrong_scenarios_are_told(arguments, error, message):
    with pytest.raises(error, match=message):
        Scenario(**arguments)


def test_wrong_lists_of_scenarios_are_told(six_people):
    with pytest.raises(BadInput, match=r"several scenarios are called \['a'\]"):
        ScenarioRisk(scenarios=[Scenario("a", ["sex"]), Scenario("a", ["town"])])
    with pytest.raises(UnknownName, match="a scenario has no 'key'"):
        ScenarioRisk(scenarios=[{"name": "a", "key": ["sex"]}])
    with pytest.raises(UnknownName, match="scenario 'a': there is no column 'sx'"):
        ScenarioRisk(scenarios=[Scenario("a", ["sx"])])(six_people)


def test_thresholds_on_the_share_of_records(six_people):
    strict, lax = (
        ScenarioRisk(scenarios=[Scenario("a", ["sex"], thresholds={"risk": 0.3, "share": share})])(six_people)
        for share in (30, 40)
    )
    assert "more than the limits allow in: a" in strict.reading
    assert "within the limits of every scenario" in lax.reading
    assert np.isclose(strict.value, 100 / 3)
