"""The page of a study: the recommendation, the map, the best plans and all others."""

from __future__ import annotations

from pathlib import Path

from microveil.core.numbers import format_number
from microveil.core.words import counted
from microveil.report.templating import template
from microveil.study import Study


def write_study_page(path: str | Path, study: Study, *, title: str = "Search for the best plan") -> None:
    """Write the page as one HTML file that needs nothing else."""
    from microveil.io import write_text

    write_text(path, render_study(study, title=title), private=True)


def render_study(study: Study, *, title: str = "Search for the best plan") -> str:
    """The page as HTML text."""
    text: str = template("study.html").render(
        title=title,
        recommendation=study.recommend(),
        head=study.head,
        best=study.rows,
        map=study.map(),
        about_draws=study.about_draws,
        plan=study.best().plan.to_text() if study.keeping() else "",
        trials=[
            (
                trial.label,
                format_number(trial.loss),
                format_number(trial.risk),
                trial.problem if trial.state != "measured" else "",
            )
            for trial in study.trials
        ],
        left_out=sorted(study.left_out.items()),
        notes=study.notes,
        took=f"{counted(len(study.trials), 'plan')} in {format_number(study.seconds)} seconds; {study.ended}",
    )
    return text
