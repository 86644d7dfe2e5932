"""What plans are called: short, and the same in advice, in a search and on maps."""

from __future__ import annotations

import microveil as mv
from microveil.plan.plan_words import words_of


def test_words_of_plans_are_short():
    method = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=20), cluster_on=("a", "b", "c", "d"))
    plan = mv.Plan([(method, ["a", "b", "c", "d"]), mv.mask.Round(base=10)])
    assert words_of(plan) == (
        "micro-hybrid (partition: mdav (k: 20), cluster_on: 4 names) on 4 columns then round (base: 10)"
    )
