"""Records that stand in the file nearly as they are are counted, whatever row they stand in."""

import warnings

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.attack import NearCopies
from microveil.core.measured import NotApplicable
from microveil.hybrid import MicroHybrid
from microveil.mask import Microaggregation, Round, SwapInGroups, UncorrelatedNoise
from microveil.partition import MDAV
from microveil.plan.verdict import verdict_of
from microveil.risk import Scenario

COLUMNS = list("abcd")
DRAW = np.random.default_rng(3)
FRAME = pd.DataFrame(np.exp(DRAW.standard_normal((300, 4)) @ (np.eye(4) + 0.4) / 2), columns=COLUMNS)
DATA = mv.Microdata(FRAME, roles=dict.fromkeys(COLUMNS, "confidential"))
LIMIT = Scenario("who knows all", known=COLUMNS, thresholds={"risk": 0.2, "share": 0})
SWAPPED = SwapInGroups(partition=MDAV(k=5))


def _released(*methods):
    return mv.Plan([(method, COLUMNS) for method in methods]).run(DATA, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("after", [Round(base=0.01), UncorrelatedNoise(p=0.01)])
def test_rows_that_changed_places_are_copies_though_every_value_changed_by_a_hair(after):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = _released(SWAPPED, after)
    found = NearCopies()(DATA, release)
    assert found.parts["beyond chance"] > 90
    assert mv.evaluate(release).worst.value > 90
    # the proof of 1/5 is about rows: it is no reason to give the file away
    assert verdict_of(release, [LIMIT]).state != "kept"


@pytest.mark.parametrize(
    ("method", "most"),
    [(Microaggregation(partition=MDAV(k=3)), 0.0), (MicroHybrid(partition=MDAV(k=10)), 5.0)],
)
def test_groups_leave_no_copies(method, most):
    assert NearCopies()(DATA, _released(method)).parts["beyond chance"] <= most


def test_other_people_are_no_copies():
    others = pd.DataFrame(np.exp(DRAW.standard_normal((300, 4)) @ (np.eye(4) + 0.4) / 2), columns=COLUMNS)
    found = NearCopies()(FRAME, others, linked=False)
    assert found.parts["beyond chance"] == 0.0


def test_one_amount_tells_no_copy():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = mv.Plan([(UncorrelatedNoise(p=0.1), ["a"])]).run(FRAME[["a"]], seed=1)
    assert isinstance(NearCopies()(FRAME[["a"]], release), NotApplicable)


@pytest.mark.long
def test_a_proof_about_records_does_not_decide_where_people_have_several():
    frame = pd.DataFrame(np.repeat(FRAME.to_numpy()[:60], 5, axis=0), columns=COLUMNS)
    frame += 1e-3 * DRAW.standard_normal(frame.shape)
    frame["pid"] = np.repeat(np.arange(60), 5)
    data = mv.Microdata(frame, roles={**dict.fromkeys(COLUMNS, "confidential"), "pid": "identifier"})
    release = mv.Plan([(MicroHybrid(partition=MDAV(k=5)), COLUMNS)]).run(data, seed=1)
    verdict = verdict_of(release, [LIMIT])
    assert verdict.state != "kept"
    assert verdict_of(_released(MicroHybrid(partition=MDAV(k=5))), [LIMIT]).state == "kept"
