"""The page of a comparison: which plan is better, which keeps the limits, the map, and two plans side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from microveil.plan.compared_plans import Comparison
from microveil.plan.trial import Trial
from microveil.report.limits_kept import LimitsKept, limits_kept
from microveil.report.live_map import live_map, map_policy, map_script
from microveil.report.mapped import plan_map
from microveil.report.side_by_side import SideBySide
from microveil.report.templating import template

TITLE = "Plans compared: what is lost, what is at risk"
MOST_VERDICTS = 15


def write_comparison(
    path: str | Path,
    found: Sequence[Trial],
    *,
    side_by_side: SideBySide | None = None,
    limits: Mapping[str, float] | None = None,
    chosen: Trial | None = None,
    lead: Sequence[str] = (),
    title: str = TITLE,
    notes: Sequence[str] = (),
    about_draws: str = "",
) -> None:
    """Write the page as one HTML file that needs nothing else; only its owner can read it, since it tells risks."""
    from microveil.io import write_text

    text = render_comparison(
        found,
        side_by_side=side_by_side,
        limits=limits,
        chosen=chosen,
        lead=lead,
        title=title,
        notes=notes,
        about_draws=about_draws,
    )
    write_text(path, text, private=True)


def render_comparison(
    found: Sequence[Trial],
    *,
    side_by_side: SideBySide | None = None,
    limits: Mapping[str, float] | None = None,
    chosen: Trial | None = None,
    lead: Sequence[str] = (),
    title: str = TITLE,
    notes: Sequence[str] = (),
    about_draws: str = "",
) -> str:
    """The page as HTML text; trials of a comparison or of a search, `limits` by the names of figures.

    `chosen` is the trial that was decided for, `lead` what the page says first: which plan is better, unless said.
    `about_draws` says how often plans were run, where the trials do not tell.
    """
    return _filled(
        "comparison.html",
        found,
        side_by_side,
        limits,
        chosen,
        lead=lead,
        title=title,
        notes=notes,
        about_draws=about_draws,
    )


def comparison_body(
    found: Sequence[Trial], *, side_by_side: SideBySide | None = None, limits: Mapping[str, float] | None = None
) -> str:
    """What the page says, without its head and the script of the map: for a page that has both."""
    return _filled(
        "comparison_body.html", found, side_by_side, limits, None, lead=(), title=TITLE, notes=(), by_command=False
    )


def _filled(
    name: str,
    found: Sequence[Trial],
    side_by_side: SideBySide | None,
    limits: Mapping[str, float] | None,
    chosen: Trial | None,
    *,
    lead: Sequence[str],
    title: str,
    notes: Sequence[str],
    about_draws: str = "",
    by_command: bool = True,
) -> str:
    compared = Comparison(found)
    shown = plan_map(compared, limits, chosen)
    text: str = template(name).render(
        title=title,
        lead=tuple(lead) or (compared.sentence, *compared.about_limits),
        about_draws=about_draws or compared.about_draws,
        by_command=by_command,
        by_chance=compared.may_be_chance and not about_draws,
        draws=max((trial.draws for trial in compared), default=1),
        problems=compared.problems,
        verdicts=_verdicts(compared, limits, chosen),
        map=live_map(shown) if shown is not None else "",
        beside=side_by_side,
        notes=notes,
        policy=map_policy(),
        script=map_script(),
    )
    return text


def _verdicts(found: Comparison, limits: Mapping[str, float] | None, chosen: Trial | None) -> tuple[LimitsKept, ...]:
    """The verdict on each plan, of many only on those that none beats; none where nobody stated a limit."""
    edge = found.frontier
    apart = [chosen] if chosen is not None and not any(one is chosen for one in edge) else []
    told = found if len(found) <= MOST_VERDICTS else [*edge, *apart]
    said = limits_kept(told, limits)
    stated = bool(limits) or any(trial.keeps_limits is not None for trial in found)
    return said if stated else ()
