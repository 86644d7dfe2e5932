"""Several plans on the same data, each with its loss and its risk: the points of a risk-utility map."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured
from microveil.core.streams import Key
from microveil.data.microdata import AnyData, Microdata
from microveil.measure import BrokenRules, Measure, Pair, count_broken_rules
from microveil.plan.plan import Plan
from microveil.run.contract import StepRecord
from microveil.run.release import AnyFile


@dataclass(frozen=True)
class Trial:
    """One plan that was tried; without figures if it could not be run, and then with the reason.

    `measures` are those of loss and risk, `original` the same two figures of the unprotected file on the columns of
    the release (None where one does not apply), `steps` what was run, `rules` what became of the rules of the data.
    """

    label: str
    plan: Plan
    loss: float | None = None
    risk: float | None = None
    problem: str = ""
    measures: tuple[Measure, Measure] | None = None
    original: tuple[float, float] | None = None
    steps: tuple[StepRecord, ...] = ()
    rules: BrokenRules = field(default_factory=BrokenRules)

    @property
    def breaks_rules(self) -> bool:
        """Whether more records break a rule of the data than in the original."""
        return self.rules.after > self.rules.before


def compare(
    data: AnyData,
    plans: Mapping[str, Plan],
    loss: Measure,
    risk: Measure,
    *,
    seed: int | str | bytes | Key | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[Trial, ...]:
    """Run every plan once and measure it; a plan that fails is kept with its reason."""
    source, key = Microdata.of(data), Key.of(seed)
    measures, trials = _Measures(source, loss, risk), []
    for number, (label, plan) in enumerate(plans.items(), start=1):
        if progress is not None:
            progress(label, number, len(plans))
        trials.append(_try(label, plan, measures, key))
    return tuple(trials)


class _Measures:
    """The two measures on one source; figures of the source itself are taken once for the same columns."""

    def __init__(self, source: Microdata, loss: Measure, risk: Measure) -> None:
        self.source, self.both = source, (loss, risk)
        self._originals: dict[tuple[str, ...], tuple[float, float] | None] = {}

    def figures(self, protected: AnyFile, columns: tuple[str, ...]) -> tuple[float, float] | str:
        """Loss and risk, or why there are none."""
        loss, risk = (measure(self.source, protected, columns=columns) for measure in self.both)
        if isinstance(loss, Measured) and isinstance(risk, Measured):
            return loss.value, risk.value
        return "; ".join(result.reason for result in (loss, risk) if not isinstance(result, Measured))

    def of_original(self, columns: tuple[str, ...]) -> tuple[float, float] | None:
        """The figures of the unprotected file."""
        if columns not in self._originals:
            found = self.figures(self.source, columns)
            self._originals[columns] = None if isinstance(found, str) else found
        return self._originals[columns]


def _try(label: str, plan: Plan, measures: _Measures, key: Key) -> Trial:
    try:
        release = plan.run(measures.source, seed=key)
    except MicroveilError as problem:
        return Trial(label, plan, problem=str(problem), measures=measures.both)
    found = measures.figures(release, release.columns)
    if isinstance(found, str):
        return Trial(label, plan, problem=found, measures=measures.both, steps=release.steps)
    original = measures.of_original(release.columns)
    rules = count_broken_rules(Pair.of(measures.source, release))
    return Trial(label, plan, *found, measures=measures.both, original=original, steps=release.steps, rules=rules)


def frontier(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """The trials that no other beats in both loss and risk, by increasing loss (decreasing, if more is better).

    Files with impossible records are no candidates, however little they lose: trials that break rules of the data
    are passed over.
    """
    best: list[Trial] = []
    lowest = float("inf")
    for (_, risk), trial in sorted(_oriented(trials), key=lambda found: found[0]):
        if risk < lowest:
            best.append(trial)
            lowest = risk
    return tuple(best)


def _oriented(trials: Sequence[Trial]) -> Iterator[tuple[tuple[float, float], Trial]]:
    """Trials that have figures and keep the rules of the data, each with figures of which less is better."""
    for trial in trials:
        if trial.loss is None or trial.risk is None or trial.breaks_rules:
            continue
        signs = [1.0, 1.0]
        if trial.measures is not None:
            signs = [-1.0 if measure.better == "higher" else 1.0 for measure in trial.measures]
        yield (signs[0] * trial.loss, signs[1] * trial.risk), trial
