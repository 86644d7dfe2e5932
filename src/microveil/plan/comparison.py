"""Several plans on the same data, each with its loss and its risk: the points of a risk-utility map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured
from microveil.core.streams import Key
from microveil.data.microdata import Microdata
from microveil.measure import Measure
from microveil.plan.plan import Plan


@dataclass(frozen=True)
class Trial:
    """One plan that was tried; without figures if it could not be run, and then with the reason."""

    label: str
    plan: Plan
    loss: float | None = None
    risk: float | None = None
    problem: str = ""


def compare(
    data: Any,
    plans: Mapping[str, Plan],
    loss: Measure,
    risk: Measure,
    *,
    seed: int | str | bytes | Key | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[Trial, ...]:
    """Run every plan once and measure it; a plan that fails is kept with its reason."""
    source, key = Microdata.of(data), Key.of(seed)
    trials = []
    for number, (label, plan) in enumerate(plans.items(), start=1):
        if progress is not None:
            progress(label, number, len(plans))
        trials.append(_try(label, plan, source, loss, risk, key))
    return tuple(trials)


def _try(label: str, plan: Plan, source: Microdata, loss: Measure, risk: Measure, key: Key) -> Trial:
    try:
        release = plan.run(source, seed=key)
    except MicroveilError as problem:
        return Trial(label, plan, problem=str(problem))
    found = [measure(source, release, columns=release.columns) for measure in (loss, risk)]
    figures = [result.value for result in found if isinstance(result, Measured)]
    if len(figures) < len(found):
        reasons = [result.reason for result in found if not isinstance(result, Measured)]
        return Trial(label, plan, problem="; ".join(reasons))
    return Trial(label, plan, loss=figures[0], risk=figures[1])


def frontier(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """The trials that no other beats in both loss and risk, by increasing loss."""
    best: list[Trial] = []
    measured = [trial for trial in trials if trial.loss is not None and trial.risk is not None]
    for trial in sorted(measured, key=lambda trial: (trial.loss, trial.risk)):
        if not best or trial.risk < best[-1].risk:  # type: ignore[operator]
            best.append(trial)
    return tuple(best)
