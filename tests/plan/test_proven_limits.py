"""Limits and chance: what is proven is not refused by a draw, and what is above a limit is never let pass."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import binom

import microveil as mv
from microveil.core.measured import Measured
from microveil.measure import Pair, Scenario
from microveil.measure.shares import share_interval
from microveil.partition import MDAV
from microveil.plan import Project, verdict_of
from microveil.plan.assessed_scenarios import scenario_figures
from microveil.plan.proven_limits import exceeds_bound, is_kept_by_proof
from microveil.plan.repeated_units import Units, find_grouped_units, find_units
from microveil.plan.verdict_limits import Proof, judge
from microveil.risk import ScenarioRisk
from tests.plan.test_proposal import proposed as proposed_for


@pytest.fixture(scope="module")
def proposed() -> tuple[mv.Microdata, Project]:
    """120 records and the plan for them: linking by ranks leaves many ties here, each of which counts as a risk."""
    pay = np.random.default_rng(1).lognormal(7, 0.3, 240)[120:].round(2)
    return proposed_for(pd.DataFrame({"pay": pay}))


@pytest.mark.long
def test_the_proposed_plan_passes_under_every_key(proposed):
    data, project = proposed
    (scenario,) = project.scenarios
    measured = ScenarioRisk(scenarios=project.scenarios)
    shares = []
    for key in (0, 7, 12):
        release = project.plan.run(data, seed=key)
        verdict = verdict_of(release, project.scenarios)
        assert verdict.ok, (key, verdict.because)
        assert "it is proven that no record is found with a probability above 1/10" in verdict.because[0]
        shares.append(measured(data, release).value)
    # the draws alone would have refused some of them
    assert max(shares) > scenario.limit("share")


@pytest.mark.long
def test_what_is_above_the_limit_is_refused_under_every_key(proposed):
    data, project = proposed
    for key in range(3):
        for method in (mv.mask.MultiplicativeNoise(p=0.01), mv.mask.UncorrelatedNoise(p=0.01)):
            verdict = verdict_of(method.apply(data, columns=["pay"], seed=key), project.scenarios)
            assert verdict.ok is False, (key, method)


def test_groups_that_are_too_small_for_the_limit_are_measured(proposed):
    data, project = proposed
    release = mv.mask.Microaggregation(partition=MDAV(k=3)).apply(data, columns=["pay"])
    assert release.guarantee.k == 3
    # every record has the risk 1/3, above 0.2
    verdict = verdict_of(release, project.scenarios)
    assert verdict.ok is False
    assert "100 % of the records have a risk above 0.2" in verdict.because[0]


@pytest.mark.parametrize(("k", "kept"), [(None, False), (4, False), (5, True), (10, True)])
def test_a_proof_keeps_the_risks_that_it_bounds(k, kept):
    assert is_kept_by_proof(Scenario("who", ("a",), thresholds={"risk": 0.2}), k) is kept


def test_a_breached_proof_keeps_nothing(proposed):
    data, project = proposed
    pair = Pair.of(data, project.plan.run(data, seed=1))
    measure = ScenarioRisk(scenarios=project.scenarios)
    found = Measured("scenario-risk", 0.0, "lower", (0.0, 100.0))
    assert judge(pair, measure, found, proof=Proof(10)).kept
    broken = judge(pair, measure, found, proof=Proof(10, breached=True))
    assert not broken.kept
    assert broken.said == "Scenario 'all amounts' is not kept: attacks find more records than the proof of 1/10 allows."


def test_the_bound_of_a_breach_allows_for_chance_and_no_more():
    # of 120 records 12 are found on average
    likely = 100 * binom.ppf(0.999, 120, 0.1) / 120
    assert not exceeds_bound(likely, share_interval(likely, 120), 10)
    assert exceeds_bound(40.0, share_interval(40.0, 120), 10)


def test_risk_pages_judge_as_verdicts_do(proposed):
    data, project = proposed
    for key in (2, 7, 18, 27):
        pair = Pair.of(data, project.plan.run(data, seed=key))
        (proven,) = scenario_figures(pair, project.scenarios, 10)
        assert proven.holds
        assert "within its limits, for it is proven that none is found with a probability above 1/10" in proven.said
    original = Pair.of(data, data)
    (as_it_is,) = scenario_figures(original, project.scenarios, 10)
    assert as_it_is.holds is False  # everybody is found, whatever is said to be proven


def test_namesakes_beside_a_number_of_each_record_raise_no_doubt() -> None:
    def told(**columns: object) -> str:
        data = mv.Microdata(
            pa.table({**columns, "x": [1.0, 2.0, 3.0, 4.0]}), roles=dict.fromkeys(columns, "identifier")
        )
        found = find_grouped_units(Pair.of(data, data))
        return "" if found is None else found.doubt

    names, numbers = ["Ann Lee", "Ann Lee", "Bo Ek", "Cy Ott"], [11, 12, 13, 14]
    assert told(name=names, number=numbers) == ""
    assert told(name=names) == (
        "name stands in several records (3 units in 4 records), so that k records may be of fewer than k units"
    )
    assert told(person=[1, 1, 2, 3], number=numbers).startswith("person stands in several records")
    assert told(household_id=[1, 1, 2, 2], number=numbers).endswith("may be of fewer than k households")
    # so many records of each name are a panel
    assert told(name=["Ann Lee", "Ann Lee", "Bo Ek", "Bo Ek"], number=numbers).startswith("name stands in several")


def test_parts_of_a_name_are_nobody_by_themselves() -> None:
    def found(**columns: list[object]) -> Units | None:
        return find_units(mv.Microdata(pa.table({**columns, "x": [1.0, 2.0, 3.0, 4.0]})), list(columns))

    first, last, alike = ["Ann", "Ann", "Bo", "Bo"], ["Lee", "Ek", "Lee", "Ek"], ["Lee", "Lee", "Ek", "Ek"]
    numbers = [11, 12, 13, 14]
    assert found(first_name=first, patient_id=numbers) is None  # many people share a first name
    assert found(vorname=first, nachname=last) is None  # everybody has another name
    assert found(first_name=first, last_name=alike, patient_id=numbers) == Units(
        "first_name + last_name", 2, 4, columns=("first_name", "last_name")
    )
    days = ["1950-01-01", "1960-01-01", "1970-01-01", None]
    assert found(first_name=first, last_name=alike, birth_date=days) is None


def test_a_scenario_that_no_proof_decides_says_why(proposed):
    data, _ = proposed
    homes = mv.Microdata(data.frame.assign(hid=np.arange(120) // 2), roles={"pay": "confidential", "hid": "identifier"})
    release = mv.hybrid.MicroHybrid(partition=MDAV(k=10)).apply(homes, columns=["pay"], seed=1)
    scenarios = [
        Scenario("all", (), ("pay",), {"risk": 0.2, "share": 100.0}),
        Scenario("strict", (), ("pay",), {"risk": 0.05, "share": 100.0}),
    ]
    verdict = verdict_of(release, scenarios)
    assert all(
        "about single records, and who knows a household (told apart by hid) looks for all of its records" in one
        for one in verdict.because[:2]
    )
    alone = mv.hybrid.MicroHybrid(partition=MDAV(k=10)).apply(data, columns=["pay"], seed=1)
    proven, strict = verdict_of(alone, scenarios).because[:2]
    assert "it is proven" in proven
    assert strict.endswith(
        "The proof of 1/10 does not decide here, since it allows more than 0.05. The original keeps this limit too, so "
        "that it asks for nothing: it does not say that the file is safe."
    )
