"""What every room of measures does with scenarios: which hold, what they know in a pair, and how limits are judged."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, UnknownName
from microveil.measure import Pair, Scenario
from microveil.measure.scenarios import (
    assume_scenarios,
    judge_limits,
    refuse_same_names,
    resolve_columns,
    say_assumptions,
)

FRAME = pd.DataFrame({"age": [1, 2, 3], "sex": ["f", "m", "f"], "income": [1.5, 2.5, 3.5]})
STRICT = Scenario("strict", ["age"], ["income", "age"], {"risk": 0.5, "share": 40})
OPEN = Scenario("open", known=["sex"])


@pytest.fixture
def pair() -> Pair:
    return Pair.of(mv.Microdata(FRAME, roles={"sex": "key", "age": "key"}), FRAME.drop(columns="sex"))


def test_risk_offers_the_same_class() -> None:
    assert mv.risk.Scenario is mv.measure.Scenario is Scenario


def test_the_columns_of_a_scenario_are_told_once() -> None:
    assert STRICT.columns == ("age", "income")


def test_without_scenarios_one_knows_the_keys_in_view(pair) -> None:
    assert assume_scenarios([OPEN], pair) == (OPEN,)
    assert assume_scenarios([], pair) == (Scenario("all keys", ["age"]),)
    assert assume_scenarios([], pair.only(["income"])) == ()


def test_columns_are_those_of_both_files(pair) -> None:
    assert resolve_columns([STRICT], pair) == ("age", "income")
    with pytest.raises(UnknownName, match="scenario 'open': there is no column 'sex'"):
        resolve_columns([STRICT, OPEN], pair)


def test_names_are_told_apart() -> None:
    refuse_same_names([STRICT, OPEN])
    with pytest.raises(BadInput, match=r"several scenarios are called \['open'\]; give each its own name"):
        refuse_same_names([OPEN, STRICT, OPEN])


def test_a_name_is_one_line_of_signs_that_are_shown() -> None:
    for name in ("near\n  holds: all", "near\u202e"):
        with pytest.raises(BadInput, match="one line of signs that are shown"):
            Scenario(name, ("age",))


def test_risk_is_counted_above_the_limit() -> None:
    assert STRICT.share_at_risk(np.array([0.5, 0.51, 0.1, 1.0])) == 50.0
    assert OPEN.share_at_risk(np.array([0.2, 0.21])) == 50.0


def test_limits_are_judged_in_words() -> None:
    assert judge_limits([STRICT], {"strict": 40.0}) == "; within the limits of every scenario"
    assert judge_limits([STRICT, OPEN], {"strict": 40.0, "open": 99.0}) == "; within the limits of strict"
    assert judge_limits([STRICT, OPEN], {"strict": 41.0, "open": 0.0}) == "; more than the limits allow in: strict"
    assert judge_limits([OPEN], {"open": 99.0}) == ""


def test_what_nobody_stated_is_said() -> None:
    assert say_assumptions([STRICT], [STRICT]) == ""
    assert say_assumptions([STRICT, OPEN], [STRICT, OPEN]) == (
        " Nobody stated a limit of risk for open: records with a risk above 20 % are counted."
    )
    assert "the intruder is taken to know age, and" in say_assumptions([], [Scenario("all keys", ["age"])])
