"""A study: the plans that were tried, the best of them, and the one to recommend."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from microveil.core.cards import Html, card, listed, paragraph, table
from microveil.core.errors import BadInput, OverLimit
from microveil.core.open_types import Json
from microveil.core.words import counted
from microveil.plan.compared_plans import Comparison, figure_said
from microveil.plan.trial import frontier
from microveil.plan.utility_reached import said_of_goal
from microveil.study.aims import Aims
from microveil.study.confirming import Confirmed
from microveil.study.over import Over
from microveil.study.recommending import recommendation, sentences
from microveil.study.tried import Tried

TIME_UP = "the time was up"


@dataclass(frozen=True, repr=False)
class Study:
    """What a search found. Nothing in it tells a key.

    `trials` are in the order in which they were proposed, whatever became of them; `confirmed` are plans that were run
    again under fresh keys, `left_out` says why methods were not tried, `seconds` how long the search took, `ended` why
    it ended, and `notes` what else there is to know.
    """

    trials: tuple[Tried, ...]
    aims: Aims
    confirmed: tuple[Confirmed, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    ended: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_cut(self) -> bool:
        """Whether the time was up while there were plans left to try."""
        return self.ended == TIME_UP

    @cached_property
    def shown(self) -> tuple[Tried, ...]:
        """The trials as they are told everywhere: those that were run again by the means of their draws."""
        again = {one.trial.text: one.mean for one in self.confirmed}
        return tuple(again.get(trial.text, trial) for trial in self.trials)

    @cached_property
    def frontier(self) -> tuple[Tried, ...]:
        """The trials that no other beats in both loss and risk, by increasing loss; each measured to the end.

        Those that were run again stand there by the means of their draws.
        """
        return tuple(trial for trial in frontier(self.shown) if isinstance(trial, Tried))

    @property
    def counts(self) -> Mapping[str, int]:
        """How many trials came how far."""
        return Counter(trial.state for trial in self.trials)

    def best(
        self, max_risk: float | None = None, max_loss: float | None = None, at_most: Mapping[str, float] | None = None
    ) -> Tried:
        """The trial of least loss among those that keep all limits, those of the study and those given here.

        A plan that was confirmed must keep them in every draw, and counts by the means of its draws, which are its
        figures. Where no limits
        are given here, those that were confirmed go before plans that were run once and may have been lucky. Without
        any limit it is the one with the least mean of loss and risk. Where nothing keeps the limits, that is an error
        which names the nearest plan and the limit that it breaks.
        """
        limits = self._limits(max_risk, max_loss, at_most)
        kept = self.keeping(limits)
        if not kept:
            raise OverLimit(self.nearest_said(limits))
        again = [] if limits else [one for one in kept if self.confirmed_draws(one) is not None]
        best = min(again or kept, key=lambda trial: self._rank(trial, bool(limits)))
        return next(one for one in self.shown if one.text == best.text)

    def contender(self) -> Tried | None:
        """The plan that is best as far as its draws tell, be it confirmed or not; None where nothing keeps the limits.

        A plan that was run once is to be run again before another is recommended.
        """
        return min(self.keeping(), key=self._rank, default=None)

    def expected(self, trial: Tried) -> tuple[float, float]:
        """Loss and risk of a trial, less being better: the means of its draws where it was run again."""
        draws = self.confirmed_draws(trial)
        return trial.less_is_better if draws is None else draws.less_is_better

    def keeping(self, more: Mapping[str, float] | None = None) -> tuple[Tried, ...]:
        """The candidates that keep the limits of the study and `more` of them, in every draw that there is."""
        draws = {one.trial.text: one.draws for one in self.confirmed}
        return tuple(
            trial
            for trial in self.trials
            if trial.is_candidate
            and all(one.is_candidate and not self.aims.over(one, more) for one in draws.get(trial.text, (trial,)))
        )

    def over(self, trial: Tried, more: Mapping[str, float] | None = None) -> tuple[Over, ...]:
        """The limits that a plan does not keep in some draw, the worst first."""
        confirmed = self.confirmed_draws(trial)
        draws = (trial,) if confirmed is None else confirmed.draws
        return tuple(sorted((one for draw in draws for one in self.aims.over(draw, more)), key=lambda one: -one.excess))

    def remark(self, trial: Tried) -> str:
        """What else one must know of a plan that is a candidate: limits it does not keep, how often it was run."""
        draws = self.confirmed_draws(trial)
        if not trial.is_candidate and draws is None:
            return ""  # its problem says it
        over = self.over(trial)
        told = ["synthetic records"] if trial.synthetic else []
        told += [f"not kept: {over[0].words}"] if over else []
        told += [f"not judged: limit of scenario {name!r}" for name in self.aims.unjudged(trial)]
        if draws is not None:
            told.append(f"{'' if over else 'confirmed: '}mean of {len(draws.draws)} draws")
        return "; ".join(told)

    def nearest(self, more: Mapping[str, float] | None = None) -> tuple[Tried, Over] | None:
        """The plan that breaks limits least, candidates first, with the limit that it breaks most."""
        found: list[tuple[bool, float, int, Tried, Over]] = []
        for trial in self.shown:
            over = self.over(trial, more)
            if trial.state == "measured" and over:
                found.append((not trial.is_candidate, over[0].excess, trial.number, trial, over[0]))
        if not found:
            return None
        *_, trial, worst = min(found, key=lambda one: one[:3])
        return trial, worst

    def nearest_said(self, more: Mapping[str, float] | None = None) -> str:
        """The same in a sentence."""
        near = self.nearest(more)
        if near is None:
            return (
                f"of {counted(len(self.trials), 'plan')} tried none was measured to the end, keeps the rules of the "
                "data and protects more than the file as it is; give the search more time, or ask for less"
            )
        trial, over = near
        return (
            f"no plan that was tried keeps all limits. {trial.label} comes nearest; what binds is that {over.words}. "
            "More time may find one (a larger budget); or allow more there, or protect fewer columns"
        )

    def confirmed_draws(self, trial: Tried) -> Confirmed | None:
        """The draws of a plan under fresh keys, if it was run again."""
        return next((one for one in self.confirmed if one.trial.text == trial.text), None)

    @property
    def is_confirmed(self) -> bool:
        """Whether a plan is recommended that kept every limit in all draws under fresh keys."""
        return bool(self.keeping()) and self.confirmed_draws(self.best()) is not None

    @property
    def about_draws(self) -> str:
        """How often plans were run, in words."""
        chosen = self.best() if self.keeping() else None
        draws = None if chosen is None else self.confirmed_draws(chosen)
        if draws is None:
            return self._about_draws_without(chosen)
        others = len(self.confirmed) - 1
        also = f", and so {'was 1 other' if others == 1 else f'were {others} others'}" if others else ""
        return (
            f"Every plan was run once, the recommended one {len(draws.draws)} times{also}: "
            "figures of these are means, with the lowest and the highest draw."
        )

    def _about_draws_without(self, chosen: Tried | None) -> str:
        """The same where no plan is recommended, or one that was run once: others may have been run again in vain."""
        again = len(self.confirmed)
        if not again:
            unconfirmed = "" if chosen is None else "; the recommended one was not confirmed under fresh keys"
            return f"Every plan was run once{unconfirmed}."
        were, these = ("was", "this one") if again == 1 else ("were", "these")
        unconfirmed = "" if chosen is None else " The recommended one was not confirmed under fresh keys."
        return (
            f"Every plan was run once, and {again} {were} run again: figures of {these} are means, with the lowest and "
            f"the highest draw.{unconfirmed}"
        )

    def judged_by(self, loss: str, risk: str) -> Study:
        """The same study by two other figures that were taken (`measures` of the search), by their names.

        Plans that were given up early lack them and are no candidates then.
        """
        aims = self.aims.judged_by(loss, risk)
        confirmed = tuple(Confirmed(tuple(one.judged_by(loss, risk) for one in each.draws)) for each in self.confirmed)
        return replace(
            self, aims=aims, trials=tuple(one.judged_by(loss, risk) for one in self.trials), confirmed=confirmed
        )

    def survival(self, trial: Tried) -> tuple[str, ...]:
        """What becomes of each figure that must survive, in a sentence; of a draw that loses it if there is one."""
        draws = self.confirmed_draws(trial)
        told = []
        for goal in self.aims.utility:
            each = [
                draw.reached[goal.name] for draw in (draws.draws if draws else (trial,)) if goal.name in draw.reached
            ]
            if each:
                worst = min(each, key=lambda one: one.kept)
                told.append(said_of_goal(goal, worst.kept, worst.told))
        return tuple(told)

    def sentences(self) -> tuple[str, ...]:
        """Which plan, why, and what it costs; where none keeps the limits the nearest, and what binds."""
        return sentences(self)

    def recommend(self) -> str:
        """The recommendation in words for those who decide."""
        return " ".join(self.recommendation())

    def recommendation(self) -> tuple[str, ...]:
        """The same in paragraphs: which plan, why, what it costs, who lost, what was tried."""
        return recommendation(self)

    def map(self) -> str:
        """The risk-utility map as SVG."""
        return self.compared.map()

    @property
    def compared(self) -> Comparison:
        """The trials that have both figures, as a comparison of plans."""
        return Comparison(trial for trial in self.shown if trial.loss is not None and trial.risk is not None)

    @property
    def rows(self) -> tuple[tuple[str, str, str, str], ...]:
        """The table of the best plans, for people."""
        return tuple(
            (trial.label, figure_said(trial, 0), figure_said(trial, 1), self.remark(trial)) for trial in self.frontier
        )

    @property
    def head(self) -> tuple[str, str, str, str]:
        """The headings of that table."""
        loss, risk = (_title(one.title or one.name, one.unit) for one in (self.aims.loss, self.aims.risk))
        return "plan", loss, risk, ""

    def to_json(self) -> Json:
        """Everything in plain JSON terms; nothing in it tells the key."""
        return {
            "aims": self.aims.to_json(),
            "recommendation": self.recommend(),
            "is_confirmed": self.is_confirmed,
            "frontier": [trial.number for trial in self.frontier],
            "trials": [trial.to_json() for trial in self.trials],
            "confirmed": [one.to_json() for one in self.confirmed],
            "left_out": dict(self.left_out),
            "seconds": self.seconds,
            "ended": self.ended,
            "notes": list(self.notes),
        }

    def to_text(self) -> str:
        """The same as JSON text."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False)

    def __repr__(self) -> str:
        lines = [self.head, *self.rows]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        told = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        return "\n".join([*(line.rstrip() for line in told), "", self.recommend()])

    def _repr_html_(self) -> str:
        figure = Html(self.map())
        return card("Study", table(self.head, self.rows), paragraph(self.recommend()), listed(self.notes), figure)

    def _limits(
        self, max_risk: float | None, max_loss: float | None, at_most: Mapping[str, float] | None
    ) -> dict[str, float]:
        stated = {self.aims.loss.name: max_loss, self.aims.risk.name: max_risk}
        for measure, limit in zip((self.aims.loss, self.aims.risk), stated.values(), strict=True):
            if limit is not None and measure.better == "higher":
                raise BadInput(f"more of {measure.name} is better, so that it has no upper limit; choose from .trials")
        found = {name: limit for name, limit in stated.items() if limit is not None}
        return self.aims.check_limits({**(at_most or {}), **found})

    def _rank(self, trial: Tried, limited: bool = False) -> tuple[float, ...]:
        """With limits the least loss counts, without any the least mean of loss and risk."""
        expected = self.expected(trial)
        return (*expected, trial.number) if limited or self.aims.is_limited else (sum(expected), trial.number)


def _title(name: str, unit: str) -> str:
    return f"{name}, {unit}" if unit else name
