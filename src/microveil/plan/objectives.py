"""The measures that plans are judged by, by their names: the same in comparisons, searches and advice."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.core.errors import BadInput
from microveil.core.registry import find
from microveil.data.microdata import Microdata
from microveil.data.schema import TECHNICAL_ROLES
from microveil.loss import PIL
from microveil.measure import Measure, Scenario
from microveil.plan.overall_loss import NAME as OVERALL
from microveil.plan.overall_loss import OverallLoss
from microveil.plan.worst_case import NAME as WORST
from microveil.plan.worst_of_quick import WorstCase

Objective = str | Measure


def usual_loss(data: Microdata) -> Measure:
    """The probabilistic information loss where there are amounts alone, else the largest of amounts and categories.

    >>> import pyarrow as pa
    >>> usual_loss(Microdata(pa.table({"pay": [1.5, 2.5, 4.0], "debts": [0.5, 1.0, 9.5]}))).name
    'pil'
    """
    hidden = (*TECHNICAL_ROLES, "identifier")
    kinds = {data.kinds[name] for name in data.columns if data.roles[name] not in hidden}
    return PIL() if kinds <= {"continuous"} else OverallLoss()


def objective(given: Objective, scenarios: Sequence[Scenario] = ()) -> Measure:
    """The measure of a name, about the scenarios where there are some; a measure is taken as it is."""
    if isinstance(given, Measure):
        return given
    if not isinstance(given, str):
        raise BadInput(f"{given!r} is no measure; give its name, as in 'pil', or the measure itself")
    if given == WORST:
        return WorstCase(scenarios=tuple(scenarios))
    if given == OVERALL:
        return OverallLoss()
    found = find(given, Measure).build({})
    return found.take_scenarios(scenarios, ()) if scenarios else found
