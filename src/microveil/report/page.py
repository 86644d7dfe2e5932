"""The report: one self-contained page that says what was done, what is promised, lost and at risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microveil.core.measured import Measured
from microveil.measure import Measure, Pair
from microveil.plan.comparison import Trial, frontier
from microveil.plan.evaluation import Evaluation, Line
from microveil.report.charts import MapPoint, bars_pair, correlation_change, histogram_pair, risk_utility_map
from microveil.report.numbers import format_number
from microveil.run.release import Release

_MOST_CHARTS = 12


@dataclass(frozen=True)
class Figure:
    """One line of a table of the report."""

    title: str
    name: str
    value: str
    unit: str
    reading: str
    parts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    applies: bool


def write_report(
    path: str | Path,
    pair: Pair,
    evaluation: Evaluation,
    *,
    release: Release | None = None,
    trials: Sequence[Trial] = (),
    title: str = "Protected microdata: what was lost, what is at risk",
    notes: Sequence[str] = (),
) -> None:
    """Write the internal report as one HTML file that needs nothing else."""
    from microveil.io import write_text

    write_text(path, render(pair, evaluation, release=release, trials=trials, title=title, notes=notes))


def render(
    pair: Pair,
    evaluation: Evaluation,
    *,
    release: Release | None = None,
    trials: Sequence[Trial] = (),
    title: str = "Protected microdata: what was lost, what is at risk",
    notes: Sequence[str] = (),
) -> str:
    """The internal report as HTML text."""
    compared = release.columns if release is not None else pair.columns
    shown = tuple(name for name in compared if name in pair.before.columns and name in pair.after.columns)
    text: str = _template().render(
        title=title,
        records=format_number(evaluation.records),
        protected_records=format_number(evaluation.protected_records),
        worst=format_number(evaluation.worst.value) if isinstance(evaluation.worst, Measured) else "",
        compared=shown,
        steps=_steps(release),
        promises=_promises(release),
        lost=release.lost if release is not None else (),
        unchanged=_unchanged(release),
        guarantee=release.guarantee if release is not None else None,
        loss=[_figure(line) for line in evaluation.of("loss")],
        risk=[_figure(line) for line in evaluation.of("risk")],
        distributions=_distributions(pair, shown),
        more_columns=max(len(shown) - _MOST_CHARTS, 0),
        correlations=_correlations(pair, shown),
        map=_map(trials, release),
        notes=[*notes, *(release.notes if release is not None else ())],
    )
    return text


@cache
def _template() -> Any:
    from jinja2 import Environment

    source = files("microveil.report").joinpath("templates/report.html").read_text(encoding="utf-8")
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(source)


def _figure(line: Line) -> Figure:
    result = line.result
    if not isinstance(result, Measured):
        return Figure(line.title, line.measure.name, "–", "", f"Does not apply: {result.reason}", (), (), False)
    parts = tuple((name, format_number(value)) for name, value in list(result.parts.items())[:40])
    ends = result.interval
    interval = () if ends is None else (f"95 % interval {format_number(ends[0])} to {format_number(ends[1])}",)
    return Figure(
        line.title,
        line.measure.name,
        format_number(result.value),
        result.unit,
        result.reading,
        parts,
        (*interval, *result.notes),
        True,
    )


def _steps(release: Release | None) -> list[dict[str, str]]:
    if release is None:
        return []
    out = []
    for step in release.steps:
        given = {p.name: getattr(step.method, p.name) for p in step.method.parameters()}
        settings = ", ".join(f"{name} = {value}" for name, value in given.items() if value not in (None, (), {}))
        out.append(
            {
                "name": type(step.method).__name__,
                "what": step.method.summary(),
                "settings": settings,
                "columns": ", ".join(map(str, step.columns)),
                "by": ", ".join(step.step.by),
            }
        )
    return out


def _promises(release: Release | None) -> list[dict[str, str]]:
    if release is None:
        return []
    out = []
    for promise, verdict in release.verdicts():
        state = "holds exactly" if verdict.exactly else "holds up to rounding" if verdict.holds else "BROKEN"
        out.append({"text": str(promise), "state": state, "deviation": format_number(verdict.largest, 2)})
    return out


def _unchanged(release: Release | None) -> list[tuple[str, str]]:
    """The columns of which cells came back as they were, with their share."""
    if release is None:
        return []
    return [(str(name), f"{share:.1%}") for name, share in release.unchanged.items() if share > 0]


def _distributions(pair: Pair, names: Sequence[str]) -> list[str]:
    charts = []
    for name in names[:_MOST_CHARTS]:
        before, after = pair.tables([name])
        x, y = before[name], after[name]
        if x.levels is None:
            charts.append(histogram_pair(name, x.numbers, y.numbers))
        else:
            levels = max(len(x.levels), len(y.levels or ()))
            labels = [str(level) for level in (y.levels or x.levels)]
            counts = [np.bincount(values.data[values.data >= 0], minlength=levels) for values in (x, y)]
            charts.append(bars_pair(name, labels, *counts, ordered=x.kind == "ordinal"))
    return charts


def _correlations(pair: Pair, names: Sequence[str]) -> str:
    continuous = [name for name in names if pair.before.kinds[name] == "continuous"]
    before, after = (table.matrix() for table in pair.tables(continuous))
    kept = [j for j in range(len(continuous)) if np.nanstd(before[:, j]) > 0 and np.nanstd(after[:, j]) > 0]
    if len(kept) < 2:
        return ""
    matrices = [np.corrcoef(_complete(X[:, kept]), rowvar=False) for X in (before, after)]
    return correlation_change([continuous[j] for j in kept], *matrices)


def _complete(X: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(X[~np.isnan(X).any(axis=1)], dtype=np.float64)


def _map(trials: Sequence[Trial], release: Release | None) -> str:
    if not trials:
        return ""
    originals = dict.fromkeys(trial.original for trial in trials if trial.original is not None)
    points = [MapPoint("original", *figures, reference=True) for figures in originals]
    points += [
        MapPoint(trial.label, trial.loss, trial.risk, chosen=_is_chosen(trial, release))
        for trial in trials
        if trial.loss is not None and trial.risk is not None
    ]
    edge = [(trial.loss, trial.risk) for trial in frontier(trials) if trial.loss is not None and trial.risk is not None]
    measures = next((trial.measures for trial in trials if trial.measures is not None), None)
    if measures is None:
        return risk_utility_map(points, edge)
    loss, risk = measures
    side, height = ("right" if loss.better == "higher" else "left"), ("upper" if risk.better == "higher" else "lower")
    # steps go across and then down, which is the border only where less loss is better
    joined = edge if loss.better == "lower" else None
    return risk_utility_map(
        points, joined, loss_name=_axis(loss), risk_name=_axis(risk), better=f"{height} {side} is better"
    )


def _is_chosen(trial: Trial, release: Release | None) -> bool:
    """Whether the trial ran the steps of the release: the same methods on the same columns in the same way."""
    if release is None or not trial.steps:
        return False
    ran, released = (
        [(step.method, step.columns, step.given, step.step.by, step.step.missing) for step in steps]
        for steps in (trial.steps, release.steps)
    )
    return ran == released


def _axis(measure: Measure) -> str:
    name = measure.title or measure.name
    return f"{name}, {measure.unit}" if measure.unit else name
