"""A second weight is no amount: what becomes of it is no loss."""

from __future__ import annotations

import numpy as np
import pandas as pd

import microveil as mv

DRAW = np.random.default_rng(3)
N = 120
FRAME = pd.DataFrame(
    {
        "income": DRAW.lognormal(8, 1, N).round(2),
        "age": DRAW.integers(18, 90, N),
        "sampling_weight": DRAW.uniform(20, 900, N).round(2),
        "household_weights": DRAW.uniform(20, 900, N).round(2),
    }
)
SPOILT = FRAME.assign(household_weights=FRAME["household_weights"].sample(frac=1, random_state=1).to_numpy() * 40)


def loss(before, after, **more):
    return mv.evaluate(before, after, measures=["pil"], **more)["pil"].value


def test_a_second_weight_is_not_compared_where_nobody_states_roles():
    figures = mv.evaluate(FRAME, SPOILT, measures=["pil"])
    assert set(figures.columns) == {"income", "age"}
    assert figures["pil"].value == 0.0
    assert "household_weights (a second weight)" in " ".join(figures.notes)


def test_a_second_weight_is_not_compared_under_proposed_roles():
    data = mv.inspect(FRAME).data
    assert data.roles["household_weights"] == "other"
    assert loss(data, SPOILT) == mv.loss.PIL()(data, SPOILT).value == 0.0
    notes = mv.evaluate(data, SPOILT, measures=["pil"]).notes
    assert notes == ("household_weights looks like a second weight: its loss is not measured",)


def test_a_second_weight_that_is_named_is_compared():
    data = mv.inspect(FRAME).data
    for before in (FRAME, data):
        assert loss(before, SPOILT, columns=["income", "household_weights"]) > 10


def test_an_intruder_may_use_a_second_weight():
    data = mv.inspect(FRAME).data
    linked = mv.evaluate(data, FRAME, measures=["distance-linkage"])["distance-linkage"]
    assert "household_weights" in mv.evaluate(data, FRAME, measures=["pil"]).columns
    assert linked.value == 100.0


def test_the_weight_of_a_body_stays_an_amount():
    people = FRAME.rename(columns={"household_weights": "body_weight"})
    changed = SPOILT.rename(columns={"household_weights": "body_weight"})
    assert loss(mv.inspect(people).data, changed) > 10
