"""The public plan of a release run once more, on other data or under another key."""

from __future__ import annotations

import warnings

from microveil.core.errors import NothingHidden
from microveil.core.streams import Key
from microveil.data.microdata import Microdata
from microveil.measure import PublicPlan
from microveil.run.contract import Step
from microveil.run.release import Release
from microveil.run.steps import run_steps


def rerun(plan: PublicPlan, data: Microdata, key: Key) -> Release:
    """A release of the data by the steps of a plan; nobody gives it away, so that nothing is said about hiding."""
    steps = [Step(step.method, step.columns, step.given, step.by, step.missing) for step in plan.steps]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingHidden)
        return run_steps(data, steps, key)
