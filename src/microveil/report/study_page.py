"""The page of a study: the recommendation, the map to walk through, every plan that was tried."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from microveil.core.numbers import format_number
from microveil.core.words import counted
from microveil.report.live_map import live_map, map_policy, map_script
from microveil.report.study_map import study_map
from microveil.report.templating import template
from microveil.study import Study, Tried

TITLE = "Search for the best plan"


def write_study_page(path: str | Path, study: Study, *, title: str = TITLE) -> None:
    """Write the page as one HTML file that needs nothing else; only its owner can read it, since it tells risks."""
    from microveil.io import write_text

    write_text(path, render_study(study, title=title), private=True)


def render_study(study: Study, *, title: str = TITLE) -> str:
    """The page as HTML text."""
    return _filled("study.html", study, title)


def study_body(study: Study) -> str:
    """What the page says, without its head and the script of the map: for a page that has both."""
    return _filled("study_body.html", study, TITLE)


def _filled(name: str, study: Study, title: str) -> str:
    shown = study_map(study)
    chosen = study.best() if study.keeping() else None
    text: str = template(name).render(
        title=title,
        took=_took(study),
        recommendation=study.recommendation(),
        chosen=chosen,
        cards=_cards(chosen, study) if chosen is not None else (),
        plan=chosen.plan.to_text() if chosen is not None else "",
        survival=study.survival(chosen) if chosen is not None else (),
        about_draws=study.about_draws,
        map=live_map(shown) if shown is not None else "",
        left_out=sorted(study.left_out.items()),
        notes=study.notes,
        policy=map_policy(),
        script=map_script(),
    )
    return text


def _took(study: Study) -> str:
    """How much was tried, and whether more time would have tried more."""
    told = f"{counted(len(study.trials), 'plan')} in {format_number(study.seconds)} seconds; {study.ended}"
    return (
        f"{told} before every plan had its turn: give the search more time to try more of them"
        if study.is_cut
        else told
    )


def _cards(chosen: Tried, study: Study) -> list[tuple[str, str]]:
    """The few figures that one decides by, each with its name: means over the draws where there are several."""
    loss, risk = study.aims.loss, study.aims.risk
    draws = study.confirmed_draws(chosen)
    means = (chosen.loss, chosen.risk) if draws is None else (fmean(draws.losses), fmean(draws.risks))
    of = "" if draws is None else f", mean of {len(draws.draws)} draws"
    found = [
        (f"{format_number(means[0])} {loss.unit}".strip(), f"loss{of}: {loss.title or loss.name}"),
        (f"{format_number(means[1])} {risk.unit}".strip(), f"risk{of}: {risk.title or risk.name}"),
    ]
    if chosen.original is not None:
        before = f"{format_number(chosen.original[1])} {risk.unit}".strip()
        found.append((before, "the same risk in the file as it is"))
    return found
