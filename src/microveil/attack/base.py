"""Base of all attacks: the intruder's view is made here, and here alone guesses are compared with the truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np

from microveil.attack.guesses import Answer, Finding
from microveil.attack.truth import Truth
from microveil.attack.view import View, look
from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Example
from microveil.core.words import counted
from microveil.data.schema import KINDS, check_names
from microveil.measure import InScenario, MeasureFamily, Pair, Question, Scenario
from microveil.measure.codebooks import tell_silent
from microveil.measure.measure import UNKNOWN_LINK
from microveil.measure.sampling import Sample
from microveil.measure.scenarios import at_risk_part
from microveil.measure.shares import share_interval
from microveil.run.contract import MethodContract
from microveil.run.release import AnyFile

ATTACK = MeasureFamily(
    "attack",
    title="Attacks (`mv.attack`)",
    one="attack",
    order=70,
    heading="What an intruder who knows the method finds",
    asked=15,
    questions=(
        Question(
            "What does an intruder find who knows the method?",
            "An intruder who knows original values of those sought, and the method with its parameters but not its "
            "key, does more than to take the most similar record.",
        ),
    ),
)

Known = Annotated[
    tuple[str, ...] | None,
    Example(["income", "wealth"]),
    "columns whose original values the intruder knows; None: all that are released",
]


class Scored(NamedTuple):
    """What came of an attack: the figure, and the probability that each sought record, given by its row, is found."""

    finding: Finding
    rows: Ints


@dataclass(frozen=True, kw_only=True)
class Attack(InScenario, family=ATTACK):
    """Base of all attacks: an intruder who knows original values and the method, but not the key.

    Members implement `guess(view)` and never see which rows belong together. The figure is the per cent of sought
    records that are found; parts are "certain", the per cent claimed with confidence, "precision", the share of these
    claims that is true, "baseline", the per cent found by guessing, and the figure by each way of reading the guesses.
    In a scenario the per cent of records found with a higher probability than it tolerates is told as well.
    """

    kinds: ClassVar[tuple[str, ...]] = KINDS
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    paired: ClassVar[bool] = True
    overview_sample: ClassVar[Sample | None] = Sample("searched", 10_000)
    for_any_release: ClassVar[bool] = False  # whether it needs no method that declares it
    runs_plan: ClassVar[bool] = False  # whether it runs the public plan itself, and so takes as long as that
    by_household: ClassVar[bool] = False  # whether it is to see who lives with whom

    known: Known = None

    # -- for members -----------------------------------------------------------------------------

    def guess(self, view: View) -> Answer | Finding | str:
        """The guesses of an intruder with this view, or why the attack does not apply.

        An attack that looks for nobody's record (`paired` is False) gives its figure as a `Finding`.
        """
        raise TypeError(f"{type(self).__name__} must implement guess(view)")

    def stronger(self, method: MethodContract) -> MethodContract | None:
        """A method in place of one that this attack is about, against which it should find less; None: none is known.

        It is tried and measured where somebody asks for advice, so that it may turn out to help little.
        """
        return None

    @property
    def whole_release(self) -> bool:
        """Whether released records outside of a subdomain tell it something, as ranks in the whole file do."""
        return not self.for_any_release

    # -- what every attack does ------------------------------------------------------------------

    @classmethod
    def concerns(cls, pair: Pair) -> bool:
        """Whether a release was made by a method that declares this attack, or it is for any release."""
        return cls.for_any_release or (pair.plan is not None and bool(pair.plan.attacked_by(cls.name)))

    def validate(self) -> None:
        if self.known is not None and self.scenario is not None:
            raise BadInput(
                f"{self.name} got both known={list(self.known)} and the scenario {self.scenario.name!r}, which says "
                "what the intruder knows; give one of the two"
            )

    def in_scenario(self, scenario: Scenario) -> Self | None:
        """The same attack by the intruder of a scenario; None where somebody said what the intruder knows."""
        return super().in_scenario(scenario) if self.known is None else None

    def choose(self, pair: Pair) -> tuple[str, ...]:
        if self.known is None:
            return super().choose(pair)
        check_names(self.known, [name for name in pair.before.columns if name in pair.after.columns], "known")
        return tuple(dict.fromkeys(self.known))

    def on(self, pair: Pair) -> Measured | NotApplicable:
        scored = self._scored(pair)
        return self.not_applicable(scored) if isinstance(scored, str) else self._told(scored.finding)

    def records(self, original: AnyFile, protected: AnyFile | None = None) -> Floats:
        """The probability that each original record is found, NaN where it has no released one: for the protector.

        Records stand in the order of the original.
        """
        pair = Pair.of(original, protected)
        scored = self._scored(pair)
        if isinstance(scored, str):
            raise BadInput(f"{self.name} does not apply: {scored}")
        found = np.full(pair.before.n, np.nan)
        found[scored.rows] = scored.finding.chances
        return found

    def most_exposed(self, original: AnyFile, protected: AnyFile | None = None, most: int = 10) -> Ints:
        """The rows of the originals that are most likely found, the likeliest first: for the protector's eyes only."""
        found = self.records(original, protected)
        order = np.argsort(-np.nan_to_num(found), kind="stable")[:most]
        return np.asarray(order[np.nan_to_num(found[order]) > 0], dtype=np.int64)

    def _scored(self, pair: Pair) -> Scored | str:
        names = self.choose(pair)
        if not names:
            return "there is no column that the intruder could know"
        if self.paired and pair.link is None:
            return UNKNOWN_LINK
        if self.paired and not len(pair.linked_rows[0]):
            return "no protected record comes from an original one"
        # of plain files nobody knows more than the rows at hand: a subdomain counts as a file of its own
        whole = self.whole_release and pair.plan is not None
        view, truth = look(pair, names, whole, everybody=not self.paired, together=self.by_household)
        if not view.known.rows or not view.released.rows:
            return "there is no record"
        answer = self.guess(view)
        if isinstance(answer, str):
            return answer
        found = answer if isinstance(answer, Finding) else _score(answer, truth)
        silent = tell_silent([name for name, classes in view.classes.items() if classes.silent])
        return Scored(replace(found, notes=(*found.notes, *silent)), truth.rows)

    def _told(self, found: Finding) -> Measured:
        always = {"certain": found.certain, "precision": found.precision, "baseline": found.baseline}
        return self.measured(
            found.value,
            parts={**always, **found.parts, **self._above_limit(found)},
            interval=share_interval(found.value, len(found.chances)),
            reading=found.reading,
            notes=found.notes,
        )

    def _above_limit(self, found: Finding) -> dict[str, float]:
        if self.scenario is None:
            return {}
        return {at_risk_part(self.scenario): self.scenario.share_at_risk(found.chances)}


def _score(answer: Answer, truth: Truth) -> Finding:
    """The guesses compared with the truth; the best way of reading them is the attack."""
    found = {name: guesses.found(truth) for name, guesses in answer.readings.items()}
    readings = {name: min(100.0 * float(each.mean()), 100.0) for name, each in found.items()}
    best = max(readings, key=lambda name: readings[name])
    claims = int(answer.sure.sum())
    first = next(iter(answer.readings.values()))
    precision = first.right(truth, answer.sure) / claims if claims else 0.0
    certain = 100.0 * claims / truth.sought
    reading = (
        f"An intruder who knows the method finds about {format_number(readings[best])} % of the "
        f"{counted(truth.sought, 'record')}; {_say_sure(certain, precision)}; guessing finds "
        f"{format_number(truth.chance, 2)} %."
    )
    beside = {name: part for one in answer.beside for name, part in one.parts(truth).items()}
    return Finding(
        readings[best],
        certain,
        precision,
        truth.chance,
        found[best],
        reading,
        parts={**readings, **beside},
        notes=answer.notes,
    )


def _say_sure(certain: float, precision: float) -> str:
    if not certain:
        return "they are sure of none"
    return f"they are sure of {format_number(certain)} %, and right in {format_number(100 * precision)} % of these"
