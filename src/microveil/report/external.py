"""The external report: what users of the released files need to know, and nothing that only the office may know.

It tells methods and loss. It has no figure of risk, no count or extreme of the original, no key, no path and no note of
the run: those are of the internal report. What a step was set to is told only where somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.core.words import counted
from microveil.data.microdata import Microdata
from microveil.plan.evaluation import Evaluation
from microveil.report.identity import done_to
from microveil.report.settings_words import settings_in_words
from microveil.report.templating import template
from microveil.run.release import Release

MISSING_TOLD = "Empty cells are missing values."


def render_external(
    release: Release,
    files: Sequence[str],
    columns: Sequence[tuple[str, str, str]],
    *,
    title: str,
    date: str,
    evaluation: Evaluation | None = None,
    tell_settings: bool = False,
) -> str:
    """The external report as HTML text; `columns` are name, label and kind of each column in the files."""
    roles, names = release.original.roles, {str(name): name for name in release.original.columns}
    told = [
        {"name": name, "title": label, "kind": kind, "done": done_to(release, names[name])}
        for name, label, kind in columns
    ]
    text: str = template("external.html").render(
        title=title,
        date=date,
        version=version("microveil"),
        records=counted(len(release), "record"),
        files=files,
        same_records="All files hold the same records in the same order: use any one of them."
        if len(files) > 1
        else "There is one file of data.",
        missing=MISSING_TOLD,
        columns=told,
        steps=public_steps(release, tell_settings),
        kept=kept_exactly(release),
        left=[column["name"] for column in told if column["done"] == "left as it was"],
        loss=_loss(evaluation),
        left_out=_left_out(release),
        weights=[name for name, *_ in columns if roles[names[name]] == "weight"],
        households=[name for name, *_ in columns if roles[names[name]] == "household"],
    )
    return text


def _left_out(release: Release) -> str:
    """What users must know where some records of the original are in no file; no count of them."""
    if len(release) >= release.original.n:
        return ""
    factors = []
    for name in release.original.names("weight"):
        if name in release.data.columns:
            before, after = (
                float(np.nansum(side.values(name, "continuous").numbers)) for side in (release.original, release.data)
            )
            factors.append(f"multiply {name} by {format_number(before / after, 6)}" if after > 0 else "")
    told = "; ".join(one for one in factors if one)
    said = "Some records of the original data are in no file, so that totals and means of all of them differ."
    return f"{said} For totals of the population {told}." if told else said


def _total(data: Microdata, name: str) -> float:
    return float(np.nansum(data.values(name, "continuous").numbers))


def public_steps(release: Release, tell_settings: bool) -> list[dict[str, str]]:
    """The steps as anybody may know them; identifiers are no business of a reader."""
    return [
        {
            "name": record.method.name,
            "what": record.method.summary(),
            "columns": ", ".join(map(str, record.columns)),
            "by": ", ".join(map(str, record.step.by)),
            "settings": settings_in_words(record.method) if tell_settings else "",
        }
        for record in release.steps
    ]


def kept_exactly(release: Release) -> list[str]:
    """What is as in the original: promises that compare statistics, without those that speak of groups or cells."""
    found = []
    for promise in release.promises:
        if promise.claim.about == "original":
            inside = f", in every subdomain of {', '.join(map(str, promise.by))}" if promise.by else ""
            if promise.reference is not None:
                inside += ", over those of its records that the step saw"
            found.append(f"{promise.claim}{inside}")
    return list(dict.fromkeys(found))


def _loss(evaluation: Evaluation | None) -> list[tuple[str, str, str]]:
    """Each measure that users may know: its title, its figure, and which way it is better."""
    lines = () if evaluation is None else evaluation.lines
    return [
        (line.title, line.result.figure, f"{line.result.better} is better")
        for line in lines
        if line.measure.for_users and isinstance(line.result, Measured)
    ]
