"""The charts of the report in their order: another is a file of its own and a line here."""

from __future__ import annotations

from microveil.report.correlations import CORRELATIONS
from microveil.report.distributions import DISTRIBUTIONS
from microveil.report.section import Section
from microveil.report.tried_plans import TRIED_PLANS

SECTIONS: tuple[Section, ...] = (
    TRIED_PLANS,
    DISTRIBUTIONS,
    CORRELATIONS,
)
