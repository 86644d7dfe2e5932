"""A release for the people who made it: its report from Python, and its card in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from microveil.core.cards import Html, card, folded, listed, paragraph, shown, table
from microveil.core.words import counted
from microveil.measure import Pair, Scenario
from microveil.plan.advising import advise
from microveil.plan.evaluating import evaluate
from microveil.plan.evaluation import Evaluation
from microveil.plan.quick_attack import MOST_SEARCHED
from microveil.plan.verdict import verdict_of
from microveil.report.decided_parts import before_and_after
from microveil.report.identity import NamedFile
from microveil.report.page import LIMITS_IN_PYTHON, TITLE, InternalContent, write_report
from microveil.report.writing_reports import check_form
from microveil.run.release import Release

_NO_FILE = "No file was written of this release yet: mv.write(release, path) makes one, and then its hash stands here."


def report_of(
    release: Release,
    path: str | Path,
    *,
    evaluation: Evaluation | None = None,
    scenarios: Sequence[Scenario] = (),
    title: str = TITLE,
    progress: Callable[[str, int, int], None] | None = None,
) -> None:
    """Write the internal report of a release, as PDF where the path ends so (extra `pdf`), else as HTML.

    What it loses and gives away is measured unless it is given.
    """
    check_form(path)
    figures = evaluation
    if figures is None:
        figures = evaluate(release.original, release, scenarios=scenarios, progress=progress)
    verdict = verdict_of(release, scenarios, figures)
    written = [NamedFile("protected", f"written as {one.ending}", one.sha256) for one in release.written]
    pair = Pair.of(release.original, release)
    content = InternalContent(
        pair,
        figures,
        release=release,
        verdict=verdict,
        files=written,
        title=title,
        limits=LIMITS_IN_PYTHON,
        no_files=_NO_FILE,
        changes=advise(release, verdict.attacked, scenarios),
    )
    write_report(path, content)


def card_of(release: Release) -> str:
    """The card of a release: what was done, what is promised and proven, and what it gives away before and after."""
    steps = " then ".join(step.method.name for step in release.steps)
    return card(
        f"Release: {counted(len(release), 'record')}; {steps} on {', '.join(map(str, release.columns))}",
        _strip(release),
        paragraph(release.guarantee.exposed) if release.guarantee.exposed else Html(""),
        paragraph(release.about_frame + "."),
        paragraph(Html("<b>Promised</b>")) if release.promises else Html(""),
        listed(release.promises),
        paragraph(Html("<b>Given up</b>")) if release.lost else Html(""),
        listed(release.lost),
        folded(f"against whom it protects: {release.guarantee.summary}", release.guarantee.as_table()),
        folded(counted(len(release.notes), "note"), listed(release.notes)),
    )


def _strip(release: Release) -> Html:
    """The few figures before and after; of a large file they are left to whoever asks for them."""
    if release.original.n > MOST_SEARCHED:
        return paragraph("mv.plan.verdict_of(release) says what it gives away before and after.")
    verdict = verdict_of(release)
    decided = paragraph(Html(f"<b>{shown(verdict.title)}</b>"))
    return Html(decided + paragraph(verdict.line) + table(("", "before", "after"), before_and_after(verdict)))
