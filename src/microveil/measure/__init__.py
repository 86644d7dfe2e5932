"""Measures: an original beside its release, and the base of all that is measured on the two."""

from microveil.core.names import public_names as _public_names
from microveil.measure.family import MeasureFamily as MeasureFamily
from microveil.measure.family import Question as Question
from microveil.measure.in_scenario import InScenario as InScenario
from microveil.measure.measure import Measure as Measure
from microveil.measure.pair import UNKNOWN_METHOD as UNKNOWN_METHOD
from microveil.measure.pair import Linked as Linked
from microveil.measure.pair import Pair as Pair
from microveil.measure.public_plan import PublicPlan as PublicPlan
from microveil.measure.public_plan import PublicStep as PublicStep
from microveil.measure.rules import BrokenRules as BrokenRules
from microveil.measure.rules import RuleCount as RuleCount
from microveil.measure.rules import count_broken_rules as count_broken_rules
from microveil.measure.scenario import Scenario as Scenario


def __dir__() -> list[str]:
    return _public_names(globals())
