"""The page of a comparison: which plan is better, the map, and two plans beside one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from microveil.plan.compared_plans import ONE_DRAW, Comparison
from microveil.plan.trial import Trial
from microveil.report.live_map import live_map, map_policy, map_script
from microveil.report.mapped import plan_map
from microveil.report.side_by_side import SideBySide
from microveil.report.templating import template

TITLE = "Plans compared: what is lost, what is at risk"


def write_comparison(
    path: str | Path,
    trials: Sequence[Trial],
    *,
    side_by_side: SideBySide | None = None,
    limits: Mapping[str, float] | None = None,
    chosen: Trial | None = None,
    lead: Sequence[str] = (),
    title: str = TITLE,
    notes: Sequence[str] = (),
) -> None:
    """Write the page as one HTML file that needs nothing else; only its owner can read it, since it tells risks."""
    from microveil.io import write_text

    text = render_comparison(
        trials, side_by_side=side_by_side, limits=limits, chosen=chosen, lead=lead, title=title, notes=notes
    )
    write_text(path, text, private=True)


def render_comparison(
    trials: Sequence[Trial],
    *,
    side_by_side: SideBySide | None = None,
    limits: Mapping[str, float] | None = None,
    chosen: Trial | None = None,
    lead: Sequence[str] = (),
    title: str = TITLE,
    notes: Sequence[str] = (),
) -> str:
    """The page as HTML text; trials of a comparison or of a search, `limits` by the names of figures.

    `chosen` is the trial that was decided for, `lead` what the page says first: which plan is better, unless said.
    """
    found = Comparison(trials)
    shown = plan_map(found, limits, chosen)
    text: str = template("comparison.html").render(
        title=title,
        lead=tuple(lead) or (found.sentence,),
        problems=found.problems,
        one_draw=ONE_DRAW,
        map=live_map(shown) if shown is not None else "",
        beside=side_by_side,
        notes=notes,
        policy=map_policy(),
        script=map_script(),
    )
    return text
