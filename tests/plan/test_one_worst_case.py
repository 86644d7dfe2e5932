"""One worst case, one loss, one sentence on who is exposed: the same words and figures by every way to a verdict."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.measured import Measured
from microveil.measure import Pair
from microveil.plan import evaluate, verdict_of, verdict_of_pair
from microveil.plan.assessment_text import headline
from microveil.report.of_release import card_of
from microveil.report.page import InternalContent, render
from microveil.risk import Scenario
from tests.marks import ANY_FILE

N = 200
AMOUNTS = ["income", "wealth"]
KNOWS_WEIGHT = Scenario("office", ("region",), ("weight", *AMOUNTS), {"risk": 0.2, "share": 30.0})


def households(**more) -> mv.Microdata:
    draw = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "region": draw.choice(list("abc"), N),
            "income": draw.lognormal(8, 1, N).round(2),
            "wealth": draw.lognormal(9, 1, N).round(2),
            "weight": draw.uniform(5, 90, N).round(3),
        }
    ).assign(**more)
    roles = {"region": "key", "weight": "weight", "home": "household", **dict.fromkeys(AMOUNTS, "confidential")}
    return mv.Microdata(frame, roles={name: roles[name] for name in frame.columns})


def grouped(data: mv.Microdata, *columns: str) -> mv.Release:
    """Columns redrawn in groups of 10, keys and weights changing places."""
    method = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10), categories="multinomial")
    return method.apply(data, columns=list(columns), given=[], seed=4)


def redrawn(data: mv.Microdata) -> mv.Release:
    return grouped(data, "region", *AMOUNTS)


@ANY_FILE
@pytest.mark.long
def test_the_worst_case_is_never_below_a_scenario_and_the_same_with_and_without_an_evaluation():
    release = redrawn(households())
    scenarios = [KNOWS_WEIGHT]
    alone = verdict_of(release, scenarios)
    found = mv.risk.ScenarioRisk(scenarios=tuple(scenarios))(release)
    mean = found.parts["office: mean risk (%)"]
    assert mean > 50  # the weight is as it was
    assert alone.after.linked == alone.worst.value == mean
    for measures in ("quick", ["pil"]):
        figures = evaluate(release, measures=measures, scenarios=scenarios)
        assert verdict_of(release, scenarios, figures).worst.value == mean
        assert verdict_of(release, scenarios, evaluate(release, measures=measures)).worst.value == mean
    assert mv.assess(release, scenarios=scenarios).linked.protected == mean
    assert alone.to_json()["worst"]["value"] == mean


@ANY_FILE
def test_attacks_that_an_evaluation_left_out_are_tried_for_the_verdict():
    release = redrawn(households())
    assert verdict_of(release).worst.parts == verdict_of(release, (), evaluate(release, measures=["pil"])).worst.parts
    # of other columns only what was measured is told
    few = evaluate(release, measures=["distance-linkage"], columns=["income"])
    assert verdict_of(release, (), few).worst.value == few.worst.value


@ANY_FILE
def test_the_weight_is_unknown_only_where_no_measured_scenario_knows_it():
    release = redrawn(households())
    unknown = "taken as unknown to the intruder"
    assert unknown in verdict_of(release).line
    told = verdict_of(release, [KNOWS_WEIGHT])
    assert unknown not in repr(told)
    assert "singles out" not in repr(told)
    with_it, without = (evaluate(release, measures="quick", scenarios=found) for found in ([KNOWS_WEIGHT], []))
    assert unknown not in with_it.worst.reading
    assert unknown in without.worst.reading
    # a scenario that was not measured makes nothing known
    assert evaluate(release, measures=["distance-linkage"], scenarios=[KNOWS_WEIGHT]).weight.names == ("weight",)


@ANY_FILE
def test_every_way_says_to_whom_records_are_exposed_in_the_same_words_and_once():
    data = households(home=np.arange(N) // 2)
    release = redrawn(data)
    said = release.guarantee.exposed
    assert said.startswith("Exposed to an intruder who knows every original value of every record, and the method")
    figures = evaluate(release, measures="quick")
    verdict = verdict_of(release, [KNOWS_WEIGHT], figures)
    page = render(InternalContent(Pair.of(release), figures, release=release, verdict=verdict))
    page = page.replace("&#39;", "'")
    for text in (repr(verdict), json.dumps(verdict.to_json()), page, card_of(release).replace("&#x27;", "'")):
        assert text.count(said) == 1


@ANY_FILE
def test_one_reason_of_two_steps_is_said_once():
    data = households()
    first = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10))
    release = mv.Plan([(first, ["income"]), (first, ["wealth"])]).run(data, seed=1)
    reasons = release.guarantee.exposed.removeprefix("Exposed to an intruder who ").removesuffix(".").split("; or who ")
    assert len(reasons) == len(set(reasons)) > 1


@ANY_FILE
def test_kept_limits_are_in_doubt_where_a_column_that_nobody_measured_tells_records_apart():
    limit = Scenario("all", ("region",), tuple(AMOUNTS), {"risk": 0.2, "share": 30.0})
    homes = households(home=np.arange(N) // 2, weight=10.0)
    exposed = verdict_of(redrawn(homes), [limit])
    assert exposed.state == "not kept"  # households are measured, and judged by their figure
    assert "(Whole households)" in exposed.because[0]
    noise = mv.mask.UncorrelatedNoise(p=3.0).apply(homes, columns=AMOUNTS, seed=1)
    assert verdict_of(noise, [limit]).state == "kept"
    single = households(weight=10.0)
    assert verdict_of(redrawn(single), [limit]).state == "kept"
    weighed = verdict_of(redrawn(households()), [limit])
    assert weighed.doubts == (
        "weight tells records apart as it is released, and no intruder that was measured knows it",
    )


@ANY_FILE
def test_the_page_says_once_whom_the_weight_singles_out():
    release = redrawn(households())
    figures = evaluate(release, measures="quick")
    for scenarios in ([], [Scenario("all", ("region",), tuple(AMOUNTS), {"risk": 0.2, "share": 30.0})]):
        page = render(
            InternalContent(Pair.of(release), figures, release=release, verdict=verdict_of(release, scenarios, figures))
        )
        section = page[page.index('<section class="verdict') : page.index("</section>")]
        assert section.count("The weight is released as it is: it singles out") == 1


@ANY_FILE
def test_only_columns_that_tell_records_apart_are_named():
    release = redrawn(households(home=np.arange(N) // 2, weight=10.0))
    texts = [one.text for one in release.guarantee.statements if "told apart" in one.text]
    assert texts
    assert all("by home, down to" in text for text in texts)
    assert release.guarantee.apart_by == ("home",)
    assert verdict_of(grouped(households(weight=10.0), "region", *AMOUNTS)).worst.value < 20
    assert redrawn(households(weight=10.0)).guarantee.k == 10


@ANY_FILE
def test_loss_is_told_of_amounts_and_of_categories():
    draw = np.random.default_rng(3)
    data = households(region=draw.choice(list("aaaaaabbc"), N))
    plain = verdict_of(mv.mask.UncorrelatedNoise(p=0.5).apply(data, columns=AMOUNTS, seed=1))
    assert "loss of amounts (PIL) " in plain.line
    assert "categories" not in plain.line
    assert plain.loss_of_categories is None
    coarse = data.frame.assign(region=data.frame["region"].replace({"a": "{a, b}", "b": "{a, b}"}))
    recoded = verdict_of_pair(Pair.of(data, coarse))
    assert recoded.loss == 0
    counts = data.frame["region"].value_counts(normalize=True)
    # a class is spread evenly over the values it holds
    assert recoded.loss_of_categories == pytest.approx(100 * abs(counts["a"] - counts["b"]) / 2)
    assert f"loss of categories (tables, classes spread) {recoded.loss_of_categories:.3g} %" in recoded.line
    assert recoded.to_json()["loss_of_categories"] == recoded.loss_of_categories
    assert mv.loss.ContingencyLoss()(data, coarse).value == 0
    assert verdict_of_pair(Pair.of(data, coarse, linked=False)).loss_of_categories == recoded.loss_of_categories


def test_amounts_that_became_classes_are_lost_in_tables_too():
    before = pd.DataFrame({"age": np.arange(200) % 40, "sex": ["f", "m"] * 100})
    data = mv.Microdata(before, roles={"age": "key", "sex": "key"}, kinds={"age": "continuous"})
    after = before.assign(age=["0-19" if age < 20 else "20-39" for age in before["age"]])
    spread = mv.loss.ContingencyLoss(order=1, classes="spread")
    assert spread(data, after).value == pytest.approx(0)  # evenly spread it was
    skewed = before.assign(age=np.where(before["age"] < 10, 0, before["age"]))
    lost = spread(mv.Microdata(skewed, kinds={"age": "continuous"}), after)
    assert isinstance(lost, Measured)
    assert lost.parts["order 1[age]"] > 10


def test_the_risk_headline_leads_with_the_more_cautious_model():
    found = mv.assess(mv.inspect(mv.datasets.make_survey(400, seed=1)).data)
    alone, expected = found.original.population.value, 100 * found.original.expected / 400
    assert alone > expected
    assert headline(found.original).startswith(f"About {alone * 4:.0f} of 400 records ({alone:.2g} %; ")
    assert "In doubt believe the higher figure." in repr(found)
