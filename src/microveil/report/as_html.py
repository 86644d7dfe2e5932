"""A report as a page: one HTML text that needs nothing else."""

from __future__ import annotations

from microveil.report.live_map import map_policy, map_script
from microveil.report.parts import Report
from microveil.report.templating import template


def as_html(report: Report) -> str:
    """The page of a report; everything that users wrote is escaped."""
    text: str = template("parts.html").render(
        title=report.title,
        parts=report.parts,
        policy=map_policy() if report.alive else "",
        script=map_script() if report.alive else "",
    )
    return text
