"""The score of 2001: the formula by hand, the unprotected file, and every part beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.core.measured import NotApplicable
from microveil.score import Score
from microveil.testing import check_class

X = pd.DataFrame(np.random.default_rng(3).gamma(2.0, size=(60, 3)), columns=["a", "b", "c"])
Y = mv.mask.UncorrelatedNoise(p=0.3).apply(X, seed=1).frame


def test_the_formula_by_hand():
    # linkage 20 and intervals 60 are a risk of 40, which with a loss of 20 is 30
    found = Score(loss=mv.loss.InformationLoss()).joined({"loss": 20.0, "DLD": 10.0, "PLD": 30.0, "RID": 60.0})
    assert found == {
        "loss": 20.0, "DLD": 10.0, "PLD": 30.0, "RID": 60.0, "ID": 60.0, "linkage": 20.0, "risk": 40.0, "score": 30.0,
    }  # fmt: skip
    weighed = Score(
        loss=mv.loss.PIL(), intervals="both", loss_weight=0.2, linkage_weight=0.75, distance_weight=1
    ).joined({"loss": 20.0, "DLD": 10.0, "PLD": 30.0, "RID": 60.0, "SDID": 20.0})
    # linkage 10, intervals 40, risk 7.5 + 10, score 4 + 14
    assert weighed["score"] == pytest.approx(18.0)


def test_the_unprotected_file_scores_50():
    # 60 records in 10 bins of each of 3 columns: no two share all three
    for loss in (mv.loss.InformationLoss(), mv.loss.PIL()):
        found = Score(loss=loss)(X, X)
        assert found.value == 50
        assert (found.parts["loss"], found.parts["risk"]) == (0, 100)
    assert Score(loss=mv.loss.PIL(), loss_weight=0.25)(X, X).value == 75


def test_parts_are_the_figures_of_their_measures():
    found = Score(loss=mv.loss.InformationLoss())(X, Y)
    parts = {
        "loss": mv.loss.InformationLoss(),
        "DLD": mv.risk.DistanceLinkage(),
        "PLD": mv.risk.ProbabilisticLinkage(),
        "RID": mv.risk.RankInterval(),
    }
    alone = {name: measure(X, Y).value for name, measure in parts.items()}
    assert {name: found.parts[name] for name in parts} == alone
    by_hand = (alone["loss"] + ((0.5 * alone["DLD"] + 0.5 * alone["PLD"]) + alone["RID"]) / 2) / 2
    assert found.value == pytest.approx(by_hand, rel=1e-14)
    assert found.bounds == (0, float("inf"))
    assert any("no upper limit" in note for note in found.notes)


def test_a_bounded_score_of_pil_and_one_risk():
    risk = mv.risk.GlobalLinkage()
    found = Score(loss=mv.loss.PIL(), risk=risk)(X, Y)
    assert found.value == pytest.approx((mv.loss.PIL()(X, Y).value + risk(X, Y).value) / 2)
    assert found.bounds == (0, 100)
    assert set(found.parts) == {"loss", "risk"}
    assert found.notes == ()


def test_what_belongs_to_the_risk_of_2001_goes_without_another_risk():
    with pytest.raises(BadInput, match=r"linkage_weight=1\.0 goes without risk"):
        Score(loss=mv.loss.PIL(), risk=mv.risk.RankInterval(), linkage_weight=1)


def test_it_does_not_apply_where_a_part_does_not():
    found = Score(loss=mv.loss.PIL())(X, Y, linked=False)
    assert isinstance(found, NotApplicable)
    assert "belong together" in found.reason


def test_plans_can_be_compared_by_it_and_overviews_leave_it_out():
    assert "score" not in {line.measure.name for line in mv.evaluate(X, Y).lines}
    score = Score(loss=mv.loss.PIL())
    assert "How good is it in one figure?" in mv.evaluate(X, Y, measures=[score])._repr_html_()
    (trial,) = mv.compare(X, [mv.mask.RankSwap(p=5)], risk=mv.risk.RankInterval(), measures=[score], seed=1)
    assert trial.figures["score"].parts["RID"] == trial.risk


@pytest.mark.long
def test_the_common_suite_holds_it_to_what_it_declares():
    check_class(Score)
