"""The charts and tables of the report in their order: another is a file of its own and a line here."""

from __future__ import annotations

from microveil.report.correlations import CORRELATIONS
from microveil.report.distributions import DISTRIBUTIONS
from microveil.report.hierarchies import HIERARCHIES
from microveil.report.rules import RULES
from microveil.report.section import Section
from microveil.report.solution_space import SOLUTION_SPACE
from microveil.report.tried_plans import TRIED_PLANS

SECTIONS: tuple[Section, ...] = (
    TRIED_PLANS,
    SOLUTION_SPACE,
    RULES,
    HIERARCHIES,
    DISTRIBUTIONS,
    CORRELATIONS,
)
