"""One plan that was tried, with every figure that was taken; which of these are loss and risk is chosen afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from microveil.core.errors import BadInput, UnknownName
from microveil.core.measured import Measured
from microveil.core.open_types import Json
from microveil.core.parameters import suggest
from microveil.measure import BrokenRules, Measure
from microveil.plan.plan import Plan
from microveil.run.contract import StepRecord


@dataclass(frozen=True)
class Trial:
    """One plan that was tried; without figures if it could not be run, and then with the reason.

    `loss` and `risk` are the two figures it is judged by, `measures` those of which they are, `original` the same two
    figures of the unprotected file on the same columns (None where one does not apply). `figures` holds all that was
    measured, by the name of the measure, and `figures_before` the same of the unprotected file. `steps` is what was
    run, `rules` what became of the rules of the data, `seconds` how long running and measuring took. Of several `draws`
    figures are means, with the lowest and the highest as interval, and `each` has the figures of every draw; `rules`
    and `steps` are those of the first.
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
    figures: Mapping[str, Measured] = field(default_factory=dict)
    each: tuple[Mapping[str, Measured], ...] = ()
    figures_before: Mapping[str, float] = field(default_factory=dict)
    tried: tuple[Measure, ...] = ()
    seconds: float | None = None
    draws: int = 1
    left_out: int = 0  # records of the original that the first draw does not have
    # in how many draws limits of scenarios, and figures that must survive, were kept, of how many; None: none is stated
    limits: tuple[int, int] | None = None
    survive: tuple[int, int] | None = None
    # each limit, and each of these figures, in a sentence, of a draw that breaks one if there is any
    about_limits: tuple[str, ...] = ()
    about_survival: tuple[str, ...] = ()

    @property
    def keeps_limits(self) -> bool | None:
        """Whether every draw kept the limits of scenarios and the figures that must survive.

        None where nobody stated any, or it did not run.
        """
        stated = [one for one in (self.limits, self.survive) if one is not None]
        return all(kept == draws for kept, draws in stated) if stated else None

    @property
    def is_drawn(self) -> bool:
        """Whether another key gives another file."""
        return any(step.method.random for step in self.plan.steps)

    @property
    def breaks_rules(self) -> bool:
        """Whether more records break a rule of the data than in the original."""
        return self.rules.after > self.rules.before

    @property
    def is_candidate(self) -> bool:
        """Whether it has both figures, keeps the rules of the data and protects more than the original does."""
        measured = self.loss is not None and self.risk is not None
        return measured and not self.breaks_rules and not self.is_no_better

    @property
    def is_no_better(self) -> bool:
        """Whether the unprotected file is as good: no less safe, as far as its records tell, and without any loss."""
        risk = self.as_good_as_unprotected
        if self.loss is None or self.risk is None or self.original is None or risk is None or self.measures is None:
            return False
        signs = [-1.0 if measure.better == "higher" else 1.0 for measure in self.measures]
        limits = self.original[0], risk
        return all(sign * was <= now for sign, was, now in zip(signs, limits, self.less_is_better, strict=True))

    @property
    def as_good_as_unprotected(self) -> float | None:
        """The risk from which on it is as good as unprotected: that of the original; None where it is not known."""
        return None if self.original is None else self.original[1]

    @property
    def less_is_better(self) -> tuple[float, float]:
        """Loss and risk turned round where more is better; only of a trial that has both."""
        if self.loss is None or self.risk is None:
            raise BadInput(f"{self.label} has no loss and risk: {self.problem}")
        signs = [-1.0 if measure.better == "higher" else 1.0 for measure in self.measures or ()] or [1.0, 1.0]
        return signs[0] * self.loss, signs[1] * self.risk

    def judged_by(self, loss: str, risk: str) -> Trial:
        """The same trial with two other figures for loss and risk, by the names of their measures."""
        by_name = {measure.name: measure for measure in self.tried}
        for name in (loss, risk):
            if name not in by_name:
                raise UnknownName(f"{name!r} was not measured here{suggest(name, by_name)}")
        values = [self.figures[name].value if name in self.figures else None for name in (loss, risk)]
        before = [self.figures_before[name] for name in (loss, risk) if name in self.figures_before]
        return replace(
            self,
            loss=values[0],
            risk=values[1],
            measures=(by_name[loss], by_name[risk]),
            original=(before[0], before[1]) if len(before) == 2 else None,
        )

    def to_json(self) -> Json:
        """The trial in plain JSON terms; nothing in it tells the key."""
        return {
            "label": self.label,
            "plan": self.plan.to_mapping(),
            "loss": self.loss,
            "risk": self.risk,
            "problem": self.problem,
            "records_breaking_rules": self.rules.after,
            "draws": self.draws,
            "limits_kept": self.keeps_limits,
            "about_limits": list(self.about_limits),
            "about_survival": list(self.about_survival),
            "figures": {name: found.to_json() for name, found in self.figures.items()},
            "seconds": self.seconds,
        }


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
    """Candidates, each with figures of which less is better."""
    return ((trial.less_is_better, trial) for trial in trials if trial.is_candidate)
