"""Every measure on two files that hardly match: new categories, gaps, other lengths, single columns."""

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import UnknownColumn
from microveil.core.measured import Measured, NotApplicable
from microveil.plan.evaluation import default_measures
from microveil.risk import Scenario


def _amounts(n, seed):
    return np.random.default_rng(seed).lognormal(3, 1, n).round(2)


def _people(n, seed, towns):
    rng = np.random.default_rng(seed)
    work = pd.Series(rng.choice(["smith", "baker"], n)).mask(rng.random(n) < 0.1)
    income = pd.Series(_amounts(n, seed)).mask(rng.random(n) < 0.1)
    return pd.DataFrame({"town": rng.choice(towns, n), "work": work, "income": income, "age": rng.integers(18, 80, n)})


OLD, NEW = ["Linz", "Wels", "Graz", "Enns"], ["Linz", "Wels", "Styria"]
PAIRS = {
    "one category is new": (pd.DataFrame({"d": OLD * 30}), pd.DataFrame({"d": NEW * 30})),
    "every category is new": (pd.DataFrame({"d": OLD * 20}), pd.DataFrame({"d": ["East", "West"] * 20})),
    "as many records": (pd.DataFrame({"d": OLD * 15}), pd.DataFrame({"d": NEW * 20})),
    "several columns with gaps": (_people(90, 1, OLD), _people(70, 2, NEW)),
    "gaps only afterwards": (_people(80, 1, OLD).dropna(), _people(80, 2, NEW)),
    "a column is all gaps": (_people(60, 1, OLD), _people(50, 2, NEW).assign(work=None)),
    "one amount": (pd.DataFrame({"x": _amounts(80, 1)}), pd.DataFrame({"x": _amounts(50, 2)})),
    "a constant": (pd.DataFrame({"x": _amounts(40, 1)}), pd.DataFrame({"x": np.full(30, 7.0)})),
    "classes of numbers": (
        pd.DataFrame({"x": np.arange(20) % 7}),
        pd.DataFrame({"x": ["0-2", "3+", "unknown", None] * 4}),
    ),
    "one record": (pd.DataFrame({"d": OLD, "x": [1.0, 2, 3, 4]}), pd.DataFrame({"d": ["Styria"], "x": [2.0]})),
}


@pytest.mark.parametrize("keys", [False, True], ids=["no roles", "keys"])
@pytest.mark.parametrize("which", PAIRS)
def test_every_measure_says_a_figure_or_why_not(which, keys):
    before, after = PAIRS[which]
    roles = {name: "confidential" if name in ("x", "income") else "key" for name in before.columns} if keys else {}
    original = mv.Microdata(before, roles=roles)
    found = mv.evaluate(original, after, measures=[measure.name for measure in default_measures()])
    for line in found.lines:
        assert isinstance(line.result, NotApplicable) or np.isfinite(line.result.value), line.title


def test_categories_that_only_the_release_has_are_no_part_of_the_originals():
    before, after = PAIRS["one category is new"]
    found = mv.evaluate(before, after, measures=["contingency-loss"])["contingency-loss"]
    assert isinstance(found, Measured)
    # two quarters of the originals have no place in the release, and a third of it no place in the original
    assert found.value == pytest.approx(50)
    assert not any("recoding" in note for note in found.notes)


def test_a_scenario_with_an_unknown_column_is_an_error_and_not_a_measure_that_does_not_apply():
    before, _ = PAIRS["several columns with gaps"]
    with pytest.raises(UnknownColumn, match="regin"):
        mv.evaluate(before, before, scenarios=[Scenario("neighbour", ("regin",))])
    with pytest.raises(UnknownColumn, match="incme"):
        mv.evaluate(before, before, measures=["pil"], scenarios=[Scenario("neighbour", ("town",), ("incme",))])
