"""The order of figures: every measure answers one question, and the best come first."""

from __future__ import annotations

from collections import Counter

from microveil.core import Measured, NotApplicable, registered
from microveil.core.families import sort_families
from microveil.loss import PIL, MomentChange
from microveil.measure import Measure
from microveil.plan.evaluation import Line, default_measures
from microveil.plan.questions import by_question
from microveil.risk import DistanceLinkage, KAnonymity


def test_every_measure_answers_one_question():
    families = sort_families(cls.described for cls in registered(Measure))
    named = Counter(name for family in families for question in family.questions for name in question.names)
    assert set(named) <= {cls.name for cls in registered(Measure)}
    assert set(named.values()) == {1}
    lines = [Line(measure, NotApplicable(measure.name, "not asked")) for measure in default_measures()]
    found = [line.measure.name for answers in by_question(lines) for line in answers.silent]
    assert sorted(found) == sorted(line.measure.name for line in lines)


def test_the_best_come_first_and_those_that_do_not_apply_last():
    lines = (
        Line(MomentChange(), Measured("moment-change", 1.0, "lower")),
        Line(KAnonymity(), Measured("k-anonymity", 3.0, "higher")),
        Line(PIL(), NotApplicable("pil", "no amounts")),
        Line(DistanceLinkage(), Measured("distance-linkage", 9.0, "lower")),
    )
    risk, loss = by_question(lines)
    assert [line.measure.name for line in risk.first] == ["distance-linkage"]
    assert [line.measure.name for line in risk.further] == ["k-anonymity"]
    assert [line.measure.name for line in loss.first] == ["moment-change"]
    assert [line.measure.name for line in loss.silent] == ["pil"]
